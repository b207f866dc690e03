package aicf

import "cmp"

// settleVersion finds which version is in effect: the first one declared, or that of the
// dialect, or the lowest that has all that the file uses (A-09, AICF-COMPAT-7).
func (c *Contents) settleVersion() {
	for _, e := range c.Entries {
		if d, ok := e.(*Declaration); ok {
			c.Declared = d.Version
			break
		}
	}
	if v, ok := ParseVersion(c.Declared); ok {
		c.Version = v
		return
	}
	c.Version = cmp.Or(c.Dialect.version(), inferred(c.Entries))
}

func inferred(entries []Entry) Version {
	for _, e := range entries {
		if since31(e) != "" {
			return V31
		}
	}
	return V30
}

// since31 names what an entry has that version 3.0 has not; empty: nothing.
func since31(e Entry) string {
	switch e := e.(type) {
	case *Session:
		return "@SESSION"
	case *Embedding:
		return "@EMBEDDING"
	case *Consolidation:
		return "@CONSOLIDATION"
	case *State:
		return scoped(e)
	case *Insight:
		return classified(e.MemoryType)
	case *Decision:
		return classified(e.MemoryType)
	case *Link:
		if laterRelationships().Has(e.Type) {
			return "the relationship " + string(e.Type)
		}
		return classified(e.MemoryType)
	}
	return ""
}

func classified(w Word) string {
	if w == "" {
		return ""
	}
	return "memory_type"
}

func scoped(s *State) string {
	if s.Scope != ScopeSession && s.Scope != "" {
		return "the scope of a @STATE"
	}
	for _, p := range s.Pairs {
		if p.Scope("") != ScopeSession {
			return "the scope of a key"
		}
	}
	return ""
}

// laterRelationships returns the types of links that version 3.0 does not have
// (AICF-LINKS-4).
func laterRelationships() List { return Relationships()[4:] }
