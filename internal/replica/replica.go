// Package replica lets the machines of one owner end up with the same memory. Machines
// exchange messages of items, in any order, over anything, as often as they like: items of
// the same key are joined, see [Join], and joining is commutative, associative and
// idempotent. No clock decides anything.
//
// The package is pure. Package folder carries messages in a folder, package
// internal/vault/replicate reads items from an owner's memory and joins others with it.
package replica

import (
	"context"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Machine is one of an owner's machines. The owner's key signs it, so that no one else adds
// a machine.
type Machine struct {
	ID        memory.DID // of the machine's own key, which signs its messages
	Name      string     // for people, unique among the owner's machines
	Renamed   int        // how often it got another name: the latest name counts
	Recipient string     // for age: who encrypts to it lets this machine read
	Added     time.Time
	Removed   time.Time // zero: it takes part. A machine that was removed never comes back.
	// Proof is the signature of the machine's own key over its id and Recipient: another
	// machine, which has the owner's key too, cannot put its own Recipient in an entry.
	Proof     []byte
	Signature []byte // by the owner's key over the rest
}

// Item is one thing that the machines of an owner share.
type Item struct {
	Kind Kind
	Key  string // names it among those of its kind; an erasure's is a keyed mark, which names nothing
	Data []byte // in the form of its kind
}

// Kind says what an item is.
type Kind string

// Position is a place in the stream of a machine's items, by the machine's own count. The
// zero Position is before the first.
type Position struct {
	Changes  int64    // of the change feed
	Attached int64    // number of the last attachment
	Rest     [16]byte // digest that tells this stream from that of a store that was put back to an earlier state
}

// Message is what a machine tells one other machine, or all of them.
type Message struct {
	Owner    memory.DID
	From     memory.DID
	To       memory.DID // empty: all machines of the owner
	Number   int64      // counts From's messages over this remote, from 1
	Previous [32]byte   // digest of From's message before this one over the same remote
	// Items are From's items after the place After, up to Upto. If More, others follow.
	Items       []Item
	After, Upto Position
	More        bool
	// Have says, of the other machines, up to where From has joined their streams.
	Have map[memory.DID]Position
	// Log is what [Logs] says of From's audit log, which stays with it: a log that is cut later
	// is noticed elsewhere.
	Log []byte
}

// Memory is an owner's memory on this machine.
type Memory interface {
	// Self returns this machine.
	Self() Machine
	// Machines returns the owner's machines, this one and those removed included.
	Machines(ctx context.Context) ([]Machine, error)
	// Since returns items after a place in this machine's stream, at most some max bytes of
	// them but at least one, and the place up to which they are. It leaves out what came from
	// the remote with the given name and is unchanged since; it leaves out nothing for the name "".
	Since(ctx context.Context, remote string, after Position, max int) (items []Item, upto Position, more bool, err error)
	// Join takes in the items of a message, all or none. It verifies each: what the owner has
	// not signed is refused with [ErrUnsigned], what is malformed with [ErrMalformed]. remote
	// names where they came from.
	Join(ctx context.Context, remote string, m Message) (Joined, error)
	// Erased returns the keyed marks of what was erased since a place in the stream, and
	// the place up to which these are. Marks that came from other machines are among them.
	Erased(ctx context.Context, after Position) (marks []string, upto Position, err error)
	// Marked reports for items whether they hold something with one of the marks that are in
	// force.
	Marked(ctx context.Context, items []Item) ([]bool, error)
}

// Logs is a [Memory] that can tell whether the audit log of another machine was cut.
type Logs interface {
	// Log returns the head of this machine's log, and when it was the head.
	Log(ctx context.Context) ([]byte, error)
	// Heard compares what another machine's Log returned with what was heard of it before. Where
	// it does not follow, that is noted. What was on its way for long changes nothing, nor does
	// what the owner did not sign.
	Heard(ctx context.Context, from memory.DID, log []byte) error
}

// Remotes keeps what this machine knows about each remote.
type Remotes interface {
	// Remote returns what is known about a remote, in JSON, or nil if nothing is.
	Remote(ctx context.Context, name string) ([]byte, error)
	// SetRemote replaces old by new. It fails with [ErrBusy] if the value is not old.
	SetRemote(ctx context.Context, name string, old, new []byte) error
}

// ErrBusy means that two programs of this machine meet the same remote at once. The one that
// comes second tries again later.
var ErrBusy = errors.New("another program meets this remote just now; try again")

// Joined counts what a join did.
type Joined struct {
	Added, Changed, Erased int // memories
	Other                  int // that were added or changed, of other kinds
	Conflicts              int // memories of which versions were made apart
}

// Add adds the counts of another join.
func (j *Joined) Add(o Joined) {
	j.Added, j.Changed, j.Erased, j.Other, j.Conflicts = j.Added+o.Added, j.Changed+o.Changed, j.Erased+o.Erased, j.Other+o.Other, j.Conflicts+o.Conflicts
}
