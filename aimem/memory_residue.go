package aimem

import (
	"math"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// The members of body.structured.aimem, the residue of a chunk in a record:
//
//	{"v": 1,
//	 "chunk": the chunk without content, embedding and x_ump,
//	 "text": content_hash of the content, where the chunk has none,
//	 "spelled": [{"name", "json"}] of members that a record cannot hold as they are,
//	 "embedding": {"model", "dim", "data"}, between the stateless forms}
const (
	residueName      = Name
	residueChunk     = "chunk"
	residueText      = "text"
	residueSpelled   = "spelled"
	spelledName      = "name"
	spelledJSON      = "json"
	residueEmbedding = "embedding"
	residueManifest  = "manifest"
)

// recordDepth is the deepest nesting of a value in a record.
const recordDepth = 48

// residueOf returns the residue of a chunk.
func residueOf(chunk canon.Value) canon.Value {
	kept, spelled := splitHoldable(bareChunk(chunk))
	var o object
	o.add("v", canon.Int(1))
	o.add(residueChunk, kept)
	if chunk.Get("content_hash").Type() != canon.TypeString {
		o.add(residueText, canon.String(textHash(chunk.Get("content").Text())))
	}
	if spelled.Len() > 0 {
		o.add(residueSpelled, spelled)
	}
	return o.value()
}

// bareChunk leaves out of a chunk what the record says in another place.
func bareChunk(chunk canon.Value) canon.Value {
	chunk = chunk.Without("content")
	if chunk.Get("embedding").Type() != canon.TypeNull {
		chunk = chunk.Without("embedding")
	}
	if _, ok := carriedRecord(chunk); ok {
		chunk = chunk.Without(memberCarrier)
	}
	return chunk
}

// splitHoldable returns the members of an object that a record can hold, and the others as
// JSON text: members with numbers that a record refuses, nested too deeply, or with a
// member x_ump inside, which no residue keeps.
func splitHoldable(v canon.Value) (kept, spelled canon.Value) {
	var plain object
	var texts []canon.Value
	for _, m := range v.Members() {
		text := m.Value.Append(nil)
		fine := canon.Check(text, canon.Options{Bytes: math.MaxInt64, Depth: recordDepth}) == nil
		if fine && m.Name != memberCarrier && !strings.Contains(string(text), memberCarrier) {
			plain = append(plain, m)
			continue
		}
		texts = append(texts, canon.Object(canon.Member{Name: spelledName, Value: canon.String(m.Name)},
			canon.Member{Name: spelledJSON, Value: canon.String(string(text))}))
	}
	return plain.value(), canon.Array(texts...)
}

// unspell is the inverse of splitHoldable. It skips texts that are not JSON.
func unspell(kept, spelled canon.Value) canon.Value {
	for _, m := range spelled.Items() {
		if v, err := canon.Parse([]byte(m.Get(spelledJSON).Text()), anyJSON); err == nil {
			kept = kept.With(m.Get(spelledName).Text(), v)
		}
	}
	return kept
}

// anyJSON reads JSON whose limits were checked when it was first read.
var anyJSON = canon.Options{Bytes: math.MaxInt64, Depth: 1_000, Inexact: true}

// source is the chunk that a record was made from, by its residue.
type source struct {
	chunk    canon.Value // without content, embedding and x_ump
	id       URN
	sameText bool // the record still says the text that came
}

// sourceOf reads the residue of a chunk. Anybody may have written it: sourceOf ignores
// residue that is not a chunk.
func sourceOf(r memory.Record) (source, bool) {
	residue, _ := codec.Residue(r, residueName)
	if residue.Get("v").Float() != 1 {
		return source{}, false
	}
	chunk := unspell(residue.Get(residueChunk), residue.Get(residueSpelled))
	chunk = bareChunk(RenameKind(chunk))
	if !isChunk(chunk) {
		return source{}, false
	}
	hash := chunk.Get("content_hash")
	if hash.Type() != canon.TypeString {
		hash = residue.Get(residueText)
	}
	return source{chunk: chunk, id: URN(chunk.Get("id").Text()), sameText: hash.Text() == textHash(r.Body.Text)}, true
}

// RenameKind returns a record of a bundle with its member _kind called x_kind: one that
// was kept before such members were refused, which the lines of a stream have for
// their own (decision AD-21).
func RenameKind(v canon.Value) canon.Value {
	if !v.Has(memberKind) {
		return v
	}
	kind := v.Get(memberKind)
	if v = v.Without(memberKind); !v.Has(memberUntagged) {
		v = v.With(memberUntagged, kind)
	}
	return v
}

// memberUntagged is what a member _kind of a record's own is called when it leaves.
const memberUntagged = "x_kind"

// isChunk reports whether v is a chunk without its content (section 2.2).
func isChunk(v canon.Value) bool {
	return v.Type() == canon.TypeObject && isKept(v.Get("created_at").Text()) &&
		namespaceOf(URN(v.Get("id").Text())) != "" &&
		MemoryType(v.Get("memory_type").Text()).known() &&
		(isAbsent(v.Get("zone")) || salienceOf(Zone(v.Get("zone").Text())) != nil) &&
		(isAbsent(v.Get("is_pinned")) || v.Get("is_pinned").Type() == canon.TypeBool) &&
		(isAbsent(v.Get("tags")) || areTags(v.Get("tags"))) &&
		(isAbsent(v.Get("content_hash")) || v.Get("content_hash").Type() == canon.TypeString)
}

// isAbsent reports whether an optional member says nothing (decision AD-6).
func isAbsent(v canon.Value) bool {
	return v.Type() == canon.TypeUndefined || v.Type() == canon.TypeNull
}

// areTags reports whether v may be tags: texts of 1 to 64 codepoints.
func areTags(v canon.Value) bool {
	for _, tag := range v.Items() {
		if !isTag(tag) {
			return false
		}
	}
	return v.Type() == canon.TypeArray
}

// recordFrame is more than the members of a record take that do not grow with its
// chunk.
const recordFrame = 8 << 10

// mostRecord is the most bytes of a record that every reader takes.
func mostRecord() int { return int(codec.Limits{}.Filled().Record) }

// fitsRecord reports whether the record of a chunk is one that every reader takes:
// it says the text, the tags, and in its residue all but text and embedding again.
func fitsRecord(r record) bool {
	if r.size < mostRecord()/8 { // members become longer as strings of JSON
		return true
	}
	chunk := r.value
	if _, ours := carriedRecord(chunk); ours {
		chunk = chunk.Without(memberCarrier)
	}
	size := recordFrame
	for _, v := range []canon.Value{chunk.Get("content"), chunk.Get("tags"), residueOf(chunk)} {
		if v.Type() != canon.TypeUndefined {
			size += len(v.Append(nil))
		}
	}
	return size <= mostRecord()
}
