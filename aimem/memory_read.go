package aimem

import (
	"encoding/base64"
	"strings"

	"github.com/satchel-memory/satchel/canon"
)

// vectors is how embeddings are spelled: padded, nothing between (decision AD-15).
var vectors = base64.StdEncoding.Strict()

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

// isEdge reports whether v may stand among the edges (section 2.4).
func isEdge(v canon.Value) bool {
	e := edgeFrom(v)
	_, timed := instantOf(e.CreatedAt)
	return v.Type() == canon.TypeObject && !v.Has(memberKind) && timed && v.Get("weight").Type() == canon.TypeNumber &&
		e.Weight >= 0 && e.Weight <= 1 && e.Type == edgeTypeOf(e.Type)
}

// isEntity reports whether v may stand among the entities (section 2.5).
func isEntity(v canon.Value) bool {
	e := entityFrom(v)
	_, timed := instantOf(e.CreatedAt)
	return v.Type() == canon.TypeObject && !v.Has(memberKind) && timed && namespaceOf(e.ID) != "" && e.Name != "" && isEntityKind(e.Kind)
}

func isEntityKind(kind string) bool {
	switch kind {
	case "person", "organization", "place", "technology", "concept":
		return true
	}
	return len(kind) > len("x-") && kind[:2] == "x-"
}

// isURI reports whether s may be a tenant (decision AD-13).
func isURI(s string) bool {
	scheme, rest, ok := strings.Cut(s, ":")
	return ok && rest != "" && scheme != "" && len(s) <= 2048 && !strings.ContainsAny(s, " \t\r\n")
}
