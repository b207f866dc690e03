package aimem

import (
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/pattern"
)

// partEnding is what follows the id of the first chunk in that of a further one.
var partEnding = pattern.New(`^(.+)\.p([1-9][0-9]?)$`)

// partURN names the n-th chunk of a text that was split; the first keeps the name.
func partURN(name URN, n int) URN {
	if n == 1 {
		return name
	}
	return name + URN(".p"+strconv.Itoa(n))
}

// partsOf returns into how many chunks a text was split of which this is the first;
// 1: it was not.
func partsOf(chunk canon.Value) int {
	x, ok := carriedRecord(chunk)
	if n := x.Get(carrierParts).Float(); ok && n > 1 && n <= maxParts {
		return int(n)
	}
	return 1
}

// joinParts returns a chunk with all of its text, or which chunk it continues (mapping
// section 5). A part whose first chunk is not there stands by itself, and so does a
// first one some part of which is not.
func joinParts(c Chunk, around Graph) (whole Chunk, partOf URN, err error) {
	if first, n, ok := c.ID.PartOf(); ok && around.Has(first) {
		head, err := around.Chunk(first)
		if err != nil {
			return Chunk{}, "", err
		}
		if n <= partsOf(head.Value) && hasAllParts(head, around) {
			return Chunk{}, first, nil
		}
	}
	parts := partsOf(c.Value)
	whole = c
	whole.Value = wholeValue(c)
	if parts == 1 || !hasAllParts(c, around) {
		return whole, "", nil
	}
	var text strings.Builder
	text.WriteString(c.Content)
	for n := 2; n <= parts; n++ {
		part, err := around.Chunk(partURN(c.ID, n))
		if err != nil {
			return Chunk{}, "", err
		}
		text.WriteString(part.Content)
	}
	whole.Content, whole.Hash, whole.Embedding = text.String(), textHash(text.String()), ""
	whole.Value = whole.Value.Without("embedding").
		With("content", canon.String(whole.Content)).With("content_hash", canon.String(whole.Hash))
	return whole, "", nil
}

// wholeValue is a chunk as it was received, without our x_ump.
func wholeValue(c Chunk) canon.Value {
	if _, ours := carriedRecord(c.Value); ours {
		return c.Value.Without(memberCarrier)
	}
	return c.value()
}

func hasAllParts(head Chunk, around Graph) bool {
	for n := 2; n <= partsOf(head.Value); n++ {
		if !around.Has(partURN(head.ID, n)) {
			return false
		}
	}
	return true
}

// PartOf takes the name of a chunk apart that may continue a text: that of the chunk
// which begins the text, and the number of this one, from 2. It is false for every
// other name. A chunk with such a name need not be a part.
func (id URN) PartOf() (first URN, n int, ok bool) {
	m := partEnding.FindStringSubmatch(string(id))
	if m == nil {
		return "", 0, false
	}
	n, err := strconv.Atoi(m[2])
	return URN(m[1]), n, err == nil && n > 1
}

// Part returns the name of the n-th chunk of a text that begins with this one, from
// 1: the inverse of [URN.PartOf].
func (id URN) Part(n int) URN { return partURN(id, n) }

// StoredPart returns the n-th, from 1, of the chunks that a record leaves as, as
// [Mapper.ConflictSide] returns the whole of them. It is false where they are fewer.
func (m Mapper) StoredPart(r memory.Record, n int) (Chunk, bool) {
	parts := split(m.StoredChunk(r))
	if n < 1 || n > len(parts) {
		return Chunk{}, false
	}
	return parts[n-1], true
}

// split cuts a chunk into as many as its text needs, without x_ump.
func split(whole Chunk) []Chunk {
	texts := cut(whole.Content)
	if len(texts) == 1 {
		return []Chunk{whole}
	}
	chunks := make([]Chunk, len(texts))
	for i, text := range texts {
		v := whole.Value
		if i > 0 {
			v = canon.Object()
			for _, name := range []string{"memory_type", "zone", "is_pinned", "created_at"} {
				v = v.With(name, whole.Value.Get(name))
			}
		}
		v = v.With("id", canon.String(string(partURN(whole.ID, i+1)))).
			With("content", canon.String(text)).With("content_hash", canon.String(textHash(text)))
		chunks[i] = chunkFrom(v)
	}
	return chunks
}

// cut cuts a text after every MaxContent codepoints.
func cut(text string) []string {
	if len(text) <= MaxContent {
		return []string{text}
	}
	var texts []string
	from, n := 0, 0
	for i := range text {
		if n == MaxContent {
			texts = append(texts, text[from:i])
			from, n = i, 0
		}
		n++
	}
	return append(texts, text[from:])
}
