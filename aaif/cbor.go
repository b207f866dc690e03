package aaif

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/fxamacker/cbor/v2"

	"github.com/satchel-memory/satchel/canon"
)

// CBORMediaType is the media type of documents in CBOR (section 9, AAIF-9-4).
const CBORMediaType = `application/cbor; profile="https://schemacommons.org/SC-006/cbor"`

// IsCBOR reports whether bytes begin like a document in CBOR: with a map, which JSON
// never does, or with a tag, which FromCBOR refuses.
func IsCBOR(raw []byte) bool { return len(raw) > 0 && raw[0] >= 0xa0 && raw[0] != 0xef }

// ToCBOR encodes a document in core deterministic CBOR (RFC 8949, section 4.2.1; decision
// R39): equal documents give equal bytes. Integers of up to 64 bits keep all digits;
// other numbers become the nearest double.
func ToCBOR(v canon.Value) ([]byte, error) {
	mode, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		return nil, err
	}
	return mode.Marshal(v.Plain(encodableNumber))
}

// encodableNumber returns whole numbers of up to 64 bits as integers, however they are
// spelled, and all others as doubles.
func encodableNumber(v canon.Value) any {
	spelling := v.Spelling()
	if n, err := strconv.ParseInt(spelling, 10, 64); err == nil {
		return n
	}
	if n, err := strconv.ParseUint(spelling, 10, 64); err == nil {
		return n
	}
	switch f := v.Float(); {
	case f != math.Trunc(f) || f >= 1<<64 || f < -1<<63:
		return f
	case f < 0:
		return int64(f)
	default:
		return uint64(f)
	}
}

// FromCBOR reads the tree of a document in CBOR. It accepts only what JSON can express,
// with unique text strings as keys (AAIF-9-5, AAIF-9-7). Members come in the order of
// their names.
func FromCBOR(raw []byte, opt ReadOptions) (canon.Value, error) {
	opt = opt.filled()
	if int64(len(raw)) > opt.Bytes {
		return canon.Value{}, fault(TooLarge, "9-3", "", "longer than %d bytes", opt.Bytes)
	}
	mode, err := decoding(opt)
	if err != nil {
		return canon.Value{}, err
	}
	var tree any
	if err := mode.Unmarshal(raw, &tree); err != nil {
		return canon.Value{}, cborError(err)
	}
	v, err := (&cborTree{left: opt.Values, opt: opt}).value(tree, "")
	if err != nil {
		return canon.Value{}, err
	}
	return within(v, opt)
}

func decoding(opt ReadOptions) (cbor.DecMode, error) {
	simple, err := cbor.NewSimpleValueRegistryFromDefaults(cbor.WithRejectedSimpleValue(23)) // undefined
	if err != nil {
		return nil, err
	}
	return cbor.DecOptions{
		DupMapKey: cbor.DupMapKeyEnforcedAPF, TagsMd: cbor.TagsForbidden, SimpleValues: simple,
		MaxNestedLevels: min(max(opt.Depth, 4), 65535), MaxArrayElements: max(opt.Values, 16), MaxMapPairs: max(opt.Values, 16),
		IntDec: cbor.IntDecConvertNone, UTF8: cbor.UTF8RejectInvalid,
		NaN: cbor.NaNDecodeForbidden, Inf: cbor.InfDecodeForbidden,
	}.DecMode()
}

// cborError says why CBOR was refused.
func cborError(err error) error {
	switch e := err.(type) {
	case *cbor.DupMapKeyError:
		return fault(DuplicateKey, "9-7", "", "a key stands twice in a map")
	case *cbor.InvalidMapKeyTypeError:
		return fault(CBORKeyType, "9-5", "", "a key that is no text string")
	case *cbor.MaxNestedLevelError, *cbor.MaxArrayElementsError, *cbor.MaxMapPairsError:
		return fault(TooLarge, "9-3", "", "%v", e)
	}
	return fault(CBORNotJSON, "9-7", "", "%v", err)
}

// cborTree turns values of the CBOR library into a tree, as long as there are not too many.
type cborTree struct {
	left int
	opt  ReadOptions
}

func (t *cborTree) value(tree any, pointer string) (canon.Value, error) {
	if t.left--; t.left < 0 {
		return canon.Value{}, tooMany(t.opt)
	}
	switch x := tree.(type) {
	case nil:
		return canon.Null(), nil
	case bool:
		return canon.Bool(x), nil
	case string:
		return canon.String(x), nil
	case int64:
		return canon.Int(x), nil
	case uint64:
		return canon.Parse(strconv.AppendUint(nil, x, 10), canon.Options{Inexact: true})
	case big.Int:
		return canon.Parse([]byte(x.String()), canon.Options{Inexact: true})
	case float64:
		return canon.Number(x), nil
	case []any:
		return t.list(x, pointer)
	case map[any]any:
		return t.object(x, pointer)
	}
	return canon.Value{}, fault(CBORNotJSON, "9-7", pointer, "something that JSON cannot say: %T", tree)
}

func (t *cborTree) list(list []any, pointer string) (canon.Value, error) {
	items := make([]canon.Value, len(list))
	for i, x := range list {
		v, err := t.value(x, item(pointer, i))
		if err != nil {
			return canon.Value{}, err
		}
		items[i] = v
	}
	return canon.Array(items...), nil
}

func (t *cborTree) object(object map[any]any, pointer string) (canon.Value, error) {
	members := make([]canon.Member, 0, len(object))
	for key, x := range object {
		name, ok := key.(string)
		if !ok {
			return canon.Value{}, fault(CBORKeyType, "9-5", pointer, "a key that is no text string")
		}
		v, err := t.value(x, under(pointer, name))
		if err != nil {
			return canon.Value{}, err
		}
		members = append(members, canon.Member{Name: name, Value: v})
	}
	slices.SortFunc(members, func(a, b canon.Member) int { return strings.Compare(a.Name, b.Name) })
	return canon.Object(members...), nil
}

// Diagnostic returns CBOR in diagnostic notation (RFC 8949, section 8; AAIF-U.T-1).
func Diagnostic(raw []byte) (string, error) { return cbor.Diagnose(raw) }
