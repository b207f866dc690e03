package codec

import "io"

// Spool is room for what a writer has to set down before it can begin: written
// once from the start, then read anywhere. Close gives the room back.
type Spool interface {
	io.Writer
	io.ReaderAt
	io.Closer
}

// NewSpool returns the Spool that the options provide, or one in memory.
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

// ReadAt reads what was written.
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

// Close gives the memory back.
func (s *memorySpool) Close() error {
	s.data = nil
	return nil
}
