// Package replica defines what the machines of one owner exchange, so that all end up with the
// same memory. Machines send messages of items, in any order and as often as they like. Items
// of the same key are joined, see [Join]. Joining is commutative, associative and idempotent,
// and depends on no clock.
//
// The package is pure. Package folder exchanges messages through a shared folder, package peer
// over HTTP. Package internal/vault/replicate turns an owner's memory into items, and joins
// items with the memory.
//
//	replica.go   machines, messages and the interfaces of a memory
//	kinds.go     kinds of items, their encoding and Join
//	record.go    records           erasure.go   erased records
//	register.go  settings and other values that changes replace
//	values.go    imports, tokens, feedback and attachments
//	machine.go   signatures of machines
//	fault.go     what can be wrong with data from a remote
package replica

import (
	"context"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Machine is the entry of one of an owner's machines. The owner's key signs the entry, so that
// nobody else can add a machine. In CBOR and JSON its members have the names of its fields.
type Machine struct {
	ID        memory.DID // of the machine's own key, which signs its messages
	Name      string     // for people; machines renamed apart may share one
	Renamed   int        // how often the machine was renamed; the entry with the most has the name that counts
	Recipient string     // age recipient: packs for the machine are encrypted to it
	Added     time.Time
	Removed   time.Time // zero: the machine takes part. A removed machine never comes back.
	// Proof is the signature of the machine's own key over ID and Recipient. Other machines have
	// the owner's key too; the proof keeps them from replacing the Recipient.
	Proof     []byte
	Signature []byte // by the owner's key over the rest
}

// Item is a record, or another thing that the machines of an owner share.
type Item struct {
	Kind Kind
	Key  string // unique among the items of a kind
	Data []byte // encoded by Encode, of the type that belongs to Kind
}

// Kind is the kind of an item.
type Kind string

// Position is a place in the stream of a machine's items. Only that machine can interpret it.
// The zero Position is before the first item.
type Position struct {
	Changes  int64    // sequence number in the change feed
	Attached int64    // number of the last attachment
	Rest     [16]byte // digest that identifies the stream; a store restored from a backup begins another one
}

// Message carries items from a machine to one other machine, or to all.
type Message struct {
	Owner    memory.DID
	From     memory.DID
	To       memory.DID // empty: all machines of the owner
	Number   int64      // zero: not used
	Previous [32]byte   // zero: not used
	// Items are the items of From's stream after the place After, up to Upto.
	Items       []Item
	After, Upto Position
	More        bool // items follow after Upto
	// Have holds the places up to which From has joined the streams of other machines.
	Have map[memory.DID]Position
	// Begin is the place at which the answer has to begin; zero: up to where From has joined the
	// stream. From asks for later items before it has joined earlier ones.
	Begin Position
	// Log is the head of From's audit log, see [LogChecker]; empty: From sends none.
	Log []byte
}

// Memory is an owner's memory on this machine. It is safe for concurrent use. Callers may keep
// what the methods return.
type Memory interface {
	// Self returns this machine.
	Self() Machine
	// Machines returns the owner's machines in any order, also this one and removed ones.
	Machines(ctx context.Context) ([]Machine, error)
	// Since returns the items after a place in this machine's stream, and the place of the last
	// one. It returns about max bytes of items, but at least one item; more says that others
	// follow. It leaves out items that came from the named remote and have not changed since.
	// For the name "" it leaves out none.
	Since(ctx context.Context, remote string, after Position, max int) (items []Item, upto Position, more bool, err error)
	// Join joins the items of a message, all or none. It fails with [ErrUnsigned] if the owner
	// has not signed one of them, and with [ErrMalformed] if one is malformed. remote names the
	// remote they came from.
	Join(ctx context.Context, remote string, m Message) (Joined, error)
	// Erased returns the marks of the records that were erased since a place in this machine's
	// stream, here or on another machine, and the place of the last one. See [ErasureMark].
	Erased(ctx context.Context, after Position) (marks []string, upto Position, err error)
	// Marks returns the marks of all records whose content some items hold. See [ErasureMark].
	Marks(items []Item) []string
	// Marked reports for each item whether it holds content of an erased record.
	Marked(ctx context.Context, items []Item) ([]bool, error)
}

// LogChecker is a [Memory] that notices when the audit log of another machine was cut.
type LogChecker interface {
	// LogHead returns the signed head of this machine's audit log, with the time; nil: the log
	// is empty.
	LogHead(ctx context.Context) ([]byte, error)
	// CheckLogHead compares the LogHead of another machine with its earlier ones. If the log
	// lacks entries that it had, CheckLogHead notes that and cut is set, once. It ignores a head
	// that is older than one seen before, and one that the owner did not sign.
	CheckLogHead(ctx context.Context, from memory.DID, head []byte) (cut bool, err error)
	// SendAgain lets Since leave out nothing that came from a remote until now.
	SendAgain(ctx context.Context, remote string) error
}

// Remotes stores what this machine knows about each remote. It is safe for concurrent use.
type Remotes interface {
	// Remote returns what is known about a remote, in JSON; nil: nothing.
	Remote(ctx context.Context, name string) ([]byte, error)
	// SetRemote replaces old by new. It fails with [ErrBusy] if the stored value is not old.
	SetRemote(ctx context.Context, name string, old, new []byte) error
}

// ErrBusy means that two programs of this machine sync with the same remote at once. The
// second one should try again later.
var ErrBusy = errors.New("another program meets this remote just now; try again")

// Joined counts what a join did.
type Joined struct {
	Added, Changed, Erased int // memories
	Other                  int // items of other kinds that were added or changed
	Conflicts              int // memories that two machines revised apart, first noticed by this join
}

// Add adds the counts of another join.
func (j *Joined) Add(o Joined) {
	j.Added, j.Changed, j.Erased, j.Other, j.Conflicts = j.Added+o.Added, j.Changed+o.Changed, j.Erased+o.Erased, j.Other+o.Other, j.Conflicts+o.Conflicts
}
