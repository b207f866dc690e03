package codec

import (
	"io"

	"github.com/satchel-memory/satchel/memory"
)

// Made is a [Reader] of a document that was read whole: its records are there already.
type Made struct {
	Records []memory.Record // that are still to come
	Lost    []Loss
}

var _ Reader = (*Made)(nil)

// Next yields the next record.
func (m *Made) Next() (memory.Record, error) {
	if len(m.Records) == 0 {
		return memory.Record{}, io.EOF
	}
	r := m.Records[0]
	m.Records = m.Records[1:]
	return r, nil
}

// Losses returns what could not be taken over.
func (m *Made) Losses() []Loss { return m.Lost }

// Close frees nothing: the document is closed already.
func (m *Made) Close() error { return nil }
