package aicf

import (
	"slices"

	"github.com/satchel-memory/satchel/codec"
)

// downgrade returns the entries of version 3.0, and what it lacks. It does not
// change the given entries.
func downgrade(entries []Entry) ([]Entry, []codec.Loss) {
	d := &downgrader{gone: sectionsOf31(entries)}
	for i, e := range entries {
		if i > 0 && d.section(entries[i-1]) && separates(e) {
			continue // of a missing section
		}
		d.entry(e)
	}
	return d.kept, d.losses
}

type downgrader struct {
	kept   []Entry
	gone   map[string]bool // ids of sections that 3.0 lacks
	losses []codec.Loss
}

// sectionsOf31 returns the ids of sections that came with 3.1.
func sectionsOf31(entries []Entry) map[string]bool {
	gone := map[string]bool{}
	for _, e := range entries {
		switch e := e.(type) {
		case *Session:
			gone[e.ID] = true
		case *Consolidation:
			gone[e.ID] = true
		}
	}
	for _, e := range entries {
		if c, ok := e.(*Conversation); ok {
			delete(gone, c.ID)
		}
	}
	return gone
}

// section reports whether an entry is a section that 3.0 lacks.
func (*downgrader) section(e Entry) bool {
	switch e.(type) {
	case *Session, *Embedding, *Consolidation:
		return true
	}
	return false
}

func (d *downgrader) lose(e Entry, why string) { d.losses = append(d.losses, LossOf(e, why)) }

// entry adds what 3.0 has of an entry.
func (d *downgrader) entry(e Entry) {
	switch e := e.(type) {
	case *Session:
		d.lose(e, "3.0 has no @SESSION") // AICF-SESSION-10
	case *Embedding:
		d.lose(e, "3.0 has no @EMBEDDING")
	case *Consolidation:
		d.lose(e, "3.0 has no @CONSOLIDATION")
	case *Insight:
		c := *e
		c.MemoryType = d.memoryType(e, e.MemoryType)
		d.kept = append(d.kept, &c)
	case *Decision:
		c := *e
		c.MemoryType = d.memoryType(e, e.MemoryType)
		d.kept = append(d.kept, &c)
	case *Link:
		d.link(e)
	case *State:
		d.kept = append(d.kept, d.flat(e))
	default:
		d.kept = append(d.kept, e)
	}
}

// flat moves the state of the user or the app into the state of the conversation, with the
// scope in the key.
func (d *downgrader) flat(e *State) *State {
	flat := *e
	if e.Scope != ScopeTemp {
		flat.Scope = ScopeSession
	}
	flat.Pairs = slices.Clone(e.Pairs)
	moved := false
	for i, p := range e.Pairs {
		if scope := p.Scope(e.Scope); scope != ScopeSession && scope != ScopeTemp {
			flat.Pairs[i].Key = string(scope) + "_" + p.Name()
			moved = true
		}
	}
	if moved || e.Scope != "" && flat.Scope != e.Scope {
		d.lose(e, "3.0 has no scopes of state: the scope becomes part of the keys")
	}
	return &flat
}

// memoryType drops a memory type. That is a loss unless the type is the default.
func (d *downgrader) memoryType(e Entry, kind Word) Word {
	if kind != "" && kind != Semantic {
		d.lose(e, "3.0 has no memory_type: "+string(kind))
	}
	return ""
}

// link maps the types of 3.1 (AICF-LINKS-4), and drops links to and from missing entries.
func (d *downgrader) link(e *Link) {
	if d.gone[e.From] || d.gone[e.To] {
		d.lose(e, "the link is from or to a section that 3.0 does not have")
		return
	}
	c := *e
	c.MemoryType = d.memoryType(e, e.MemoryType)
	switch e.Type {
	case "semantic_cluster", "temporal_sequence", "causal_relationship":
		d.lose(e, "3.0 has no links of type "+string(e.Type)+": it becomes "+string(RelatedTo))
		c.Type = RelatedTo
	}
	d.kept = append(d.kept, &c)
}
