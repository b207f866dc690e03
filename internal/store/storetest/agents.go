package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
)

var agentTests = []test{
	{"AAIF-4.1-6 an agent has revisions", agentRevisions},
	{"AAIF-4.1-6 a definition is found by what it says", agentDigests},
	{"agents are listed in the order of their ids", agentLists},
	{"agents and checkpoints are reached by their ids", agentIDs},
	{"AAIF-8.2-8 a token is spent once", agentSpends},
	{"AAIF-8.2-8 of many who spend a token one does", agentRaces},
	{"agents count with what they say", agentUsage},
	{"erasing an owner takes the agents along", agentErased},
	{"agents of two owners", agentOwners},
	{"agents and checkpoints are removed", agentDropped},
	{"a failed update files no agent", agentFails},
}

// stateTests hold for every store of checkpoints (AAIF-11-7).
var stateTests = []test{
	{"AAIF-8-1 checkpoints", agentStates},
	{"AAIF-8.2-1 checkpoints that leave", agentLeaves},
}

// agent makes a revision of an agent.
func agent(id string, revision int64) store.Agent {
	return store.Agent{ID: id, Revision: revision, Digest: fmt.Sprint("digest ", id, revision), Came: fmt.Sprint("came ", id, revision),
		Version: "1.2.3", Name: "the \x00 name", Status: "active", Signer: "did:key:signer", Received: birth.Add(time.Duration(revision)),
		Document: fmt.Appendf(nil, `{"agent_id":%q}`, id)}
}

// filed returns the agent as a store returns it.
func filed(a store.Agent) store.Agent { a.Received = a.Received.Truncate(time.Microsecond); return a }

func agentRevisions(p *place) {
	p.view(ada, func(r store.Reader) {
		_, err := r.Agents().Agent("a", 0)
		fails(p.t, "of nobody", err, store.ErrNotFound)
	})
	long := strings.Repeat("x", 300)
	p.update(ada, func(w store.Writer) {
		for _, a := range []store.Agent{agent("a", 1), agent("a", 2), agent("b", 1), agent(long, 1), agent(long+"y", 7)} {
			must(p.t, w.AgentKeeper().PutAgent(a))
		}
		fails(p.t, "again", w.AgentKeeper().PutAgent(agent("a", 2)), store.ErrExists)
		same(p.t, "its own writes", value(w.Agents().Agent("a", 0))(p.t).Revision, 2)
	})
	p.view(ada, func(r store.Reader) {
		same(p.t, "newest", value(r.Agents().Agent("a", 0))(p.t), filed(agent("a", 2)))
		same(p.t, "first", value(r.Agents().Agent("a", 1))(p.t), filed(agent("a", 1)))
		same(p.t, "of a long id", value(r.Agents().Agent(long, 0))(p.t), filed(agent(long, 1)))
		for _, x := range []struct {
			id       string
			revision int64
		}{{"a", 3}, {"A", 0}, {"", 0}, {long + "z", 0}, {"a", -1}} {
			_, err := r.Agents().Agent(x.id, x.revision)
			fails(p.t, fmt.Sprint(x), err, store.ErrNotFound)
		}
	})
}

func agentDigests(p *place) {
	again := agent("a", 3)
	again.Digest = agent("a", 1).Digest
	other := agent("b", 1)
	other.Came = agent("a", 2).Came
	p.update(ada, func(w store.Writer) {
		for _, a := range []store.Agent{agent("a", 1), agent("a", 2), again, other} {
			must(p.t, w.AgentKeeper().PutAgent(a))
		}
	})
	p.view(ada, func(r store.Reader) {
		same(p.t, "the newest that says so", value(r.Agents().AgentAs("a", again.Digest))(p.t), filed(again))
		same(p.t, "another", value(r.Agents().AgentAs("a", agent("a", 2).Digest))(p.t).Revision, 2)
		same(p.t, "as it came", value(r.Agents().AgentAs("", agent("a", 1).Came))(p.t).Revision, 1)
		same(p.t, "as two came", value(r.Agents().AgentAs("", other.Came))(p.t).ID, "b")
		for _, x := range [][2]string{{"b", again.Digest}, {"a", "none"}, {"", "none"}, {"a", again.Came}, {"", again.Digest}} {
			_, err := r.Agents().AgentAs(x[0], x[1])
			fails(p.t, fmt.Sprint(x), err, store.ErrNotFound)
		}
	})
}

func agentLists(p *place) {
	p.update(ada, func(w store.Writer) {
		for _, a := range []store.Agent{agent("c", 1), agent("a", 1), agent("b", 1), agent("b", 2), agent("B", 9), agent("b", 3)} {
			must(p.t, w.AgentKeeper().PutAgent(a))
		}
	})
	list := func(after string, max int) (got []string) {
		p.view(ada, func(r store.Reader) {
			for _, a := range value(r.Agents().AgentList(after, max))(p.t) {
				got = append(got, fmt.Sprint(a.ID, a.Revision))
				same(p.t, "listed", a, filed(agent(a.ID, a.Revision)))
			}
		})
		return got
	}
	same(p.t, "all", list("", 9), []string{"B9", "a1", "b3", "c1"})
	same(p.t, "some", list("", 2), []string{"B9", "a1"})
	same(p.t, "after one", list("a", 9), []string{"b3", "c1"})
	same(p.t, "after none", list("bb", 9), []string{"c1"})
	same(p.t, "at the end", len(list("c", 9))+len(list("", 0))+len(list("", -1)), 0)
}

