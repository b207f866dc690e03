package aimem

import (
	"fmt"
	"iter"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// A manifest keeps everything in a bundle but its chunks, as records (mapping section
// 1.3). The first part has the envelope, and every part has sections of the four lists.
// Items that a record cannot hold, because of their numbers or depth, are strings of JSON.
const (
	manifestEnvelope = "envelope"
	manifestOrder    = "order"
	manifestPart     = "part"
	manifestParts    = "parts"

	manifestItems = 1_000     // most items of one part
	manifestBytes = 900 << 10 // bytes after which a part ends: a record stays below 1 MiB
)

// manifestLists are the lists in the order in which they are written: the ids of
// the chunks, and the arrays that are no chunks.
var manifestLists = []string{manifestOrder, memberEdges, memberEntities, memberLinks}

// manifestItem is one entry of one list.
type manifestItem struct {
	list  string
	value canon.Value
}

// itemsOf walks the lists of a brain.
func itemsOf(b Brain, yield func(manifestItem) error) error {
	item := func(list string, v canon.Value) error { return yield(manifestItem{list, spellItem(v)}) }
	err := b.Chunks(func(c Chunk) error { return item(manifestOrder, canon.String(string(c.ID))) })
	if err == nil {
		err = b.Edges(func(e Edge) error { return item(memberEdges, e.value()) })
	}
	if err == nil {
		err = b.Entities(func(e Entity) error { return item(memberEntities, e.value()) })
	}
	if err == nil {
		err = b.Links(func(l Link) error { return item(memberLinks, l.value()) })
	}
	return err
}

// spellItem spells an item as a string of JSON, if a record cannot hold it.
func spellItem(v canon.Value) canon.Value {
	if _, spelled := splitHoldable(v); spelled.Len() > 0 {
		return canon.String(string(v.Append(nil)))
	}
	return v
}

// unspellItem is the inverse of spellItem, for what is no name of a chunk.
func unspellItem(v canon.Value) canon.Value {
	if v.Type() == canon.TypeString {
		if again, err := canon.Parse([]byte(v.Text()), anyJSON); err == nil {
			return again
		}
	}
	return v
}

// manifest makes the manifest of a brain with checksum sum. It holds at most one part.
func (m Mapper) manifest(b Brain, sum string) iter.Seq2[memory.Record, error] {
	return func(yield func(memory.Record, error) bool) {
		first := partSizer{bytes: len(m.keptEnvelope(b.Envelope(), sum).Append(nil))} // the first part has the envelope
		parts, chunks, err := countParts(b, first)
		if err != nil {
			yield(memory.Record{}, err)
			return
		}
		w := manifestWriter{m: m, envelope: b.Envelope(), sum: sum, parts: parts, chunks: chunks, packing: first, yield: yield}
		w.begin()
		if err = itemsOf(b, w.item); err == nil {
			err = w.end()
		}
		if err != nil && err != errEnough {
			yield(memory.Record{}, err)
		}
	}
}

// countParts counts what manifest will make, whose first part is filled so far.
func countParts(b Brain, p partSizer) (parts, chunks int, err error) {
	err = itemsOf(b, func(i manifestItem) error {
		if i.list == manifestOrder {
			chunks++
		}
		p.add(i)
		return nil
	})
	return p.full + 1, chunks, err
}

// partSizer decides where a part ends.
type partSizer struct{ full, items, bytes int }

// add counts an item, and reports whether it begins a new part.
func (p *partSizer) add(i manifestItem) (begins bool) {
	size := len(i.value.Append(nil)) + 1
	if (p.items > 0 || p.bytes > manifestBytes) && (p.items == manifestItems || p.bytes+size > manifestBytes) {
		*p = partSizer{full: p.full + 1}
		begins = true
	}
	p.items, p.bytes = p.items+1, p.bytes+size
	return begins
}

// manifestWriter fills part after part.
type manifestWriter struct {
	m             Mapper
	envelope      Envelope
	sum           string
	parts, chunks int
	packing       partSizer
	lists         map[string][]canon.Value
	part          int
	yield         func(memory.Record, error) bool
}

func (w *manifestWriter) begin() {
	w.part++
	w.lists = map[string][]canon.Value{}
}

func (w *manifestWriter) item(i manifestItem) error {
	if w.packing.add(i) {
		if err := w.end(); err != nil {
			return err
		}
		w.begin()
	}
	w.lists[i.list] = append(w.lists[i.list], i.value)
	return nil
}

// end yields the present part.
func (w *manifestWriter) end() error {
	r, err := w.record()
	if err != nil {
		return err
	}
	if !w.yield(r, nil) {
		return errEnough
	}
	return nil
}

// record writes the present part as a record. It holds no content of any chunk.
func (w *manifestWriter) record() (memory.Record, error) {
	env := w.envelope
	created, _ := instantOf(env.ExportedAt)
	none := 0.0
	r := memory.Record{
		Kind: memory.Episodic,
		Body: memory.Body{Text: fmt.Sprintf("AIMEM Bundle imported: producer %s, scope %s, exported %s, %d chunks.",
			env.Producer, env.Scope, env.ExportedAt, w.chunks)},
		Scope:     memory.Scope{Owner: w.m.Owner, Visibility: memory.Private},
		Time:      memory.Times{Created: created},
		Lifecycle: memory.Lifecycle{Salience: &none},
		Provenance: &memory.Provenance{
			Actor: string(w.m.Owner), ActorKind: memory.ByImport, Method: method,
			Source: &memory.Source{Ref: w.sum, Provider: env.Producer},
		},
	}
	r = codec.WithResidue(r, residueName, object{
		{Name: "v", Value: canon.Int(1)}, {Name: residueManifest, Value: w.value()},
	}.value())
	return w.m.Forms.Author(r)
}

// value is the present part. The first has every array that the bundle has, if it is
// empty.
func (w *manifestWriter) value() canon.Value {
	var o object
	if w.part == 1 {
		kept, spelled := splitHoldable(w.m.keptEnvelope(w.envelope, w.sum))
		o.add(manifestEnvelope, kept)
		if spelled.Len() > 0 {
			o.add(residueSpelled, spelled)
		}
		has := append(w.envelope.arrays(), manifestOrder)
		for _, name := range manifestLists {
			for _, array := range has {
				if array == name && w.lists[name] == nil {
					w.lists[name] = []canon.Value{}
				}
			}
		}
	}
	for _, name := range manifestLists {
		if items, ok := w.lists[name]; ok {
			o.add(name, canon.Array(items...))
		}
	}
	o.add(manifestPart, canon.Int(int64(w.part)))
	o.add(manifestParts, canon.Int(int64(w.parts)))
	return o.value()
}

// keptEnvelope is the envelope with its checksum, and without an x_ump that follows
// from the records. Another is an unknown member.
func (m Mapper) keptEnvelope(env Envelope, sum string) canon.Value {
	v := env.value().With(memberChecksum, canon.String(sum))
	if m.carriesRecords(v) {
		v = v.Without(memberCarrier)
	}
	return v
}

// manifestOf returns the manifest part that a record is, if it is one.
func manifestOf(r memory.Record) (canon.Value, bool) {
	residue, _ := codec.Residue(r, residueName)
	part := residue.Get(residueManifest)
	n, of := part.Get(manifestPart).Float(), part.Get(manifestParts).Float()
	return part, residue.Get("v").Float() == 1 && r.Provenance != nil && r.Provenance.Method == method &&
		r.Provenance.Source != nil && n >= 1 && of >= n
}

// IsManifest reports whether a record is a part of a manifest. Such a record is not a
// memory, and never becomes a chunk.
func IsManifest(r memory.Record) bool {
	_, ok := manifestOf(r)
	return ok
}
