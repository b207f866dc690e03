package aimem

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"io"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// Laid is a Brain that is written down once, when it is first asked for what it
// holds, and is read from there as often as need be: to be measured, signed and
// written, another Brain is walked three times and more. It is not safe for
// concurrent use.
type Laid struct {
	from   Brain
	bundle *Bundle // has the document, and nothing that is found by id; nil: it is not written yet
	room   codec.Spool
	size   int64
	sum    string
}

var _ Carrier = (*Laid)(nil)

// laidRecord is the largest record that is read back; a value of that size is held.
const laidRecord = 8 << 20

// Lay returns b as a Brain that is written down in room, which stays the caller's to
// close. Walks fail with what b and room fail with.
func Lay(b Brain, room codec.Spool) *Laid { return &Laid{from: b, room: room} }

// lay writes the payload down, if it is not yet.
func (l *Laid) lay() (*Bundle, error) {
	if l.bundle != nil {
		return l.bundle, nil
	}
	digest, count := sha256.New(), counter(0)
	if err := WritePayload(io.MultiWriter(l.room, digest, &count), l.from); err != nil {
		return nil, err
	}
	l.sum, l.size = checksumPrefix+hex.EncodeToString(digest.Sum(nil)), int64(count)
	text, err := canon.NewText(l.room, 0, l.size, canon.Options{Bytes: laidRecord, Depth: 1_000, Inexact: true})
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
func (l *Laid) measure() (sum string, size int64, err error) {
	_, err = l.lay()
	return l.sum, l.size, err
}

// Envelope returns the envelope.
func (l *Laid) Envelope() Envelope { return l.from.Envelope() }

// Chunks yields the chunks.
func (l *Laid) Chunks(yield func(Chunk) error) error { return walkLaid(l, (*Bundle).Chunks, yield) }

// Edges yields the edges.
func (l *Laid) Edges(yield func(Edge) error) error { return walkLaid(l, (*Bundle).Edges, yield) }

// Entities yields the entities.
func (l *Laid) Entities(yield func(Entity) error) error {
	return walkLaid(l, (*Bundle).Entities, yield)
}

// Links yields the links.
func (l *Laid) Links(yield func(Link) error) error { return walkLaid(l, (*Bundle).Links, yield) }

// Carried yields the records of x_ump.
func (l *Laid) Carried(yield func(canon.Value) error) error {
	return walkLaid(l, (*Bundle).Carried, yield)
}

// Order yields the order in x_ump.
func (l *Laid) Order(yield func(string) error) error { return walkLaid(l, (*Bundle).Order, yield) }

func walkLaid[T any](l *Laid, walk func(*Bundle, func(T) error) error, yield func(T) error) error {
	b, err := l.lay()
	if err != nil {
		return err
	}
	return walk(b, yield)
}

// payload copies what was written down.
func (l *Laid) payload(w io.Writer) error {
	if _, err := l.lay(); err != nil {
		return err
	}
	return l.copy(w, 0)
}

// copy writes the payload from an offset on, in pieces that are hashed fast.
func (l *Laid) copy(w io.Writer, from int64) error {
	in := bufio.NewReaderSize(io.NewSectionReader(l.room, from, l.size-from), 64<<10)
	_, err := in.WriteTo(w)
	return err
}

// document writes the payload with a checksum before all else.
func (l *Laid) document(w io.Writer, sum string) error {
	if _, err := l.lay(); err != nil {
		return err
	}
	opening := canon.Object(canon.Member{Name: memberChecksum, Value: canon.String(sum)}).Append(nil)
	opening[len(opening)-1] = ',' // the payload has members: a format at least
	if _, err := w.Write(opening); err != nil {
		return err
	}
	return l.copy(w, 1)
}
