package stored

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"math"
	"math/bits"
)

// A seal is the last column of every row except postings. It is a digest over the table's
// name and all other columns, keyed by a secret of the owner. With it Check finds every
// change outside of satchel. The owner's row holds the sum of all other seals, which
// exposes rows that somebody removed, added or restored. Postings need no seal: the sealed
// lists of terms in the records determine their bytes.
//
// A program without the owner's secret seals with the zero key. This exposes accidents, but
// no deliberate change.
//
// A row that was changed outside keeps its wrong seal through later writes, so that none of
// them hides the change.

// SealSize is the size of a seal: half of an HMAC-SHA-256.
const SealSize = 16

// Sealer makes the seals of one owner. It serves one goroutine.
type Sealer struct {
	mac   hash.Hash
	Keyed bool    // with the owner's secret, not with the zero key
	Plain *Sealer // with the zero key
	ID    []byte  // 4 bytes that tell keys apart
	buf   []byte
}

const idSize = 4

// NewSealer returns the sealer of a secret; without one, that of the zero key.
func NewSealer(secret []byte) *Sealer {
	s := &Sealer{Keyed: len(secret) > 0}
	if s.Keyed {
		s.Plain = NewSealer(nil)
	} else {
		s.Plain, secret = s, make([]byte, SealSize)
	}
	s.mac = hmac.New(sha256.New, secret)
	s.ID = s.Seal("", nil)[:idSize]
	return s
}

// Heir returns the sealer of a changed row; nil: the row keeps its seal, because that is
// wrong. secret is the id of the key that last made the owner's seals.
func (s *Sealer) Heir(secret []byte, table string, values []any, seal []byte) *Sealer {
	switch {
	case s.Fits(table, values, seal):
		return s
	case s.Keyed && s.Plain.Fits(table, values, seal):
		return s.Plain // written without the secret: this stays visible
	case !s.Keyed && !bytes.Equal(secret, s.ID):
		return s // nobody can tell whether the seal fits
	}
	return nil
}

// The marks before values; those of strings and bytes are followed by a length
// of 8 bytes, numbers have 8 bytes themselves.
const (
	markNothing = iota
	markInteger
	markReal
	markText
	markBytes
	markStrange
)

// Seal returns the seal of a row of a table of [Tables]: its values in the order of the
// columns there, each nil, an int, int64 or float64, a string or bytes. A value of another
// type, which only a damaged row holds, gets a seal that no written row has.
func (s *Sealer) Seal(table string, values []any) []byte {
	b := appendText(s.buf[:0], markText, table)
	for i, v := range values {
		if isLate(table, i, v, values) {
			continue
		}
		switch v := v.(type) {
		case nil:
			b = append(b, markNothing)
		case int:
			b = appendNumber(b, markInteger, uint64(v))
		case int64:
			b = appendNumber(b, markInteger, uint64(v))
		case float64:
			b = appendNumber(b, markReal, math.Float64bits(v))
		case string:
			b = appendText(b, markText, v)
		case []byte:
			if v == nil {
				b = append(b, markNothing)
			} else {
				b = appendText(b, markBytes, v)
			}
		default:
			b = append(b, markStrange)
		}
	}
	s.buf = b
	s.mac.Reset()
	s.mac.Write(b)
	return s.mac.Sum(make([]byte, 0, sha256.Size))[:SealSize]
}

// Where an owner's row counts attachments, an import the units of its document, a checkpoint
// has what it departed with, and a run its queue and slots. These columns came later than the
// first stores:
// while one says nothing, a row has the seal that it had without it.
var (
	placeAttached = Named(OwnersTable).Place("attached")
	placeUnits    = Named("imports").Place("units")
	placeDeparted = Named("states").Place("departed")
	placeBound    = Named("states").Place("bound")
	placeAddress  = Named("states").Place("address")
	placeQueue    = Named("runs").Place("queue")
	placeSlots    = Named("runs").Place("slots")
)

// isLate reports whether a value is left out of a seal. For whom a checkpoint departed,
// and to where, is sealed whenever it did: two texts that could be empty would not be
// told apart.
func isLate(table string, place int, v any, row []any) bool {
	switch v {
	case any(int64(0)):
		return place == placeAttached && table == OwnersTable || place == placeUnits && table == "imports" || place == placeDeparted && table == "states" ||
			place == placeSlots && table == "runs"
	case any(""):
		return place == placeQueue && table == "runs" || (place == placeBound || place == placeAddress) && table == "states" && row[placeDeparted] == any(int64(0))
	}
	return false
}

func appendNumber(b []byte, mark byte, v uint64) []byte {
	return binary.BigEndian.AppendUint64(append(b, mark), v)
}

func appendText[T string | []byte](b []byte, mark byte, v T) []byte {
	return append(appendNumber(b, mark, uint64(len(v))), v...)
}

// Fits reports whether a row has the right seal.
func (s *Sealer) Fits(table string, values []any, seal []byte) bool {
	return hmac.Equal(s.Seal(table, values), seal)
}

// Sum is a sum of seals modulo 2^128.
type Sum struct{ high, low uint64 }

// Plus adds a seal.
func (s Sum) Plus(seal []byte) Sum {
	t := ParseSum(seal)
	low, carry := bits.Add64(s.low, t.low, 0)
	high, _ := bits.Add64(s.high, t.high, carry)
	return Sum{high, low}
}

// minus subtracts a seal.
func (s Sum) minus(seal []byte) Sum {
	t := ParseSum(seal)
	low, borrow := bits.Sub64(s.low, t.low, 0)
	high, _ := bits.Sub64(s.high, t.high, borrow)
	return Sum{high, low}
}

// Scan reads a column of 16 bytes, see [ParseSum].
func (s *Sum) Scan(column any) error {
	b, _ := column.([]byte)
	*s = ParseSum(b)
	return nil
}

// Bytes returns the sum as 16 bytes, see [ParseSum].
func (s Sum) Bytes() []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, s.high), s.low)
}

// ParseSum reads 16 bytes; any other length counts as zero.
func ParseSum(b []byte) Sum {
	if len(b) != SealSize {
		return Sum{}
	}
	return Sum{binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])}
}
