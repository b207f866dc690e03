package aimem

import (
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// The members that say where a chunk or an entity came from (decision AD-7).
const (
	memberOrigin = "x_origin_id" // the URN that it had first
	// memberRelay is, of an entity that came through another store, the URN that it
	// had there. It is written beside memberOrigin and means nothing to anybody but
	// whoever made the alias that stands beside it.
	memberRelay = "x_relay_id"
)

// CameFrom returns where a chunk or an entity says that it came from, and "" where
// it says nothing, or what is no URN.
func CameFrom(v canon.Value) URN { return urnIn(v, memberOrigin) }

func urnIn(v canon.Value, member string) URN {
	urn := URN(v.Get(member).Text())
	if namespaceOf(urn) == "" {
		return ""
	}
	return urn
}

// Renamed returns an entity as it leaves under another URN: it says where it came
// from first, and under which URN it stands here if that is neither. Under its own
// URN it is as it was.
func (e Entity) Renamed(id URN) Entity {
	v := Untagged(e.value())
	if id != e.ID {
		if CameFrom(v) == "" {
			v = v.With(memberOrigin, canon.String(string(e.ID)))
		}
		if v = v.Without(memberRelay); CameFrom(v) != e.ID {
			v = v.With(memberRelay, canon.String(string(e.ID)))
		}
	}
	return entityFrom(v.With("id", canon.String(string(id))))
}

// CameAs returns the URN under which an entity stands that comes: its own, or, of
// one that comes back under our alias, the one that the alias stands for.
func (m Mapper) CameAs(e Entity) URN {
	for _, member := range []string{memberOrigin, memberRelay} {
		if urn := urnIn(e.Value, member); urn != "" && m.Alias(urn) == e.ID {
			return urn
		}
	}
	return e.ID
}

// Sources returns the URN of the chunk that a record was made of, whatever the
// record says now, and where that said that it came from: those of both that there
// are.
func Sources(r memory.Record) []URN {
	residue, _ := codec.Residue(r, residueName)
	chunk := residue.Get(residueChunk)
	var all []URN
	for _, urn := range []URN{URN(chunk.Get("id").Text()), CameFrom(chunk)} {
		if urn != "" {
			all = append(all, urn)
		}
	}
	return all
}

// CarriedID returns the id of the record that a chunk carries in x_ump; "": none.
func (c Chunk) CarriedID() memory.ID {
	return memory.ID(c.Value.Get(memberCarrier).Get(carrierRecord).Get("id").Text())
}

// WithoutRecord returns a chunk without the record that it carries, of which
// nothing but its consent is left.
func (c Chunk) WithoutRecord() Chunk {
	form := c.Value.Get(memberCarrier).Get(carrierRecord)
	c.Value = c.Value.Without(memberCarrier)
	if form.Has("consent") {
		kept := canon.Object(canon.Member{Name: "consent", Value: form.Get("consent")})
		c.Value = c.Value.With(memberCarrier, canon.Object(canon.Member{Name: "v", Value: canon.Int(1)}, canon.Member{Name: carrierRecord, Value: kept}))
	}
	return c
}
