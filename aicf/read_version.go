package aicf

import "cmp"

// settleVersion finds the effective version: the first declared one, the dialect's, or the
// lowest with all features of the file (A-09, AICF-COMPAT-7).
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

// since31 returns the feature of an entry that 3.0 lacks; empty: none.
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

// laterRelationships returns the link types that 3.0 lacks (AICF-LINKS-4).
func laterRelationships() List { return Relationships()[4:] }
