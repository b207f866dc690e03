package replica

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// Gone counts how often a record was erased or brought back. An odd number means that it is
// erased. The greater number counts.
type Gone int

// Join returns the greater number.
func (g Gone) Join(o Gone) Gone { return max(g, o) }

// Erased reports whether the record is erased.
func (g Gone) Erased() bool { return g%2 == 1 }

// GoneSecret returns the secret that marks the ids of records that an owner's machines have
// erased.
func GoneSecret(owner keys.Private) []byte {
	return owner.Secret("satchel marks of records that a machine erased")
}

// GoneMark returns the keyed mark of a record's id.
func GoneMark(secret []byte, id memory.ID) string {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte(id))
	return hex.EncodeToString(h.Sum(nil)[:20])
}

// Register is something that has one content at a time. Each withdrawal and each other
// change counts one more than what its machine had seen. More withdrawals count first, then
// more changes. What was changed alike often on two machines is withdrawn if one of them did
// that, else it has the bytewise smaller content.
type Register struct {
	Withdrawn int    `cbor:"1,keyasint,omitempty"`
	Changed   int    `cbor:"2,keyasint,omitempty"`
	Here      bool   `cbor:"3,keyasint,omitempty"`
	Data      []byte `cbor:"4,keyasint,omitempty"`
}

// Join returns the register that counts.
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
	if r.Here != o.Here {
		if o.Here {
			return 1
		}
		return -1
	}
	return bytes.Compare(o.Data, r.Data)
}

// Set returns the register after a change on this machine; here is false for a withdrawal.
func (r Register) Set(data []byte, here bool) Register {
	r.Changed++
	if !here {
		r.Withdrawn++
	}
	r.Here, r.Data = here, data
	return r
}

// Beside is data beside the records that never changes, such as an edge of a bundle.
type Beside struct {
	From   memory.ID `cbor:"1,keyasint,omitempty"`
	To     memory.ID `cbor:"2,keyasint,omitempty"`
	Import string    `cbor:"3,keyasint,omitempty"`
	Data   []byte    `cbor:"4,keyasint,omitempty"`
}

// Join returns the greater, in case that two machines made different data of one key.
func (b Beside) Join(o Beside) Beside {
	if bytes.Compare(Encode(b), Encode(o)) < 0 {
		return o
	}
	return b
}

// Grant is a capability token that the owner issued or revoked.
type Grant struct {
	Claims  []byte    `cbor:"1,keyasint,omitempty"`
	Name    string    `cbor:"2,keyasint,omitempty"`
	Issued  time.Time `cbor:"3,keyasint,omitempty"`
	Expires time.Time `cbor:"4,keyasint,omitempty"`
	Revoked time.Time `cbor:"5,keyasint,omitempty"`
}

// Join unites two states of a grant. A revocation wins, the earliest of several.
func (g Grant) Join(o Grant) Grant {
	return Grant{
		Claims: greater(g.Claims, o.Claims), Name: max(g.Name, o.Name), Issued: first(g.Issued, o.Issued),
		Expires: first(g.Expires, o.Expires), Revoked: first(g.Revoked, o.Revoked),
	}
}

// Lesson counts the outcomes of a record that one machine saw. Its counts only grow.
type Lesson struct {
	Followed     int       `cbor:"1,keyasint,omitempty"`
	Overridden   int       `cbor:"2,keyasint,omitempty"`
	Ignored      int       `cbor:"3,keyasint,omitempty"`
	Contradicted int       `cbor:"4,keyasint,omitempty"`
	At           time.Time `cbor:"5,keyasint,omitempty"`
}

// Join returns the greater of each count.
func (l Lesson) Join(o Lesson) Lesson {
	out := Lesson{max(l.Followed, o.Followed), max(l.Overridden, o.Overridden), max(l.Ignored, o.Ignored), max(l.Contradicted, o.Contradicted), l.At}
	if o.At.After(l.At) {
		out.At = o.At
	}
	return out
}

