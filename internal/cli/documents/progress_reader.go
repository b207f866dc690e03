package documents

import (
	"io"
	"sync/atomic"

	"github.com/satchel-memory/satchel/codec"
)

// byteCounter counts the bytes read from a file.
type byteCounter struct {
	io.ReaderAt
	read atomic.Int64
}

// ReadAt implements [io.ReaderAt].
func (w *byteCounter) ReadAt(p []byte, at int64) (int, error) {
	n, err := w.ReaderAt.ReadAt(p, at)
	w.read.Add(int64(n))
	return n, err
}

// meter counts the bytes read from the document from now on. It returns nil for a
// folder.
func (d *document) meter() *byteCounter {
	if d.Source.File == nil {
		return nil
	}
	w := &byteCounter{ReaderAt: d.Source.File}
	d.Source.File = w
	return w
}

// farIn returns a function that reports the progress of a newly opened reader: the
// reader's own, or the bytes read from its file from now on.
func farIn(r codec.Reader, w *byteCounter, size int64) func() (done, total int64) {
	if m, ok := r.(codec.Progress); ok {
		return m.Reached
	}
	if w == nil {
		return nil
	}
	opened := w.read.Load()
	return func() (done, total int64) { return w.read.Load() - opened, size }
}