func agentUsage(p *place) {
	a, s := agent("a", 1), state("x", "a", 1)
	p.insert(ada, row(1))
	p.update(ada, func(w store.Writer) {
		must(p.t, w.AgentKeeper().PutAgent(a))
		must(p.t, w.AgentKeeper().PutState(s))
		must(p.t, w.AgentKeeper().Spend(store.Spent{Issuer: "i", JTI: "1", Until: birth}, birth))
	})
	p.view(ada, func(r store.Reader) {
		records, bytes, err := r.Usage()
		must(p.t, err)
		same(p.t, "records", records, 1)
		same(p.t, "bytes", bytes, int64(len(a.Document)+len(s.Document)+len(row(1).Origin)))
	})
	same(p.t, "Check", value(p.store.Check(p.t.Context()))(p.t), []string{})
}

func agentErased(p *place) {
	for range 2 { // the same agent can come again
		p.update(ada, func(w store.Writer) {
			must(p.t, w.AgentKeeper().PutAgent(agent("a", 1)))
			must(p.t, w.AgentKeeper().PutState(state("x", "a", 1)))
			must(p.t, w.AgentKeeper().Spend(store.Spent{Issuer: "i", JTI: "1", Until: birth}, birth))
		})
		p.update(ada, func(w store.Writer) { must(p.t, w.EraseOwner()) })
		p.view(ada, func(r store.Reader) {
			_, err := r.Agents().Agent("a", 0)
			fails(p.t, "Agent", err, store.ErrNotFound)
			_, err = r.Agents().State("x")
			fails(p.t, "State", err, store.ErrNotFound)
			same(p.t, "lists", len(value(r.Agents().AgentList("", 9))(p.t))+len(value(r.Agents().StateList("", store.StatePlace{}, 9))(p.t)), 0)
		})
		same(p.t, "Check", value(p.store.Check(p.t.Context()))(p.t), []string{})
	}
}

func agentOwners(p *place) {
	p.update(ada, func(w store.Writer) {
		must(p.t, w.AgentKeeper().PutAgent(agent("a", 1)))
		must(p.t, w.AgentKeeper().PutState(state("x", "a", 1)))
		must(p.t, w.AgentKeeper().Spend(store.Spent{Issuer: "i", JTI: "1", Until: birth}, birth))
	})
	p.update(bob, func(w store.Writer) {
		_, err := w.Agents().Agent("a", 0)
		fails(p.t, "Agent", err, store.ErrNotFound)
		_, err = w.Agents().AgentAs("", agent("a", 1).Came)
		fails(p.t, "AgentAs", err, store.ErrNotFound)
		_, err = w.Agents().State("x")
		fails(p.t, "State", err, store.ErrNotFound)
		same(p.t, "lists", len(value(w.Agents().AgentList("", 9))(p.t))+len(value(w.Agents().StateList("", store.StatePlace{}, 9))(p.t))+len(value(w.Agents().StateList("a", store.StatePlace{}, 9))(p.t)), 0)
		same(p.t, "spent", value(w.Agents().IsSpent("i", "1"))(p.t), false)
		must(p.t, w.AgentKeeper().PutAgent(agent("a", 1)))
		must(p.t, w.AgentKeeper().Spend(store.Spent{Issuer: "i", JTI: "1", Until: birth}, birth.Add(time.Hour)))
	})
	p.update(bob, func(w store.Writer) { must(p.t, w.EraseOwner()) })
	p.update(ada, func(w store.Writer) {
		value(w.Agents().Agent("a", 1))(p.t)
		value(w.Agents().State("x"))(p.t)
		fails(p.t, "spent", w.AgentKeeper().Spend(store.Spent{Issuer: "i", JTI: "1", Until: birth}, birth), store.ErrExists)
	})
}

func agentFails(p *place) {
	err := p.store.Update(p.t.Context(), ada, func(w store.Writer) error {
		must(p.t, w.AgentKeeper().PutAgent(agent("a", 1)))
		must(p.t, w.AgentKeeper().PutState(state("x", "a", 1)))
		must(p.t, w.AgentKeeper().Spend(store.Spent{Issuer: "i", JTI: "1", Until: birth}, birth))
		return store.ErrAltered
	})
	fails(p.t, "Update", err, store.ErrAltered)
	p.update(ada, func(w store.Writer) {
		same(p.t, "lists", len(value(w.Agents().AgentList("", 9))(p.t))+len(value(w.Agents().StateList("", store.StatePlace{}, 9))(p.t)), 0)
		must(p.t, w.AgentKeeper().Spend(store.Spent{Issuer: "i", JTI: "1", Until: birth}, birth))
	})
}
