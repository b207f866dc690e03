package aimem

import (
	"github.com/satchel-memory/satchel/canon"
)

// object collects the members of an object that are there.
type object []canon.Member

func (o *object) add(name string, v canon.Value) { *o = append(*o, canon.Member{Name: name, Value: v}) }

func (o *object) text(name, s string) {
	if s != "" {
		o.add(name, canon.String(s))
	}
}

func (o object) value() canon.Value { return canon.Object(o...) }

// value is the envelope as it is written, without the arrays: its Value, or what
// its fields say.
func (e Envelope) value() canon.Value {
	if e.Value.Type() == canon.TypeObject {
		return e.Value
	}
	var o object
	o.text("format", e.Format)
	o.text("version", e.Version)
	o.text("producer", e.Producer)
	o.text("tenant_id", e.TenantID)
	o.text("exported_at", e.ExportedAt)
	o.text("scope", string(e.Scope))
	o.text("since", e.Since)
	if e.EmbeddingDim != 0 {
		o.add("embedding_dim", canon.Int(int64(e.EmbeddingDim)))
	}
	o.text("embedding_model", e.EmbeddingModel)
	return o.value()
}

// value is the chunk as it is written: its Value, or what its fields say.
func (c Chunk) value() canon.Value {
	if c.Value.Type() == canon.TypeObject {
		return c.Value
	}
	var o object
	o.text("id", string(c.ID))
	o.text("content", c.Content)
	o.text("content_hash", c.Hash)
	o.text("memory_type", string(c.MemoryType))
	o.text("zone", string(c.Zone))
	if c.Pinned {
		o.add("is_pinned", canon.Bool(true))
	}
	o.text("created_at", c.CreatedAt)
	if c.Tags != nil {
		tags := make([]canon.Value, 0, len(c.Tags))
		for _, tag := range c.Tags {
			tags = append(tags, canon.String(tag))
		}
		o.add("tags", canon.Array(tags...))
	}
	o.text("embedding", c.Embedding)
	return o.value()
}

// value is the edge as it is written: its Value, or what its fields say.
func (e Edge) value() canon.Value {
	if e.Value.Type() == canon.TypeObject {
		return e.Value
	}
	var o object
	o.text("source_id", string(e.Source))
	o.text("target_id", string(e.Target))
	o.text("edge_type", e.Type)
	o.add("weight", canon.Number(e.Weight))
	o.text("created_at", e.CreatedAt)
	return o.value()
}

// value is the entity as it is written: its Value, or what its fields say.
func (e Entity) value() canon.Value {
	if e.Value.Type() == canon.TypeObject {
		return e.Value
	}
	var o object
	o.text("id", string(e.ID))
	o.text("name", e.Name)
	o.text("kind", e.Kind)
	o.text("created_at", e.CreatedAt)
	return o.value()
}

// value is the link as it is written: its Value, or what its fields say.
func (l Link) value() canon.Value {
	if l.Value.Type() == canon.TypeObject {
		return l.Value
	}
	var o object
	o.text("chunk_id", string(l.Chunk))
	o.text("entity_id", string(l.Entity))
	return o.value()
}

// chunkFrom reads the fields of a chunk that is known to be one.
func chunkFrom(v canon.Value) Chunk {
	c := Chunk{
		ID: URN(v.Get("id").Text()), Content: v.Get("content").Text(), Hash: v.Get("content_hash").Text(),
		MemoryType: MemoryType(v.Get("memory_type").Text()), Zone: Zone(v.Get("zone").Text()),
		Pinned: v.Get("is_pinned").True(), CreatedAt: v.Get("created_at").Text(),
		Embedding: v.Get("embedding").Text(), Value: v,
	}
	c.Created, _ = instantOf(c.CreatedAt)
	if c.Hash == "" {
		c.Hash = textHash(c.Content)
	}
	for _, tag := range v.Get("tags").Items() {
		c.Tags = append(c.Tags, tag.Text())
	}
	return c
}

// edgeFrom reads the fields of an edge that is known to be one.
func edgeFrom(v canon.Value) Edge {
	return Edge{
		Source: URN(v.Get("source_id").Text()), Target: URN(v.Get("target_id").Text()),
		Type: v.Get("edge_type").Text(), Weight: v.Get("weight").Float(),
		CreatedAt: v.Get("created_at").Text(), Value: v,
	}
}

// entityFrom reads the fields of an entity that is known to be one.
func entityFrom(v canon.Value) Entity {
	return Entity{
		ID: URN(v.Get("id").Text()), Name: v.Get("name").Text(), Kind: v.Get("kind").Text(),
		CreatedAt: v.Get("created_at").Text(), Value: v,
	}
}

// linkFrom reads the fields of a link that is known to be one.
func linkFrom(v canon.Value) Link {
	return Link{Chunk: URN(v.Get("chunk_id").Text()), Entity: URN(v.Get("entity_id").Text()), Value: v}
}
