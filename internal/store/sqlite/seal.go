package sqlite

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"math"
	"math/bits"

	"github.com/satchel-memory/satchel/memory"
)

// A seal stands in the last column of every row but those of postings. It is a
// digest over the table's name and all other columns, keyed by a secret of the
// owner, by which Check finds what was changed outside of satchel, to the byte.
// The owner's row holds the sum of the seals of all others, by which it finds
// rows that were removed, added, or put back to what they said earlier. Postings
// have none: what must stand in them, to the byte, follows from the terms that
// records list, which are sealed.
//
// Whoever writes without the owner's secret seals with the zero key. That finds
// accidents, and nothing that somebody did on purpose.
//
// A row that was changed outside keeps a seal that does not fit, whatever is
// written to it later, so that no change is covered up by the next.

// sealSize is the size of a seal: half of an HMAC-SHA-256.
const sealSize = 16

// sealer makes the seals of one owner. It serves one goroutine.
type sealer struct {
	mac   hash.Hash
	keyed bool    // with the owner's secret, not with the zero key
	plain *sealer // of the zero key
	id    []byte  // tells keys apart
	buf   []byte
}

const idSize = 4

// newSealer returns the sealer of a secret; without one, that of the zero key.
func newSealer(secret []byte) *sealer {
	s := &sealer{keyed: len(secret) > 0}
	if s.keyed {
		s.plain = newSealer(nil)
	} else {
		s.plain, secret = s, make([]byte, sealSize)
	}
	s.mac = hmac.New(sha256.New, secret)
	s.id = s.seal("", nil)[:idSize]
	return s
}

// heir returns whose seal a row gets when it is changed; nil: it keeps the seal
// that it has, because that does not fit. secret is the id of the key that the
// owner's seals were last made with.
func (s *sealer) heir(secret []byte, table string, values []any, seal []byte) *sealer {
	switch {
	case s.fits(table, values, seal):
		return s
	case s.keyed && s.plain.fits(table, values, seal):
		return s.plain // written without the secret: that stays to be seen
	case !s.keyed && !bytes.Equal(secret, s.id):
		return s // it cannot be known whether the seal fits
	}
	return nil
}

// sealer returns a new sealer of an owner, with the secret if it is at hand.
func (s *Store) sealer(did memory.DID) *sealer {
	if s.opt.Seal == nil {
		return newSealer(nil)
	}
	return newSealer(s.opt.Seal(did))
}

// The marks before values; those of strings and bytes are followed by a length
// of 8 bytes, numbers have 8 bytes themselves.
const (
	markNothing = iota
	markInteger
	markReal
	markText
	markBytes
)

// seal returns the seal of a row. Values are as they are given to the driver, or
// as it reads them, see filled.
func (s *sealer) seal(table string, values []any) []byte {
	b := appendText(s.buf[:0], markText, table)
	for _, v := range values {
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
			panic("a value that no table holds") // impossible: all writes are in this package
		}
	}
	s.buf = b
	s.mac.Reset()
	s.mac.Write(b)
	return s.mac.Sum(make([]byte, 0, sha256.Size))[:sealSize]
}

func appendNumber(b []byte, mark byte, v uint64) []byte {
	return binary.BigEndian.AppendUint64(append(b, mark), v)
}

func appendText[T string | []byte](b []byte, mark byte, v T) []byte {
	return append(appendNumber(b, mark, uint64(len(v))), v...)
}

// fits reports whether a row has the seal that it should have.
func (s *sealer) fits(table string, values []any, seal []byte) bool {
	return hmac.Equal(s.seal(table, values), seal)
}

// filled tells bytes of length 0 from nothing in what the driver has read: it
// says nil for both, but of different types.
func filled(values []any) []any {
	for i, v := range values {
		if b, ok := v.([]byte); ok && b == nil {
			values[i] = []byte{}
		}
	}
	return values
}

// sum is a sum of seals modulo 2^128.
type sum struct{ high, low uint64 }

func (s sum) plus(seal []byte) sum {
	t := parseSum(seal)
	low, carry := bits.Add64(s.low, t.low, 0)
	high, _ := bits.Add64(s.high, t.high, carry)
	return sum{high, low}
}

func (s sum) minus(seal []byte) sum {
	t := parseSum(seal)
	low, borrow := bits.Sub64(s.low, t.low, 0)
	high, _ := bits.Sub64(s.high, t.high, borrow)
	return sum{high, low}
}

func (s sum) bytes() []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, s.high), s.low)
}

// parseSum reads 16 bytes; whatever else counts as zero.
func parseSum(b []byte) sum {
	if len(b) != sealSize {
		return sum{}
	}
	return sum{binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])}
}
