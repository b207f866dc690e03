package bundle

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/satchel-memory/satchel/internal/embed"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// countOwn counts the vectors that the owner's server computed, besides those that came
// with chunks.
func (x *bundleExport) countOwn(counts map[model]int, names map[string]bool) error {
	name, space, err := vault.MeaningModel(x.rows)
	if err != nil || name == "" {
		return err
	}
	return vault.EachBeside(x.rows, store.AttachmentFilter{Space: space}, func(a store.Attachment) error {
		if !x.embeds(a.From) {
			return x.ctx.Err()
		}
		names[name] = true
		if x.query.Model != "" && x.query.Model != name {
			return x.ctx.Err()
		}
		_, err := x.rows.Attached(vault.VectorSpace, vectorKey(a.From, name), 0)
		if !errors.Is(err, store.ErrNotFound) {
			return err
		}
		v, err := ownVector(name, a.Data)
		if err == nil {
			counts[model{name, v.dim()}]++
		}
		return errors.Join(err, x.ctx.Err())
	})
}

// vectorOf returns the vector of a record by the exported model: the one that came with the
// record, else the one of the owner's server. The zero vector: there is none.
func (x *bundleExport) vectorOf(rec memory.ID) (vector, error) {
	a, err := x.rows.Attached(vault.VectorSpace, vectorKey(rec, x.model.name), 0)
	if err == nil {
		return storedVector(a.Data)
	}
	if !errors.Is(err, store.ErrNotFound) {
		return vector{}, err
	}
	a, err = x.rows.Attached(vault.MeaningSpaceOf(x.model.name, x.model.dim), string(rec), 0)
	if err != nil {
		return vector{}, vault.NotFoundIsNone(err)
	}
	return ownVector(x.model.name, a.Data)
}

// ownVector decodes a stored vector of the owner's server.
func ownVector(name string, data []byte) (vector, error) {
	quantised, err := embed.ParseVector(data)
	if err != nil {
		return vector{}, errVector
	}
	v := vector{model: name}
	for _, c := range quantised.Codes {
		v.floats = binary.LittleEndian.AppendUint32(v.floats, math.Float32bits(float32(c)*quantised.Scale))
	}
	return v, nil
}
