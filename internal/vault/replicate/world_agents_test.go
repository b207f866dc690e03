package replicate_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault/agentstore"
	"github.com/satchel-memory/satchel/internal/vault/replicate"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// Agents, their checkpoints, and kills: more of what may happen in a [world].

func anyAgent(t *rapid.T) string {
	return rapid.SampledFrom([]string{"clerk", "cook"}).Draw(t, "agent")
}

func anyState(t *rapid.T) string {
	return rapid.SampledFrom([]string{"s1", "s2", "s3"}).Draw(t, "checkpoint")
}

// keepAgent takes in one of a few definitions, also one that was there before.
func (w *world) keepAgent(t *rapid.T, m *machine) {
	says := rapid.SampledFrom([]string{"is one", "is two", "is three"}).Draw(t, "definition")
	_, _, err := m.KeepAgent(m.Ctx, m.own, vaulttest.AgentOf(anyAgent(t), says))
	may(t, err)
}

func (w *world) removeAgent(t *rapid.T, m *machine) {
	_, err := m.RemoveAgent(m.Ctx, m.own, anyAgent(t))
	may(t, err)
}

// ticket is a migration token that serves once.
func ticket(n int) agentstore.SpentToken {
	return agentstore.SpentToken{Issuer: "platform", JTI: fmt.Sprint("ticket ", n), Until: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)}
}

// land receives a checkpoint, which a token brings.
func (w *world) land(t *rapid.T, m *machine) {
	agent, err := m.KeptAgent(m.Ctx, m.own, anyAgent(t), 0)
	if !may(t, err) {
		return
	}
	n := rapid.IntRange(0, 5).Draw(t, "token")
	knew := m.TokenSpent(m.Ctx, m.own, ticket(n)) != nil
	doc := fmt.Appendf(nil, `{"goes on":%d}`, rapid.IntRange(0, 2).Draw(t, "text"))
	_, err = m.ReceiveState(m.Ctx, m.own, agentstore.Landing{
		State: agentstore.KeptState{ID: anyState(t), Agent: agent.ID, Run: "r", Status: "paused", Source: "platform", Checkpoint: m.Now, Document: doc},
		Token: ticket(n), Revision: agent.Revision, Same: func(here []byte) bool { return bytes.Equal(here, doc) },
	})
	switch {
	case may(t, err) && knew:
		t.Fatalf("%s takes a checkpoint in with token %d, which has served", m.Self().Name, n)
	case err == nil:
		w.served[n] = true
	}
}

func (w *world) depart(t *rapid.T, m *machine) {
	d := agentstore.Departed{}
	if rapid.Bool().Draw(t, "leaves") {
		d = agentstore.Departed{At: m.Now, For: "elsewhere", To: "https://elsewhere.example"}
	}
	may(t, m.DepartState(m.Ctx, m.own, anyState(t), d))
}

func (w *world) removeState(t *rapid.T, m *machine) {
	_, err := m.RemoveState(m.Ctx, m.own, anyState(t))
	may(t, err)
}

// killedHearing kills a machine within the transaction in which it joins a message.
func (w *world) killedHearing(t *rapid.T, m *machine) {
	from := w.other(t, m)
	msg := from.tell(t, m, rapid.IntRange(1, 5000).Draw(t, "bytes"))
	v := m.KilledAt(int64(rapid.IntRange(1, 200).Draw(t, "killed at")))
	dying, err := replicate.Of(m.Ctx, v, m.own.Owner, m.key.DID())
	if err == nil {
		_, err = dying.Join(m.Ctx, from.Self().Name, msg)
	}
	switch {
	case err == nil:
		m.seen[from] = msg.Upto
	case !errors.Is(err, store.ErrUnavailable):
		t.Fatal(err)
	}
	m.restarted(t)
}

// killedActing kills a machine within the transaction of an act of its owner, and within what
// it finds out of it when machines meet.
func (w *world) killedActing(t *rapid.T, m *machine) {
	v := m.KilledAt(int64(rapid.IntRange(1, 60).Draw(t, "killed at")))
	text, _ := w.text()
	_, err := v.Remember(m.Ctx, m.own, w.draft(t, text)) // note looks what became of it
	if ids := w.known(t, m); len(ids) > 0 {
		_, err = v.Forget(m.Ctx, m.own, memory.ForgetRequest{ID: ids[rapid.IntRange(0, len(ids)-1).Draw(t, "record")],
			Reason: memory.Outdated, Hard: rapid.Bool().Draw(t, "hard")})
	}
	if dying, failed := replicate.Of(m.Ctx, v, m.own.Owner, m.key.DID()); failed == nil {
		_, _, _, err = dying.Since(m.Ctx, "", replica.Position{}, 1<<20)
	}
	if err != nil && !errors.Is(err, store.ErrUnavailable) {
		may(t, err)
	}
	m.restarted(t)
}

// agents says which agents a machine keeps, and which definition is the newest of each; in no
// order of revisions, which each machine counts for itself.
func (w *world) agents(t tb, m *machine) string {
	t.Helper()
	var lines []string
	m.view(t, func(r store.Reader) error {
		lines = nil
		list, err := r.Agents().AgentList("", 99)
		if err != nil {
			return err
		}
		for _, newest := range list {
			lines = append(lines, fmt.Sprintf("newest %s %s %v", newest.ID, newest.Digest, newest.Received))
			for n := newest.Revision; n > 0; n-- {
				if a, err := r.Agents().Agent(newest.ID, n); err == nil {
					lines = append(lines, fmt.Sprintf("agent %s %s %s", a.ID, a.Digest, a.Document))
				}
			}
		}
		states, err := r.Agents().StateList("", store.StatePlace{}, 99)
		if err != nil {
			return err
		}
		for _, s := range states {
			full, err := r.Agents().State(s.ID)
			if err != nil {
				return err
			}
			lines = append(lines, fmt.Sprintf("checkpoint %+v %s", s, full.Document))
		}
		return nil
	})
	for n := range w.served {
		if m.TokenSpent(m.Ctx, m.own, ticket(n)) == nil {
			t.Fatalf("%s would take a checkpoint in with token %d, which has served elsewhere", m.Self().Name, n)
		}
	}
	slices.Sort(lines)
	return strings.Join(slices.Compact(lines), "\n")
}
