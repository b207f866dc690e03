package belief

import (
	"slices"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/memory"
)

// withoutRejected takes from corrections what their owner rejected, for those who do not
// act for the owner: that something was rejected stays in the audit trail
// (ENGRAM-3.9-CORR-13), but what that was is told to nobody who did not propose it.
func (g *gathered) withoutRejected(m engram.Memory, c memory.Caller) engram.Memory {
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

// proposedBy are the corrections that came in with the caller's token, by their ids.
func (g *gathered) proposedBy(c memory.Caller) map[string]bool {
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