// Agent is one definition of an agent, the content of a register.
type Agent struct {
	Came     string    `cbor:"1,keyasint,omitempty"`
	Version  string    `cbor:"2,keyasint,omitempty"`
	Name     string    `cbor:"3,keyasint,omitempty"`
	Status   string    `cbor:"4,keyasint,omitempty"`
	Signer   string    `cbor:"5,keyasint,omitempty"`
	Received time.Time `cbor:"6,keyasint,omitempty"`
	Document []byte    `cbor:"7,keyasint,omitempty"`
}

// State is a checkpoint of an agent, the content of a register.
type State struct {
	Agent      string    `cbor:"1,keyasint,omitempty"`
	Run        string    `cbor:"2,keyasint,omitempty"`
	Status     string    `cbor:"3,keyasint,omitempty"`
	Source     string    `cbor:"4,keyasint,omitempty"`
	Checkpoint time.Time `cbor:"5,keyasint,omitempty"`
	Received   time.Time `cbor:"6,keyasint,omitempty"`
	Departed   time.Time `cbor:"7,keyasint,omitempty"` // with For and To: it went to another platform
	For        string    `cbor:"8,keyasint,omitempty"`
	To         string    `cbor:"9,keyasint,omitempty"`
	Document   []byte    `cbor:"10,keyasint,omitempty"`
}

// Spent is a single-use token that was used.
type Spent struct {
	Until time.Time `cbor:"1,keyasint,omitempty"`
}

// Join returns the later time.
func (s Spent) Join(o Spent) Spent {
	if o.Until.After(s.Until) {
		return o
	}
	return s
}

// Known is what a machine knew of an item beside the records when it last looked, without
// the item's content.
type Known struct {
	Register Register `cbor:"1,keyasint"`
	Sum      []byte   `cbor:"2,keyasint,omitempty"`
}

func digest(data []byte) []byte {
	sum := sha256.Sum256(data)
	return sum[:16]
}

// first returns the earlier of two instants; the zero time is none.
func first(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// lesser returns the lesser of two names; the empty name is none.
func lesser[S ~string](a, b S) S {
	if a == "" || b != "" && b < a {
		return b
	}
	return a
}

func lesserBytes(a, b []byte) []byte { return []byte(lesser(string(a), string(b))) }

func greater(a, b []byte) []byte {
	if bytes.Compare(a, b) < 0 {
		return b
	}
	return a
}

// union returns the elements of two lists, sorted, each once.
func union[T any](a, b []T, compare func(x, y T) int) []T {
	if len(a)+len(b) == 0 {
		return nil
	}
	all := append(slices.Clone(a), b...)
	slices.SortFunc(all, compare)
	return slices.CompactFunc(all, func(x, y T) bool { return compare(x, y) == 0 })
}

// Import is a document that was imported.
type Import struct {
	Digest  string    `cbor:"1,keyasint,omitempty"`
	Format  string    `cbor:"2,keyasint,omitempty"`
	Name    string    `cbor:"3,keyasint,omitempty"`
	At      time.Time `cbor:"4,keyasint,omitempty"`
	Created int       `cbor:"5,keyasint,omitempty"`
	Merged  int       `cbor:"6,keyasint,omitempty"`
	Units   int       `cbor:"7,keyasint,omitempty"`
	Residue []byte    `cbor:"8,keyasint,omitempty"`
	Wholly  bool      `cbor:"9,keyasint,omitempty"`
	Undone  bool      `cbor:"10,keyasint,omitempty"`
	Bare    bool      `cbor:"11,keyasint,omitempty"` // the document's own content was forgotten, or it had none
	Anew    bool      `cbor:"12,keyasint,omitempty"` // the document counts as unknown again
}

// Join unites two states of an import. Undoing wins, and so does forgetting.
func (i Import) Join(o Import) Import {
	out := Import{
		Digest: max(i.Digest, o.Digest), Format: max(i.Format, o.Format), Name: max(i.Name, o.Name), At: first(i.At, o.At),
		Created: max(i.Created, o.Created), Merged: max(i.Merged, o.Merged), Units: max(i.Units, o.Units),
		Residue: lesserBytes(i.Residue, o.Residue), Wholly: i.Wholly || o.Wholly,
		Undone: i.Undone || o.Undone, Bare: i.Bare || o.Bare, Anew: i.Anew || o.Anew,
	}
	if out.Bare {
		out.Residue = nil
	}
	if out.Anew {
		out.Digest = ""
	}
	return out
}
