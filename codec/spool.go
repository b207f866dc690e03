package codec

import "io"

// Spool is temporary storage for data that a writer needs before its first byte: written
// once from the start, then read anywhere. Close frees it.
type Spool interface {
	io.Writer
	io.ReaderAt
	io.Closer
}

// NewSpool returns the spool of Options.Spool, or one in memory.
func (o Options) NewSpool() (Spool, error) {
	if o.Spool != nil {
		return o.Spool()
	}
	return &memorySpool{}, nil
}

// memorySpool is a Spool without a file.
type memorySpool struct{ data []byte }

// Write appends p.
func (s *memorySpool) Write(p []byte) (int, error) {
	s.data = append(s.data, p...)
	return len(p), nil
}

// ReadAt reads the data.
func (s *memorySpool) ReadAt(p []byte, at int64) (int, error) {
	if at < 0 || at >= int64(len(s.data)) {
		return 0, io.EOF
	}
	n := copy(p, s.data[at:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Close frees the memory.
func (s *memorySpool) Close() error {
	s.data = nil
	return nil
}
