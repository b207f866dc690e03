package aimemsuite

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/satchel-memory/satchel/canon"
)

// sample is an unsealed bundle of the run.
type sample struct{ canon.Value }

// The arrays of a bundle.
const (
	chunks   = "chunks"
	edges    = "edges"
	entities = "entities"
	links    = "chunk_entities"
)

// blank returns a bundle without records.
func (r *run) blank() sample {
	return sample{object(`{"format":"aimem-bundle","version":"1","producer":%q,"tenant_id":"11111111-1111-4111-8111-111111111111",
		"exported_at":"2026-06-12T10:00:00Z","scope":"FULL","chunks":[],"edges":[],"entities":[],"chunk_entities":[]}`, r.producer)}
}

// sample returns a bundle of two new chunks, a new edge, a new entity and a new link.
func (r *run) sample() sample {
	b, a, z, e := r.blank(), r.urn("a"), r.urn("z"), r.urn("entity")
	b.Value = b.With(chunks, canon.Array(r.chunk(a), r.chunk(z)))
	b.Value = b.With(edges, canon.Array(object(`{"source_id":%q,"target_id":%q,"edge_type":"semantic","weight":0.5,"created_at":"2026-04-02T09:30:00Z"}`, a, z)))
	b.Value = b.With(entities, canon.Array(object(`{"id":%q,"name":"Thing %s%d","kind":"concept","created_at":"2026-04-02T09:30:00Z"}`, e, r.nonce, r.serial)))
	b.Value = b.With(links, canon.Array(object(`{"chunk_id":%q,"entity_id":%q}`, a, e)))
	return b
}

// single returns a bundle of one chunk, changed by edits such as "zone=\"critical\""; see
// [edited].
func (r *run) single(edits ...string) sample {
	b := r.blank()
	b.Value = b.With(chunks, canon.Array(r.chunk(r.urn("s"))))
	return b.edit(chunks, edits...)
}

// urn returns a new id.
func (r *run) urn(kind string) string {
	r.serial++
	return fmt.Sprintf("urn:aimem:%s:%s-%d", r.producer, kind, r.serial)
}

// chunk returns a chunk with new content.
func (r *run) chunk(id string) canon.Value {
	r.serial++
	return object(`{"id":%q,"content":"Sample %s %d of a conformance run.","memory_type":"fact","zone":"standard","is_pinned":false,
		"created_at":"2026-04-01T09:30:00Z","tags":["conformance"]}`, id, r.nonce, r.serial)
}

// junk returns a value that no member of a bundle may have.
func (r *run) junk() canon.Value { return canon.String("junk") }

// at returns the n-th record of an array.
func (s sample) at(array string, n int) canon.Value {
	items := s.Get(array).Items()
	if n >= len(items) {
		return canon.Value{}
	}
	return items[n]
}

// put replaces the n-th record of an array, or appends to it.
func (s sample) put(array string, n int, v canon.Value) sample {
	items := append([]canon.Value{}, s.Get(array).Items()...)
	if n < len(items) {
		items[n] = v
	} else {
		items = append(items, v)
	}
	return sample{s.With(array, canon.Array(items...))}
}

// edit changes the first record of an array; "" is the envelope.
func (s sample) edit(array string, edits ...string) sample {
	if array == "" {
		return sample{edited(s.Value, edits...)}
	}
	return s.put(array, 0, edited(s.at(array, 0), edits...))
}

// edited changes members: "zone=\"critical\"" sets a member to JSON, "zone" removes it.
func edited(v canon.Value, edits ...string) canon.Value {
	for _, e := range edits {
		name, text, sets := strings.Cut(e, "=")
		if !sets {
			v = v.Without(name)
			continue
		}
		v = v.With(name, object("%s", text))
	}
	return v
}

// sealed adds the checksum (section 2.8).
func (s sample) sealed() canon.Value { return s.With("checksum", canon.String(checksumOf(s.Value))) }

// checksumOf computes the checksum of a bundle, which may already have one.
func checksumOf(v canon.Value) string { return hashed(v.Without("checksum").AppendCanonical(nil)) }

func hashed(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// object parses JSON that the suite built. Invalid JSON becomes undefined, which no server
// accepts.
func object(format string, args ...any) canon.Value {
	v, _ := parse([]byte(fmt.Sprintf(format, args...)))
	return v
}

// found returns the chunk of an export with the given content, or undefined. The server may
// have given the chunk another id.
func found(bundle canon.Value, content string) canon.Value {
	for _, c := range bundle.Get(chunks).Items() {
		if c.Get("content").Text() == content {
			return c
		}
	}
	return canon.Value{}
}

// taken imports a bundle and returns the export that has it.
func (r *run) taken(s sample) (canon.Value, error) {
	if err := r.takes(s.sealed()); err != nil {
		return canon.Value{}, err
	}
	v, err := r.export("")
	if err != nil {
		return v, err
	}
	for n := range s.Get(chunks).Items() {
		if found(v, s.content(n)).Type() == canon.TypeUndefined {
			return v, errors.New("an export lacks a chunk that was imported")
		}
	}
	return v, nil
}

// content returns the content of the n-th chunk.
func (s sample) content(n int) string { return s.at(chunks, n).Get("content").Text() }
