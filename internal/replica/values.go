package replica

import (
	"bytes"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Attachment is data beside the records that never changes, such as an edge of a bundle.
type Attachment struct {
	From   memory.ID `cbor:"1,keyasint,omitempty"`
	To     memory.ID `cbor:"2,keyasint,omitempty"`
	Import string    `cbor:"3,keyasint,omitempty"`
	Data   []byte    `cbor:"4,keyasint,omitempty"`
}

// Join returns the bytewise greater one, in case two machines made different data of one key.
func (a Attachment) Join(o Attachment) Attachment {
	if bytes.Compare(Encode(a), Encode(o)) < 0 {
		return o
	}
	return a
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

// Lesson counts the outcomes of a record that users of one machine reported. Its counts only
// grow.
type Lesson struct {
	Followed     int       `cbor:"1,keyasint,omitempty"`
	Overridden   int       `cbor:"2,keyasint,omitempty"`
	Ignored      int       `cbor:"3,keyasint,omitempty"`
	Contradicted int       `cbor:"4,keyasint,omitempty"`
	At           time.Time `cbor:"5,keyasint,omitempty"` // of the last report
}

// Join returns the greater of each count.
func (l Lesson) Join(o Lesson) Lesson {
	out := Lesson{max(l.Followed, o.Followed), max(l.Overridden, o.Overridden), max(l.Ignored, o.Ignored), max(l.Contradicted, o.Contradicted), l.At}
	if o.At.After(l.At) {
		out.At = o.At
	}
	return out
}

// Spent says that a single-use token was used.
type Spent struct {
	Until time.Time `cbor:"1,keyasint,omitempty"` // when the token expires
}

// Join returns the later time.
func (s Spent) Join(o Spent) Spent {
	if o.Until.After(s.Until) {
		return o
	}
	return s
}

// Import describes the import of a document.
type Import struct {
	Digest  string    `cbor:"1,keyasint,omitempty"`
	Format  string    `cbor:"2,keyasint,omitempty"`
	Name    string    `cbor:"3,keyasint,omitempty"`
	At      time.Time `cbor:"4,keyasint,omitempty"`
	Created int       `cbor:"5,keyasint,omitempty"`
	Merged  int       `cbor:"6,keyasint,omitempty"`
	Units   int       `cbor:"7,keyasint,omitempty"`
	Residue []byte    `cbor:"8,keyasint,omitempty"` // the document's content beside its records

	Complete  bool `cbor:"9,keyasint,omitempty"` // all of the document was imported
	Undone    bool `cbor:"10,keyasint,omitempty"`
	NoResidue bool `cbor:"11,keyasint,omitempty"` // the document's Residue was forgotten, or it had none
	NoDigest  bool `cbor:"12,keyasint,omitempty"` // the digest was forgotten, so that the document can be imported again
}

// Join unites two states of an import. Undoing wins, and so does forgetting.
func (i Import) Join(o Import) Import {
	out := Import{
		Digest: max(i.Digest, o.Digest), Format: max(i.Format, o.Format), Name: max(i.Name, o.Name), At: first(i.At, o.At),
		Created: max(i.Created, o.Created), Merged: max(i.Merged, o.Merged), Units: max(i.Units, o.Units),
		Residue: lesserBytes(i.Residue, o.Residue), Complete: i.Complete || o.Complete,
		Undone: i.Undone || o.Undone, NoResidue: i.NoResidue || o.NoResidue, NoDigest: i.NoDigest || o.NoDigest,
	}
	if out.NoResidue {
		out.Residue = nil
	}
	if out.NoDigest {
		out.Digest = ""
	}
	return out
}
