package aimem

import "github.com/satchel-memory/satchel/codec"

// spool is a [codec.Spool] with pieces in it.
type spool struct {
	codec.Spool
	size int64
}

// span is where a piece lies.
type span struct {
	at int64
	n  int
}

func newSpool(opt codec.Options) (*spool, error) {
	s, err := opt.NewSpool()
	return &spool{Spool: s}, err
}

func (s *spool) put(piece []byte) (span, error) {
	at := span{at: s.size, n: len(piece)}
	n, err := s.Write(piece)
	s.size += int64(n)
	return at, err
}

func (s *spool) get(at span) ([]byte, error) {
	piece := make([]byte, at.n)
	n, err := s.ReadAt(piece, at.at)
	if n == at.n {
		err = nil
	}
	return piece, err
}

func (s *spool) close() error { return s.Close() }
