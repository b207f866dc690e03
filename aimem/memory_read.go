package aimem

import "github.com/satchel-memory/satchel/canon"

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
