package storetest

import (
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
)

// state makes a checkpoint.
func state(id, agent string, minute int) store.State {
	return store.State{ID: id, Agent: agent, Run: "run", Status: "paused", Source: "elsewhere",
		Checkpoint: birth.Add(time.Duration(minute) * time.Minute), Received: birth, Document: []byte(`{"state_id":"` + id + `"}`)}
}

// departed returns a checkpoint that has left for another platform.
func departed(s store.State) store.State {
	s.Departed = store.Departure{At: birth.Add(time.Hour), For: "elsewhere", To: "https://elsewhere.example"}
	return s
}

// agentLeaves makes a checkpoint leave. Its departure is stored, and lists show it.
func agentLeaves(p *place) {
	issued := departed(state("y", "a", 2))
	issued.Departed.To = ""
	for _, s := range []store.State{departed(state("x", "a", 1)), issued} {
		p.update(ada, func(w store.Writer) {
			must(p.t, w.AgentKeeper().PutState(state(s.ID, "a", 3)))
			must(p.t, w.AgentKeeper().DropState(s.ID))
			must(p.t, w.AgentKeeper().PutState(s))
		})
		p.view(ada, func(r store.Reader) {
			same(p.t, "one", value(r.Agents().State(s.ID))(p.t), s)
			listed := value(r.Agents().StateList("a", store.StatePlace{}, 9))(p.t)
			same(p.t, "listed", listed[len(listed)-1].Departed != store.Departure{}, true)
		})
	}
}

func agentStates(p *place) {
	p.update(ada, func(w store.Writer) {
		for _, s := range []store.State{state("x", "a", 2), state("y", "b", 3), state("z", "a", 1), state("zz", "a", 1)} {
			must(p.t, w.AgentKeeper().PutState(s))
		}
		fails(p.t, "again", w.AgentKeeper().PutState(state("x", "b", 9)), store.ErrExists)
	})
	from := func(agent string, after store.StatePlace, max int) (got []string) {
		p.view(ada, func(r store.Reader) {
			for _, s := range value(r.Agents().StateList(agent, after, max))(p.t) {
				got = append(got, s.ID)
				same(p.t, "bytes listed", len(s.Document), 0)
			}
		})
		return got
	}
	ids := func(agent string, max int) []string { return from(agent, store.StatePlace{}, max) }
	p.view(ada, func(r store.Reader) {
		same(p.t, "one", value(r.Agents().State("x"))(p.t), state("x", "a", 2))
		_, err := r.Agents().State("none")
		fails(p.t, "none", err, store.ErrNotFound)
	})
	same(p.t, "all", ids("", 9), []string{"y", "x", "zz", "z"})
	same(p.t, "of an agent", ids("a", 9), []string{"x", "zz", "z"})
	same(p.t, "some", ids("a", 2), []string{"x", "zz"})
	same(p.t, "none", len(ids("c", 9))+len(ids("", 0))+len(ids("a", -1)), 0)
	same(p.t, "after one", from("", state("x", "a", 2).Place(), 9), []string{"zz", "z"})
	same(p.t, "after one of its instant", from("", state("zz", "a", 1).Place(), 9), []string{"z"})
	same(p.t, "after one of an agent", from("a", state("x", "a", 2).Place(), 1), []string{"zz"})
	same(p.t, "after one that has gone", from("", state("zzz", "a", 1).Place(), 9), []string{"zz", "z"})
	same(p.t, "after the last", len(from("", state("z", "a", 1).Place(), 9))+len(from("a", state("z", "a", 1).Place(), 9)), 0)
}

// agentIDs reads all ids, by which every agent and checkpoint is reached.
func agentIDs(p *place) {
	long := strings.Repeat("x", 300)
	p.update(ada, func(w store.Writer) {
		for _, a := range []store.Agent{agent("c", 1), agent("a", 1), agent("a", 2), agent("B", 9), agent(long, 1)} {
			must(p.t, w.AgentKeeper().PutAgent(a))
		}
		for _, s := range []store.State{state("z", "a", 1), state("x", long, 2), state("y", "a", 3)} {
			must(p.t, w.AgentKeeper().PutState(s))
		}
	})
	p.update(bob, func(w store.Writer) {
		must(p.t, w.AgentKeeper().PutAgent(agent("d", 1)))
		must(p.t, w.AgentKeeper().PutState(state("v", "a", 1)))
	})
	p.view(ada, func(r store.Reader) {
		same(p.t, "agents", value(r.Agents().AgentIDs("", 9))(p.t), []string{"B", "a", "c", long})
		same(p.t, "some", value(r.Agents().AgentIDs("B", 2))(p.t), []string{"a", "c"})
		same(p.t, "checkpoints", value(r.Agents().StateKeys("", 9))(p.t), []store.StateKey{{ID: "x", Agent: long}, {ID: "y", Agent: "a"}, {ID: "z", Agent: "a"}})
		same(p.t, "some", value(r.Agents().StateKeys("x", 1))(p.t), []store.StateKey{{ID: "y", Agent: "a"}})
		same(p.t, "none", len(value(r.Agents().AgentIDs(long, 9))(p.t))+len(value(r.Agents().AgentIDs("", -1))(p.t))+
			len(value(r.Agents().StateKeys("z", 9))(p.t))+len(value(r.Agents().StateKeys("", 0))(p.t))+len(value(r.Agents().StateKeys("", -1))(p.t)), 0)
	})
}

