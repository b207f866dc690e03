package pack

import (
	"fmt"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/memory"
)

// maxMachines is the most machines in a message's Have.
const maxMachines = 1 << 10

// message is the encoding of a [replica.Message].
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
	Begin    *position           `cbor:"12,keyasint,omitempty"` // nil: zero
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

func encodeMessage(m replica.Message) []byte {
	w := message{Owner: string(m.Owner), From: string(m.From), To: string(m.To), Number: m.Number, Previous: m.Previous,
		Items: make([]item, len(m.Items)), After: positionOf(m.After), Upto: positionOf(m.Upto), More: m.More,
		Have: map[string]position{}, Log: m.Log}
	if m.Begin != (replica.Position{}) {
		begin := positionOf(m.Begin)
		w.Begin = &begin
	}
	for i, of := range m.Items {
		w.Items[i] = item{Kind: string(of.Kind), Key: of.Key, Data: of.Data}
	}
	for machine, p := range m.Have {
		w.Have[string(machine)] = positionOf(p)
	}
	return replica.Encode(w)
}

func decodeMessage(body []byte) (replica.Message, error) {
	w, err := replica.Decode[message](body)
	if err != nil {
		return replica.Message{}, err
	}
	if len(w.Have) > maxMachines {
		return replica.Message{}, fmt.Errorf("%w: %d machines", replica.ErrMalformed, len(w.Have))
	}
	m := replica.Message{Owner: memory.DID(w.Owner), From: memory.DID(w.From), To: memory.DID(w.To), Number: w.Number, Previous: w.Previous,
		Items: make([]replica.Item, len(w.Items)), After: w.After.position(), Upto: w.Upto.position(), More: w.More,
		Have: make(map[memory.DID]replica.Position, len(w.Have)), Log: w.Log}
	if w.Begin != nil {
		m.Begin = w.Begin.position()
	}
	for i, of := range w.Items {
		m.Items[i] = replica.Item{Kind: replica.Kind(of.Kind), Key: of.Key, Data: of.Data}
	}
	for machine, p := range w.Have {
		m.Have[memory.DID(machine)] = p.position()
	}
	return m, nil
}
