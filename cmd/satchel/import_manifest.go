package main

import (
	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// memories reads a document without the records in which convert keeps what a bundle
// says beside its chunks: they are for converting back, and no memories.
type memories struct {
	codec.Reader
	left []codec.Loss
}

// Next returns the next memory.
func (m *memories) Next() (memory.Record, error) {
	for {
		rec, err := m.Reader.Next()
		if err != nil || !aimem.IsManifest(rec) {
			return rec, err
		}
		m.left = append(m.left, codec.Loss{ID: rec.ID, Reason: "a record of what a bundle says beside its chunks is no memory; import the bundle itself to keep that"})
	}
}

// Losses lists what did not survive.
func (m *memories) Losses() []codec.Loss { return append(m.Reader.Losses(), m.left...) }
