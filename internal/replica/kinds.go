package replica

import (
	"fmt"

	"github.com/fxamacker/cbor/v2"
)

// The kinds of items. Beside each stand its key and the type of its data.
const (
	KindMachine Kind = "machine" // the machine's id: Machine
	KindRecord  Kind = "record"  // the record's id: Record
	KindGone    Kind = "gone"    // a keyed mark of a record's id: Gone
	KindImport  Kind = "import"  // a name made by its first machine: Import
	KindBeside  Kind = "beside"  // space, NUL and key of an attachment that never changes: Beside
	KindSetting Kind = "setting" // space, NUL and key of an attachment that changes: Register
	KindProject Kind = "project" // another name of a project: Register
	KindGrant   Kind = "grant"   // the token's id: Grant
	KindLesson  Kind = "lesson"  // a record's id, NUL and a machine's id: Lesson
	KindAgent   Kind = "agent"   // an agent's id, NUL and the digest of the definition: Register of an Agent
	KindState   Kind = "state"   // a checkpoint's id: Register of a State
	KindSpent   Kind = "spent"   // issuer, NUL and id of a token that served: Spent
)

// Join returns what two items of the same kind and key say together. Join is commutative,
// associative and idempotent. It fails with an error that wraps [ErrMalformed].
func Join(a, b Item) (Item, error) {
	if a.Kind != b.Kind || a.Key != b.Key {
		return Item{}, fmt.Errorf("%w: items of different keys do not join", ErrMalformed)
	}
	switch a.Kind {
	case KindMachine:
		return joined[Machine](a, b)
	case KindRecord:
		return joined[Record](a, b)
	case KindGone:
		return joined[Gone](a, b)
	case KindImport:
		return joined[Import](a, b)
	case KindSetting, KindProject, KindAgent, KindState:
		return joined[Register](a, b)
	case KindBeside:
		return joined[Beside](a, b)
	case KindGrant:
		return joined[Grant](a, b)
	case KindLesson:
		return joined[Lesson](a, b)
	case KindSpent:
		return joined[Spent](a, b)
	}
	return Item{}, fmt.Errorf("%w: unknown kind %q", ErrMalformed, a.Kind)
}

// value is the data of an item.
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

// NewItem returns an item with a value, which has the type of its kind.
func NewItem[T value[T]](k Kind, key string, v T) Item {
	return Item{Kind: k, Key: key, Data: Encode(v)}
}

// Encode returns the one encoding of a value: deterministic CBOR (RFC 8949, section 4.2.1).
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

// Limits of an item, beyond which it is malformed.
const (
	mostNested = 8
	mostParts  = 1 << 17
)

// Decode reads a value, strictly. It fails with an error that wraps [ErrMalformed].
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
