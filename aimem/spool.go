package aimem

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"io"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// spooledBrain is a Brain that writes another Brain to a spool at the first use, and then
// reads the spool. Measuring, signing and writing a bundle walks a Brain at least three
// times; so it walks the original only once. It is not safe for concurrent use.
type spooledBrain struct {
	from   Brain
	bundle *Bundle // has the document, and nothing that is found by id; nil: it is not written yet
	spool  codec.Spool
	size   int64
	sum    string
}

var _ Carrier = (*spooledBrain)(nil)

// maxSpooledRecord is the largest record that is read back; a value of that size is held.
const maxSpooledRecord = 8 << 20

// SpoolBrain returns a Brain that writes b to room at its first use and then reads room. The
// caller closes room. Walks fail with the errors of b and room.
func SpoolBrain(b Brain, room codec.Spool) Carrier { return &spooledBrain{from: b, spool: room} }

// write writes the payload down, if it is not yet.
func (l *spooledBrain) write() (*Bundle, error) {
	if l.bundle != nil {
		return l.bundle, nil
	}
	digest, count := sha256.New(), counter(0)
	if err := WritePayload(io.MultiWriter(l.spool, digest, &count), l.from); err != nil {
		return nil, err
	}
	l.sum, l.size = checksumPrefix+hex.EncodeToString(digest.Sum(nil)), int64(count)
	text, err := canon.NewText(l.spool, 0, l.size, canon.Options{Bytes: maxSpooledRecord, Depth: 1_000, Inexact: true})
	if err != nil {
		return nil, err
	}
	parts, err := text.Members(text.Root())
	if err != nil {
		return nil, err
	}
	doc := &single{text: text}
	for _, part := range parts {
		for k := range recordKinds {
			if part.Name == k.array() {
				doc.find(k, part.At)
			}
		}
	}
	l.bundle = &Bundle{doc: doc}
	return l.bundle, nil
}

// measure returns the checksum of the payload and how long that is.
func (l *spooledBrain) measure() (sum string, size int64, err error) {
	_, err = l.write()
	return l.sum, l.size, err
}

// Envelope returns the envelope.
func (l *spooledBrain) Envelope() Envelope { return l.from.Envelope() }

// Chunks yields the chunks.
func (l *spooledBrain) Chunks(yield func(Chunk) error) error {
	return walkSpooled(l, (*Bundle).Chunks, yield)
}

// Edges yields the edges.
func (l *spooledBrain) Edges(yield func(Edge) error) error {
	return walkSpooled(l, (*Bundle).Edges, yield)
}

// Entities yields the entities.
func (l *spooledBrain) Entities(yield func(Entity) error) error {
	return walkSpooled(l, (*Bundle).Entities, yield)
}

// Links yields the links.
func (l *spooledBrain) Links(yield func(Link) error) error {
	return walkSpooled(l, (*Bundle).Links, yield)
}

// Carried yields the records of x_ump.
func (l *spooledBrain) Carried(yield func(canon.Value) error) error {
	return walkSpooled(l, (*Bundle).Carried, yield)
}

// Order yields the order in x_ump.
func (l *spooledBrain) Order(yield func(string) error) error {
	return walkSpooled(l, (*Bundle).Order, yield)
}

func walkSpooled[T any](l *spooledBrain, walk func(*Bundle, func(T) error) error, yield func(T) error) error {
	b, err := l.write()
	if err != nil {
		return err
	}
	return walk(b, yield)
}

// payload copies the payload from the spool.
func (l *spooledBrain) payload(w io.Writer) error {
	if _, err := l.write(); err != nil {
		return err
	}
	return l.copy(w, 0)
}

// copy writes the payload from an offset on, in pieces that are hashed fast.
func (l *spooledBrain) copy(w io.Writer, from int64) error {
	in := bufio.NewReaderSize(io.NewSectionReader(l.spool, from, l.size-from), 64<<10)
	_, err := in.WriteTo(w)
	return err
}

// document writes the payload with a checksum before all else.
func (l *spooledBrain) document(w io.Writer, sum string) error {
	if _, err := l.write(); err != nil {
		return err
	}
	opening := canon.Object(canon.Member{Name: memberChecksum, Value: canon.String(sum)}).Append(nil)
	opening[len(opening)-1] = ',' // the payload has members: a format at least
	if _, err := w.Write(opening); err != nil {
		return err
	}
	return l.copy(w, 1)
}

// spool is a [codec.Spool] that holds pieces.
type spool struct {
	codec.Spool
	size int64
}

// span is the place of a piece in a spool.
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
