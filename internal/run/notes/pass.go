package notes

import (
	"context"
	"slices"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/vault/notestore"
)

// PassedNotes says what an agent may read of another agent's notes in the same run. It may write
// none of them. The zero PassedNotes passes nothing.
type PassedNotes struct {
	Agent    string   // id of the other agent
	LongTerm bool     // its long_term notes
	Keys     []string // its notes of these keys
}

// passed returns the notes that another agent passes on, if there is one: those of this person, this
// session and this run, and of scope long_term (AAIF-4.3-20, AAIF-4.3-21).
func (m *Memory) passed(ctx context.Context) ([]notestore.Note, error) {
	p := m.o.Passed
	if p.Agent == "" {
		return nil, nil
	}
	all, err := m.o.Store.List(ctx, m.o.Caller, p.Agent, m.o.Run)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(n notestore.Note) bool {
		own := m.name(aaif.Scope(n.Scope), n.Key)
		own.Agent = p.Agent
		return n.Name != own || !slices.Contains(p.Keys, n.Key) && !(p.LongTerm && n.Scope == string(aaif.LongTermScope))
	}), nil
}
