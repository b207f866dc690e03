package rekey_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/agentstore"
	"github.com/satchel-memory/satchel/internal/vault/runstore"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// startRun starts a run with some events, which somebody holds.
func (h *house) startRun(id, agent string, seal bool, events int) {
	h.T.Helper()
	d := runstore.Draft{Run: runstore.Run{ID: id, Agent: agent, Revision: 1, Status: "running"},
		Hold: runstore.Hold{Holder: "h", Lease: time.Hour}, Seal: seal}
	var list []runstore.Event
	for n := range events {
		list = append(list, runstore.Event{Document: fmt.Appendf(nil, `{"n":%d}`, n)})
	}
	if _, err := runstore.New(h.Vault).Start(h.Ctx, h.Me(), d, list); err != nil {
		h.T.Fatal(err)
	}
}

// runsOf lists the runs of the house's owner with their events, opened.
func (h *house) runsOf() (all []string) {
	h.T.Helper()
	s := runstore.New(h.Vault)
	list, err := s.List(h.Ctx, h.Me(), "", runstore.Place{}, 99)
	for _, run := range list {
		var events []runstore.Event
		if events, err = s.Events(h.Ctx, h.Me(), run.ID, 0, 1000); err != nil {
			break
		}
		text := fmt.Sprint(run.ID, run.Agent, run.Revision, run.Status, run.Fence, run.Events, run.Began, run.Sealed)
		for _, e := range events {
			text += fmt.Sprint(e.Number, string(e.Document))
		}
		all = append(all, text)
	}
	if err != nil {
		h.T.Fatal(err)
	}
	return all
}

// TestRekeyCarriesRuns gives an owner with runs another key: all arrive, sealed ones under
// the new key, and none goes on by itself.
func TestRekeyCarriesRuns(t *testing.T) {
	onEach(t, func(t *testing.T, open opener) {
		h := open(t)
		h.keepAgents()
		h.startRun("x", "a", false, 120)
		h.startRun("y", "b", true, 3)
		want := h.runsOf()
		next, _ := h.rekey(vaulttest.Seeded(t, 8))
		if diff := cmp.Diff(want, next.runsOf()); diff != "" || len(want) != 2 {
			t.Errorf("under the new key (-want +got):\n%s", diff)
		}
		err := next.Store.View(next.Ctx, next.Key.DID(), func(r store.Reader) error {
			due, err := r.Runs().DueRuns(time.Now().AddDate(1, 0, 0), 9)
			sealed, err2 := r.Runs().RunEvents("y", 0, 9)
			if len(due) > 0 || len(sealed) != 3 || !vault.IsSealed(sealed[0].Document) {
				t.Errorf("due: %+v, sealed: %v", due, sealed)
			}
			return errors.Join(err, err2)
		})
		if err != nil {
			t.Fatal(err)
		}
		s := runstore.New(next.Vault)
		_, held := s.Hold(next.Ctx, next.Me(), "x", runstore.Hold{Holder: "another", Lease: time.Hour, Resumes: true})
		_, copied := s.Hold(next.Ctx, next.Me(), "x", runstore.Hold{Holder: "h", Lease: time.Hour})
		_, fenced := s.Append(next.Ctx, next.Me(), "x", 7, runstore.Append{})
		_, exists := s.Start(next.Ctx, next.Me(), runstore.Draft{Run: runstore.Run{ID: "x", Agent: "a", Revision: 1}}, nil)
		_, unknown := s.Start(next.Ctx, next.Me(), runstore.Draft{Run: runstore.Run{ID: "z", Agent: "a", Revision: 99}}, nil)
		for want, err := range map[error]error{runstore.ErrHeld: held, runstore.ErrCopied: copied, runstore.ErrFenced: fenced,
			runstore.ErrRunExists: exists, runstore.ErrUnknownAgent: unknown} {
			if !errors.Is(err, want) {
				t.Errorf("got %v, want %v", err, want)
			}
		}
		_, err = s.Append(next.Ctx, h.Me(), "x", 1, runstore.Append{})
		if memory.KindOf(err) != memory.NotFound && !errors.Is(err, vault.ErrMoved) {
			t.Errorf("whoever held it goes on: %v", err)
		}
		if findings, err := next.Health(next.Ctx); err != nil || len(findings) > 0 {
			t.Errorf("the store has %q, %v", findings, err)
		}
	})
}

// TestRekeyOfRunsTakenBack goes over to an owner who has runs of its own, and is given up:
// these stay, and nothing else does. A run of an agent of both is of the revision that its
// definition has there.
func TestRekeyOfRunsTakenBack(t *testing.T) {
	onEach(t, func(t *testing.T, open opener) {
		old := open(t)
		old.keepAgents()
		old.startRun("x", "a", false, 2)
		home := old.under(vaulttest.Seeded(t, 8))
		home.Now = home.Now.AddDate(0, 0, 1)
		if _, _, err := home.KeepAgent(home.Ctx, home.Me(), vaulttest.AgentOf("a", "mine")); err != nil {
			t.Fatal(err)
		}
		home.startRun("own", "a", false, 1)
		want := home.runsOf()
		if _, err := home.Rekey(home.Ctx, old.Me(), home.Key, nil); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(home.runsOf(), "\n"); !strings.Contains(got, "xa2running") || !strings.Contains(got, "owna1running") {
			t.Errorf("carried over:\n%s", got)
		}
		if err := home.AbandonRekey(home.Ctx, old.Me(), home.Key.DID()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, home.runsOf()); diff != "" {
			t.Errorf("once it is given up (-want +got):\n%s", diff)
		}
		if kept := old.runsOf(); len(kept) != 1 {
			t.Errorf("the old owner has %q", kept)
		}
	})
}

// TestRekeyOfChangedRuns expects that no rekey passes over a run that was changed.
func TestRekeyOfChangedRuns(t *testing.T) {
	h := open(t)
	h.keepAgents()
	h.startRun("x", "a", false, 2)
	h.Edit(`UPDATE run_events SET at = at + 1 WHERE number = 2`)
	if _, err := h.Rekey(h.Ctx, h.Me(), vaulttest.Seeded(t, 8), nil); memory.KindOf(err) != memory.SignatureInvalid {
		t.Errorf("it passes it over: %v", err)
	}
	if _, _, err := h.KeepAgent(h.Ctx, h.Me(), agentstore.AgentDraft{KeptAgent: vaulttest.AgentOf("c", "x").KeptAgent}); err != nil {
		t.Errorf("a rekey was begun: %v", err)
	}
}