func agentSpends(p *place) {
	token := store.Spent{Issuer: "i", JTI: "1", Until: birth.Add(time.Minute)}
	p.update(ada, func(w store.Writer) {
		same(p.t, "before", value(w.Agents().IsSpent("i", "1"))(p.t), false)
		must(p.t, w.AgentKeeper().Spend(token, birth))
		fails(p.t, "at once", w.AgentKeeper().Spend(token, birth), store.ErrExists)
	})
	p.view(ada, func(r store.Reader) {
		same(p.t, "after", value(r.Agents().IsSpent("i", "1"))(p.t), true)
		same(p.t, "another", value(r.Agents().IsSpent("i", "2"))(p.t), false)
		same(p.t, "of another", value(r.Agents().IsSpent("j", "1"))(p.t), false)
	})
	for name, now := range map[string]time.Time{"again": birth, "in its last moment": token.Until} {
		p.update(ada, func(w store.Writer) { fails(p.t, name, w.AgentKeeper().Spend(token, now), store.ErrExists) })
	}
	p.update(ada, func(w store.Writer) {
		must(p.t, w.AgentKeeper().Spend(store.Spent{Issuer: "i", JTI: "2", Until: token.Until}, birth))
		must(p.t, w.AgentKeeper().Spend(store.Spent{Issuer: "j", JTI: "1", Until: token.Until}, birth))
	})
	p.update(ada, func(w store.Writer) {
		must(p.t, w.AgentKeeper().Spend(store.Spent{Issuer: "k", JTI: "1", Until: birth.Add(time.Hour)}, token.Until.Add(time.Microsecond)))
		must(p.t, w.AgentKeeper().Spend(token, birth)) // the owner was forgotten
	})
	p.update(bob, func(w store.Writer) { must(p.t, w.AgentKeeper().Unspend("i", "1")) }) // another owner's token
	p.update(ada, func(w store.Writer) {
		fails(p.t, "before it is taken back", w.AgentKeeper().Spend(token, birth), store.ErrExists)
	})
	p.update(ada, func(w store.Writer) {
		must(p.t, w.AgentKeeper().Unspend("i", "1"))
		must(p.t, w.AgentKeeper().Unspend("i", "none"))
		same(p.t, "taken back", value(w.Agents().IsSpent("i", "1"))(p.t), false)
		must(p.t, w.AgentKeeper().Spend(token, birth))
	})
	same(p.t, "Check", value(p.store.Check(p.t.Context()))(p.t), []string{})
}

func agentRaces(p *place) {
	const many = 8
	done := make(chan error, many)
	for range many {
		go func() {
			done <- p.store.Update(p.t.Context(), ada, func(w store.Writer) error {
				if err := w.AgentKeeper().Spend(store.Spent{Issuer: "i", JTI: "1", Until: birth}, birth); err != nil {
					return err
				}
				return w.AgentKeeper().PutState(state("x", "a", 1))
			})
		}()
	}
	well := 0
	for range many {
		if err := <-done; err == nil {
			well++
		} else {
			fails(p.t, "one of many", err, store.ErrExists)
		}
	}
	same(p.t, "landed", well, 1)
}

func agentDropped(p *place) {
	p.update(ada, func(w store.Writer) {
		must(p.t, w.AgentKeeper().PutAgent(agent("a", 1)))
		must(p.t, w.AgentKeeper().PutAgent(agent("a", 2)))
		must(p.t, w.AgentKeeper().PutState(state("x", "a", 1)))
	})
	p.update(bob, func(w store.Writer) {
		fails(p.t, "another's", w.AgentKeeper().DropAgent("a", 2), store.ErrNotFound)
		fails(p.t, "another's", w.AgentKeeper().DropState("x"), store.ErrNotFound)
	})
	p.update(ada, func(w store.Writer) {
		fails(p.t, "no such revision", w.AgentKeeper().DropAgent("a", 3), store.ErrNotFound)
		must(p.t, w.AgentKeeper().DropAgent("a", 2))
		must(p.t, w.AgentKeeper().DropState("x"))
		fails(p.t, "again", w.AgentKeeper().DropState("x"), store.ErrNotFound)
		same(p.t, "newest", value(w.Agents().Agent("a", 0))(p.t).Revision, 1)
		must(p.t, w.AgentKeeper().PutAgent(agent("a", 7)))
		must(p.t, w.AgentKeeper().DropAgent("a", 0))
		same(p.t, "newest", value(w.Agents().Agent("a", 0))(p.t).Revision, 1)
		fails(p.t, "of nobody", w.AgentKeeper().DropAgent("b", 0), store.ErrNotFound)
	})
	p.view(ada, func(r store.Reader) {
		_, bytes, err := r.Usage()
		must(p.t, err)
		same(p.t, "bytes", bytes, int64(len(agent("a", 1).Document)))
	})
	if c, ok := p.store.(store.Compacter); ok {
		same(p.t, "Owed", value(c.Owed(p.t.Context()))(p.t), true)
	}
	same(p.t, "Check", value(p.store.Check(p.t.Context()))(p.t), []string{})
}
