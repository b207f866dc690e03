package documents

import (
	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// memories reads a document without secrets. It skips the records that hold a
// bundle's data beside its chunks: they serve a conversion back, and are no memories.
type memories struct {
	codec.Reader
	secrets *secretsFound
	left    []codec.Loss
}

// Next returns the next memory.
func (m *memories) Next() (memory.Record, error) {
	for {
		rec, err := m.Reader.Next()
		if err != nil {
			return rec, err
		}
		if !aimem.IsManifest(rec) {
			return m.secrets.mask(rec), nil
		}
		m.left = append(m.left, codec.Loss{ID: rec.ID, Reason: "a record of what a bundle says beside its chunks is no memory; import the bundle itself to keep that"})
	}
}

// Losses lists what did not survive.
func (m *memories) Losses() []codec.Loss { return append(m.Reader.Losses(), m.left...) }

// memoriesOf reads the memories of a document; an archive stays one.
func memoriesOf(r codec.Reader, secrets *secretsFound) codec.Reader {
	m := &memories{Reader: r, secrets: secrets}
	if units, ok := r.(codec.Units); ok {
		return memoriesInUnits{m, units}
	}
	return m
}

// memoriesInUnits reads the memories of an archive.
type memoriesInUnits struct {
	*memories
	units codec.Units
}

var _ codec.Units = memoriesInUnits{}

// Unit returns the unit of the last memory that Next returned.
func (m memoriesInUnits) Unit() int { return m.units.Unit() }
