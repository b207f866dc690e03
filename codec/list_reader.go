package codec

import (
	"io"

	"github.com/satchel-memory/satchel/memory"
)

// ListReader is a [Reader] of records that are already in memory.
type ListReader struct {
	Records []memory.Record // the records to come
	Lost    []Loss
}

var _ Reader = (*ListReader)(nil)

// Next yields the next record.
func (m *ListReader) Next() (memory.Record, error) {
	if len(m.Records) == 0 {
		return memory.Record{}, io.EOF
	}
	r := m.Records[0]
	m.Records = m.Records[1:]
	return r, nil
}

// Losses returns the losses of the document.
func (m *ListReader) Losses() []Loss { return m.Lost }

// Close does nothing: the document is already closed.
func (m *ListReader) Close() error { return nil }
