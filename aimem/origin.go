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

// OriginURN returns the original URN that a chunk or an entity names, and "" if it names
// none or no valid one.
func OriginURN(v canon.Value) URN { return urnIn(v, memberOrigin) }

func urnIn(v canon.Value, member string) URN {
	urn := URN(v.Get(member).Text())
	if namespaceOf(urn) == "" {
		return ""
	}
	return urn
}

// WithURN returns an entity for export under another URN. It adds the entity's original
// URN, and its URN here if that is a third one. Under its own URN it is unchanged.
func (e Entity) WithURN(id URN) Entity {
	v := RenameKind(e.value())
	if id != e.ID {
		if OriginURN(v) == "" {
			v = v.With(memberOrigin, canon.String(string(e.ID)))
		}
		if v = v.Without(memberRelay); OriginURN(v) != e.ID {
			v = v.With(memberRelay, canon.String(string(e.ID)))
		}
	}
	return entityFrom(v.With("id", canon.String(string(id))))
}

// ResolveAlias returns the URN of an imported entity: its own, or, if it comes back under
// our alias, the URN behind the alias.
func (m Mapper) ResolveAlias(e Entity) URN {
	for _, member := range []string{memberOrigin, memberRelay} {
		if urn := urnIn(e.Value, member); urn != "" && m.Alias(urn) == e.ID {
			return urn
		}
	}
	return e.ID
}

// Sources returns the URN of the chunk that a record was made from, even if the record
// has changed since, and the original URN of that chunk. It leaves out missing ones.
func Sources(r memory.Record) []URN {
	residue, _ := codec.Residue(r, residueName)
	chunk := residue.Get(residueChunk)
	var all []URN
	for _, urn := range []URN{URN(chunk.Get("id").Text()), OriginURN(chunk)} {
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

// WithoutRecord returns a chunk without the record that it carries. It keeps the consent
// of that record.
func (c Chunk) WithoutRecord() Chunk {
	form := c.Value.Get(memberCarrier).Get(carrierRecord)
	c.Value = c.Value.Without(memberCarrier)
	if form.Has("consent") {
		kept := canon.Object(canon.Member{Name: "consent", Value: form.Get("consent")})
		c.Value = c.Value.With(memberCarrier, canon.Object(canon.Member{Name: "v", Value: canon.Int(1)}, canon.Member{Name: carrierRecord, Value: kept}))
	}
	return c
}
