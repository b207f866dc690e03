package replica

import (
	"bytes"
	"cmp"
	"time"
)

// Register is a value that one change replaces by another, such as a setting. Withdrawing the
// value is a change too. Withdrawn and Changed count the changes that a machine knows of. Of
// two registers the one with more withdrawals wins, then the one with more changes. If both
// numbers are equal, a withdrawal wins, else the bytewise smaller content.
type Register struct {
	Withdrawn int    `cbor:"1,keyasint,omitempty"`
	Changed   int    `cbor:"2,keyasint,omitempty"`
	Present   bool   `cbor:"3,keyasint,omitempty"` // false: the value is withdrawn
	Data      []byte `cbor:"4,keyasint,omitempty"`
}

// Join returns the register that wins.
func (r Register) Join(o Register) Register {
	if r.compare(o) < 0 {
		return o
	}
	return r
}

func (r Register) compare(o Register) int {
	if c := cmp.Or(cmp.Compare(r.Withdrawn, o.Withdrawn), cmp.Compare(r.Changed, o.Changed)); c != 0 {
		return c
	}
	if r.Present != o.Present {
		if o.Present {
			return 1
		}
		return -1
	}
	return bytes.Compare(o.Data, r.Data)
}

// Set returns the register after a change on this machine. present is false for a withdrawal.
func (r Register) Set(data []byte, present bool) Register {
	r.Changed++
	if !present {
		r.Withdrawn++
	}
	r.Present, r.Data = present, data
	return r
}

// Known is what a machine knew of an item when it last looked for changes, without the item's
// content.
type Known struct {
	Register Register `cbor:"1,keyasint"`
	Sum      []byte   `cbor:"2,keyasint,omitempty"` // digest of the content; empty: there was none
	Place    int64    `cbor:"3,keyasint,omitempty"` // of the definition of an agent, see Agent.Place
}

// Agent is a definition of an agent: the content of a [Register].
type Agent struct {
	Came     string    `cbor:"1,keyasint,omitempty"`
	Version  string    `cbor:"2,keyasint,omitempty"`
	Name     string    `cbor:"3,keyasint,omitempty"`
	Status   string    `cbor:"4,keyasint,omitempty"`
	Signer   string    `cbor:"5,keyasint,omitempty"`
	Received time.Time `cbor:"6,keyasint,omitempty"`
	Document []byte    `cbor:"7,keyasint,omitempty"`
	// Place orders the definitions of an agent. A definition that becomes the newest on a machine
	// gets one more than the greatest Place there. The newest definition has the greatest Place,
	// then the greatest digest.
	Place int64 `cbor:"8,keyasint,omitempty"`
}

// State is a checkpoint of an agent: the content of a [Register].
type State struct {
	Agent      string    `cbor:"1,keyasint,omitempty"`
	Run        string    `cbor:"2,keyasint,omitempty"`
	Status     string    `cbor:"3,keyasint,omitempty"`
	Source     string    `cbor:"4,keyasint,omitempty"`
	Checkpoint time.Time `cbor:"5,keyasint,omitempty"`
	Received   time.Time `cbor:"6,keyasint,omitempty"`
	Departed   time.Time `cbor:"7,keyasint,omitempty"` // when it went to another platform, see store.Departure; zero: it did not
	For        string    `cbor:"8,keyasint,omitempty"`
	To         string    `cbor:"9,keyasint,omitempty"`
	Document   []byte    `cbor:"10,keyasint,omitempty"`
}
