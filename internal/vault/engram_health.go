package vault

import (
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/memory"
)

// byChoice lets wait for the owner what somebody else concluded about the owner's health:
// such beliefs are kept by explicit choice alone (ENGRAM-3.4-30). What the person said
// is chosen.
func byChoice(rec memory.Record, c memory.Caller) memory.Record {
	said, _ := codec.Residue(rec, engram.Name)
	health := said.Get("belief").Get("category").Text() == string(engram.Health)
	stated := rec.Provenance != nil && rec.Provenance.ActorKind == memory.ByUser
	if health && !stated && c.Role != memory.Owner && rec.Lifecycle.Status.Or() == memory.Active {
		rec.Lifecycle.Status = memory.Candidate
	}
	return rec
}
