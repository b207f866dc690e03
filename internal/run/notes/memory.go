package notes

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/policy"
	"github.com/satchel-memory/satchel/internal/run/trace"
	"github.com/satchel-memory/satchel/internal/vault/notestore"
	"github.com/satchel-memory/satchel/memory"
)

// Options say whose memory a run has, and what holds for it.
type Options struct {
	Store      *notestore.Service
	Caller     memory.Caller // the owner
	Definition aaif.Definition
	Over       []aaif.Definition // the agents that the agent works for, whose rules hold as well
	Run        string
	User       string // the person; empty: the owner
	Session    string // the session that the run is part of; empty: the run is one of its own
	Passed     PassedNotes
	// State is the checkpoint that the run goes on from, and Came the time of its arrival. The
	// zero State has no memory.
	State aaif.State
	Came  time.Time
	// Meaning compares texts by their meaning; nil: there is no server of embeddings.
	Meaning Meaning
	// Misplaced is why the server of embeddings may not get the agent's data (AAIF-4.9-6); empty:
	// it may.
	Misplaced string
	Now       func() time.Time
	Spans     trace.Spans // records reads and writes (AAIF-4.7-5)
	Ended     bool        // nothing is written any more
}

// Meaning compares texts by their meaning.
type Meaning interface {
	// Alike returns how close texts are to a question, 0 to 1 for each. notice says in words why
	// they were not compared; else it is empty.
	Alike(ctx context.Context, owner memory.DID, question string, texts []string) (near []float64, notice string, err error)
}

// Memory is what an agent remembers in a run. It is safe for concurrent use.
type Memory struct {
	o        Options
	personal policy.Personal
	rules    aaif.Rules
	scopes   []aaif.Scope // of which the run has memory, in the order of the definition

	mu      sync.Mutex
	pending []run.Note // to be told at the next turn
	told    string     // what the last turn was reminded of
}

var _ run.Memory = (*Memory)(nil)

// Open returns the memory of a run, after what the definition declares and what the checkpoint
// brings was written, each once. It returns nil if the agent has no memory.
func Open(ctx context.Context, o Options) (*Memory, error) {
	m := &Memory{o: o, personal: policy.NewPersonal(o.Definition, o.Over...), rules: aaif.RulesUnder(o.Definition, o.Over)}
	for _, e := range o.Definition.Agent.Memory {
		m.has(e.Scope)
	}
	for _, it := range o.State.Memory {
		m.has(it.Scope)
	}
	if len(m.scopes) == 0 && o.Passed.Agent == "" {
		return nil, nil
	}
	if o.Ended {
		return m, nil
	}
	return m, m.begin(ctx)
}

func (m *Memory) has(s aaif.Scope) {
	if known(s) && !slices.Contains(m.scopes, s) {
		m.scopes = append(m.scopes, s)
	}
}

// known reports whether a scope is one of the four.
func known(s aaif.Scope) bool {
	switch s {
	case aaif.UserScope, aaif.SessionScope, aaif.TaskScope, aaif.LongTermScope:
		return true
	}
	return false
}

// agent returns the id of the agent.
func (m *Memory) agent() string { return m.o.Definition.ID }

// entry returns the declaration for a scope and a key: that of the key, or the first one of the
// scope.
func (m *Memory) entry(s aaif.Scope, key string) aaif.MemoryEntry {
	first := aaif.MemoryEntry{Scope: s}
	for _, e := range slices.Backward(m.o.Definition.Agent.Memory) {
		if e.Scope == s {
			first = e
		}
	}
	for i, e := range m.o.Definition.Agent.Memory {
		if e.Scope == s && keyOf(e, i) == key {
			return e
		}
	}
	return first
}

// place is what spans name as the backend of memory, whichever the definition wishes for.
const place = "satchel"

// mostItems is the default of top_k (AAIF-4.5-13).
const mostItems = 5

func topOf(e aaif.MemoryEntry) int { return cmp.Or(max(e.TopK, 0), mostItems) }

// name returns the name of a note of this run.
func (m *Memory) name(s aaif.Scope, key string) notestore.Name {
	n := notestore.Name{Agent: m.agent(), Scope: string(s), Key: key}
	switch s {
	case aaif.UserScope:
		n.User = m.o.User
	case aaif.SessionScope:
		n.User, n.Session = m.o.User, m.o.Session
		if n.Session == "" {
			n.Run = m.o.Run
		}
	case aaif.TaskScope:
		n.User, n.Run = m.o.User, m.o.Run
	}
	return n
}

// mine reports whether the run may read a note of its agent (AAIF-4.5-4, AAIF-4.5-5, AAIF-4.5-7).
func (m *Memory) mine(n notestore.Note) bool {
	return n.Name == m.name(aaif.Scope(n.Scope), n.Key) && slices.Contains(m.scopes, aaif.Scope(n.Scope))
}

// list returns the notes that the run may read, oldest first, in the form that the policy for
// personal data allows.
func (m *Memory) list(ctx context.Context) ([]notestore.Note, error) {
	all, err := m.o.Store.List(ctx, m.o.Caller, m.agent(), m.o.Run)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(n notestore.Note) bool { return !m.mine(n) })
	passed, err := m.passed(ctx)
	if err != nil {
		return nil, err
	}
	all = append(all, passed...)
	if pii := m.rules.PII; pii == aaif.PIINone || pii == aaif.PIIDetect || pii == aaif.PIIEncrypt {
		return all, nil
	}
	var allowed []notestore.Note
	for _, n := range all {
		text, _, err := m.personal.Text(n.Text)
		if err != nil {
			continue // written before the policy refused it
		}
		n.Text = text
		allowed = append(allowed, n)
	}
	return allowed, nil
}

// note tells something at the next turn.
func (m *Memory) note(code, text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pending = append(m.pending, run.Note{Code: code, Text: text})
}
