package bundle

import (
	"errors"
	"maps"
	"slices"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Chunks yields the chunks of the exported records, in the order of their creation, and
// of their ids where times are equal.
func (x *bundleExport) Chunks(yield func(aimem.Chunk) error) (err error) {
	done := 0
	o := &inOrder{x: x, yield: func(rec memory.ID, chunks []aimem.Chunk) error {
		if x.model != (model{}) && len(chunks) == 1 {
			if err := x.embed(rec, &chunks[0]); err != nil {
				return err
			}
		}
		for _, c := range chunks {
			if err := yield(c); err != nil {
				return err
			}
		}
		if done += len(chunks); x.query.Progress != nil {
			x.query.Progress(done)
		}
		return nil
	}}
	defer func() { err = errors.Join(err, o.close()) }()
	if err := eachMade(x, &x.living, o.chunks, o.add); err != nil {
		return err
	}
	return o.flush()
}

// chunks returns the chunks of a record, without embedding.
func (x *bundleExport) chunks(rec memory.Record) ([]aimem.Chunk, error) {
	chunks, _, err := x.mapper.Chunks(rec, x.name(rec), nil)
	return chunks, err
}

// Carried yields the closed records, where they were asked for.
func (x *bundleExport) Carried(yield func(canon.Value) error) error {
	return x.eachIn(&x.former, func(rec memory.Record) error {
		rec, err := x.gate.WithoutHiddenVersions(rec)
		if err != nil {
			return err
		}
		v, err := canon.Parse(rec.Form(), canon.Options{})
		if err != nil {
			return err
		}
		return yield(v)
	})
}

// Order yields nothing: the chunks are in order.
func (x *bundleExport) Order(func(string) error) error { return nil }

// model names the vectors of one model.
type model struct {
	name string
	dim  int
}

// settleModel chooses the vectors to export: those of the requested model, or of the
// model that most chunks have, with the most frequent dimension (AIMEM 2.7).
func (x *bundleExport) settleModel() error {
	counts := map[model]int{}
	names := map[string]bool{}
	err := vault.EachBeside(x.rows, store.AttachmentFilter{Space: vault.VectorSpace}, func(a store.Attachment) error {
		v, err := storedVector(a.Data)
		if err != nil {
			return err
		}
		if !x.embeds(a.From) {
			return x.ctx.Err()
		}
		names[v.model] = true
		if x.query.Model == "" || x.query.Model == v.model {
			counts[model{v.model, v.dim()}]++
		}
		return x.ctx.Err()
	})
	if err == nil {
		err = x.countOwn(counts, names)
	}
	most := 0
	for m, n := range counts {
		if n > most || n == most && (m.name < x.model.name || m.name == x.model.name && m.dim < x.model.dim) {
			x.model, most = m, n
		}
	}
	x.report.Embeddings, x.report.Model = most, x.model.name
	if most == 0 {
		x.report.Models = slices.Sorted(maps.Keys(names))
	}
	return err
}

// embeds reports whether the vector of a record may be exported: only with all of the
// text that it was made from.
func (x *bundleExport) embeds(id memory.ID) bool {
	return x.leaves(id) && !x.cut.has(x.born(id))
}

// embed adds the vector of a record to its chunk, if it has one of the exported model.
func (x *bundleExport) embed(rec memory.ID, c *aimem.Chunk) error {
	if !x.embeds(rec) {
		return nil
	}
	v, err := x.vectorOf(rec)
	if err != nil || v.dim() != x.model.dim {
		return err
	}
	c.Embedding = v.text()
	c.Value = c.Value.With("embedding", canon.String(c.Embedding))
	return nil
}
