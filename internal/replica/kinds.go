package replica

import (
	"fmt"

	"github.com/fxamacker/cbor/v2"
)

// The kinds of items. The comment gives the key of an item, and the type of its data.
const (
	KindMachine    Kind = "machine" // the machine's id: Machine
	KindRecord     Kind = "record"  // the record's id: Record
	KindErasure    Kind = "gone"    // the mark of a record's id, see ErasureMark: Erasure
	KindImport     Kind = "import"  // a name that its first machine made: Import
	KindAttachment Kind = "beside"  // space, NUL and key of an attachment that never changes: Attachment
	KindSetting    Kind = "setting" // space, NUL and key of an attachment that changes: Register
	KindProject    Kind = "project" // another name of a project: Register
	KindGrant      Kind = "grant"   // the token's id: Grant
	KindLesson     Kind = "lesson"  // a record's id, NUL and a machine's id: Lesson
	KindAgent      Kind = "agent"   // an agent's id, NUL and the digest of the definition: Register of an Agent
	KindState      Kind = "state"   // a checkpoint's id: Register of a State
	KindSpent      Kind = "spent"   // issuer, NUL and id of a used token: Spent
)

// Join joins two items of the same kind and key. Join is commutative, associative and
// idempotent. It fails with [ErrMalformed] if the data of an item breaks a rule of its kind,
// or if the kinds or the keys differ.
func Join(a, b Item) (Item, error) {
	if a.Kind != b.Kind || a.Key != b.Key {
		return Item{}, fmt.Errorf("%w: items of different keys do not join", ErrMalformed)
	}
	switch a.Kind {
	case KindMachine:
		return joined[Machine](a, b)
	case KindRecord:
		return joined[Record](a, b)
	case KindErasure:
		return joined[Erasure](a, b)
	case KindImport:
		return joined[Import](a, b)
	case KindSetting, KindProject, KindAgent, KindState:
		return joined[Register](a, b)
	case KindAttachment:
		return joined[Attachment](a, b)
	case KindGrant:
		return joined[Grant](a, b)
	case KindLesson:
		return joined[Lesson](a, b)
	case KindSpent:
		return joined[Spent](a, b)
	}
	return Item{}, fmt.Errorf("%w: unknown kind %q", ErrMalformed, a.Kind)
}

// value is the type of an item's data.
type value[T any] interface{ Join(T) T }

func joined[T value[T]](a, b Item) (Item, error) {
	x, err := Decode[T](a.Data)
	if err != nil {
		return Item{}, err
	}
	y, err := Decode[T](b.Data)
	if err != nil {
		return Item{}, err
	}
	return NewItem(a.Kind, a.Key, x.Join(y)), nil
}

// NewItem returns an item with a value. T must be the type of the kind's data.
func NewItem[T value[T]](k Kind, key string, v T) Item {
	return Item{Kind: k, Key: key, Data: Encode(v)}
}

// Encode returns the only encoding of a value: deterministic CBOR (RFC 8949, section 4.2.1).
// It panics for a type that CBOR cannot encode.
func Encode(v any) []byte {
	options := cbor.CoreDetEncOptions()
	options.Time = cbor.TimeRFC3339NanoUTC
	mode, err := options.EncMode()
	if err != nil {
		panic(err) // the options are a constant
	}
	data, err := mode.Marshal(v)
	if err != nil {
		panic(err) // the types of this package have no member that cannot be encoded
	}
	return data
}

// The limits of an encoded value. A value beyond them is malformed.
const (
	mostNested = 8       // levels
	mostParts  = 1 << 17 // elements of a list, and members of a map
)

// Decode reads a value, strictly. It fails with [ErrMalformed].
func Decode[T any](data []byte) (v T, err error) {
	mode, err := cbor.DecOptions{
		DupMapKey: cbor.DupMapKeyEnforcedAPF, TagsMd: cbor.TagsForbidden, IndefLength: cbor.IndefLengthForbidden,
		MaxNestedLevels: mostNested, MaxArrayElements: mostParts, MaxMapPairs: mostParts, UTF8: cbor.UTF8RejectInvalid,
	}.DecMode()
	if err != nil {
		panic(err) // the options are a constant
	}
	if err := mode.Unmarshal(data, &v); err != nil {
		return v, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return v, nil
}
