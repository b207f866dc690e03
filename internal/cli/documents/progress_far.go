package documents

import (
	"io"
	"sync/atomic"

	"github.com/satchel-memory/satchel/codec"
)

// metered counts what is read of a file.
type metered struct {
	io.ReaderAt
	read atomic.Int64
}

// ReadAt implements [io.ReaderAt].
func (w *metered) ReadAt(p []byte, at int64) (int, error) {
	n, err := w.ReaderAt.ReadAt(p, at)
	w.read.Add(int64(n))
	return n, err
}

// meter counts from now on what is read of the document, and returns nil where it is a
// folder.
func (d *document) meter() *metered {
	if d.Source.File == nil {
		return nil
	}
	w := &metered{ReaderAt: d.Source.File}
	d.Source.File = w
	return w
}

// farIn returns what says how far a reader is that was just opened: itself, or how many
// bytes it takes from its file from now on.
func farIn(r codec.Reader, w *metered, size int64) func() (done, total int64) {
	if m, ok := r.(codec.Progress); ok {
		return m.Reached
	}
	if w == nil {
		return nil
	}
	opened := w.read.Load()
	return func() (done, total int64) { return w.read.Load() - opened, size }
}
