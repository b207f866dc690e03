package pack

import (
	"fmt"

	"github.com/fxamacker/cbor/v2"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/memory"
)

// Limits of a message.
const (
	maxItems    = 1 << 20
	maxMachines = 1 << 10
)

// message is a [replica.Message].
type message struct {
	Owner    string              `cbor:"1,keyasint"`
	From     string              `cbor:"2,keyasint"`
	To       string              `cbor:"3,keyasint,omitempty"`
	Number   int64               `cbor:"4,keyasint"`
	Previous [32]byte            `cbor:"5,keyasint"`
	Items    []item              `cbor:"6,keyasint"`
	After    position            `cbor:"7,keyasint"`
	Upto     position            `cbor:"8,keyasint"`
	More     bool                `cbor:"9,keyasint,omitempty"`
	Have     map[string]position `cbor:"10,keyasint"`
	Log      []byte              `cbor:"11,keyasint"`
}

type item struct {
	_    struct{} `cbor:",toarray"`
	Kind string
	Key  string
	Data []byte
}

type position struct {
	_        struct{} `cbor:",toarray"`
	Changes  int64
	Attached int64
	Rest     [16]byte
}

func positionOf(p replica.Position) position {
	return position{Changes: p.Changes, Attached: p.Attached, Rest: p.Rest}
}

func (p position) position() replica.Position {
	return replica.Position{Changes: p.Changes, Attached: p.Attached, Rest: p.Rest}
}

func encodeMessage(m replica.Message) ([]byte, error) {
	w := message{Owner: string(m.Owner), From: string(m.From), To: string(m.To), Number: m.Number, Previous: m.Previous,
		Items: make([]item, len(m.Items)), After: positionOf(m.After), Upto: positionOf(m.Upto), More: m.More,
		Have: map[string]position{}, Log: m.Log}
	for i, of := range m.Items {
		w.Items[i] = item{Kind: string(of.Kind), Key: of.Key, Data: of.Data}
	}
	for machine, p := range m.Have {
		w.Have[string(machine)] = positionOf(p)
	}
	return Encode(w)
}

func decodeMessage(body []byte) (replica.Message, error) {
	var w message
	if err := Decode(body, &w); err != nil {
		return replica.Message{}, err
	}
	if len(w.Have) > maxMachines {
		return replica.Message{}, fmt.Errorf("%w: %d machines", replica.ErrMalformed, len(w.Have))
	}
	m := replica.Message{Owner: memory.DID(w.Owner), From: memory.DID(w.From), To: memory.DID(w.To), Number: w.Number, Previous: w.Previous,
		Items: make([]replica.Item, len(w.Items)), After: w.After.position(), Upto: w.Upto.position(), More: w.More,
		Have: make(map[memory.DID]replica.Position, len(w.Have)), Log: w.Log}
	for i, of := range w.Items {
		m.Items[i] = replica.Item{Kind: replica.Kind(of.Kind), Key: of.Key, Data: of.Data}
	}
	for machine, p := range w.Have {
		m.Have[memory.DID(machine)] = p.position()
	}
	return m, nil
}

// Encode writes a body in deterministic CBOR: equal bodies give equal bytes.
func Encode(v any) ([]byte, error) {
	mode, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		return nil, err
	}
	return mode.Marshal(v)
}

// Decode reads a body strictly: no doubled or unknown member, no tag, nothing after it, at
// most so deep and so many. The error wraps [replica.ErrMalformed].
func Decode(body []byte, v any) error {
	mode, err := decoding(cbor.ExtraDecErrorUnknownField)
	if err != nil {
		return err
	}
	if err := mode.Unmarshal(body, v); err != nil {
		return fmt.Errorf("%w: %w", replica.ErrMalformed, err)
	}
	return nil
}

func decoding(extra cbor.ExtraDecErrorCond) (cbor.DecMode, error) {
	return cbor.DecOptions{
		DupMapKey:         cbor.DupMapKeyEnforcedAPF,
		IndefLength:       cbor.IndefLengthForbidden,
		TagsMd:            cbor.TagsForbidden,
		UTF8:              cbor.UTF8RejectInvalid,
		MaxNestedLevels:   8,
		MaxArrayElements:  maxItems,
		MaxMapPairs:       maxMachines,
		ExtraReturnErrors: extra,
	}.DecMode()
}
