package belief

import (
	"slices"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/memory"
)

// withoutRejected removes the content of rejected corrections for callers who do not act
// for the owner. The audit trail keeps the rejection (ENGRAM-3.9-CORR-13), but only the
// proposer sees what was proposed.
func (g *lineageSet) withoutRejected(m engram.Memory, c memory.Caller) engram.Memory {
	if c.Speaks() {
		return m
	}
	own := g.proposedBy(c)
	m.Corrections = slices.Clone(m.Corrections)
	for i := range m.Corrections {
		if k := &m.Corrections[i]; k.Status == engram.Rejected && !own[k.ID] {
			k.New, k.Note = "", ""
		}
	}
	return m
}

// proposedBy returns the ids of the corrections that arrived with the caller's token.
func (g *lineageSet) proposedBy(c memory.Caller) map[string]bool {
	own := map[string]bool{}
	for _, l := range g.list {
		for _, p := range l.proposals {
			if from := p.rec.Provenance; from == nil || c.Session == "" || !slices.ContainsFunc(from.Evidence, func(e memory.Evidence) bool { return e.Ref == c.Session }) {
				continue
			}
			said, _ := codec.Residue(p.rec, engram.Name)
			own[said.Get("proposal").Get("id").Text()] = true
		}
	}
	return own
}
