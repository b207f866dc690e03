// Package peer syncs two machines of one owner over HTTP. A request and its answer each hold
// one pack, encrypted to the other machine and signed by its author. The signature alone
// authenticates the machine.
//
//	peer.go     what both machines do      client.go   sends requests
//	host.go     answers them               receive.go  reads a request's body
//	refuse.go   answers with an error
package peer

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/replica/pack"
	"github.com/satchel-memory/satchel/memory"
)

// Path is the path of the route, Media the media type of its bodies. OwnerHeader names the
// owner, for servers of several owners.
const (
	Path        = "/sync"
	Media       = "application/vnd.satchel.pack"
	OwnerHeader = "Satchel-Owner"
)

// TicketHeader is the header with the ticket that a machine got by a pairing. Only satchel pair
// asks for it.
const TicketHeader = "Satchel-Ticket"

// SecretPurpose is the purpose of Side.Secret, see [keys.Private.Secret]. A machine that knows
// no other one encrypts its request with this secret.
const SecretPurpose = "satchel machines that ask"

// purposeRequest is the purpose of such a pack, see [pack.SealBody].
const purposeRequest = "request over http"

// Side is one of the two machines. All fields are required.
type Side struct {
	Memory  replica.Memory
	Remotes replica.Remotes // stores a Known for each other machine
	Author  pack.Author
	Reader  pack.Reader // its Machines are ignored: Memory names them
	Secret  []byte      // the owner's secret for [SecretPurpose]
	Now     func() time.Time
}

// Known is what this machine knows of another one.
type Known struct {
	Joined replica.Position `json:"joined"`       // this machine has joined the other's stream up to here
	Has    replica.Position `json:"has"`          // the other has joined this machine's stream up to here
	Met    time.Time        `json:"met,omitzero"` // the last exchange, to within 15 minutes; zero: never
}

// ReadKnown returns what this machine knows of another one; the zero Known: nothing.
func ReadKnown(ctx context.Context, from replica.Remotes, machine memory.DID) (k Known, err error) {
	k, _, err = read(ctx, from, machine)
	return k, err
}

func read(ctx context.Context, from replica.Remotes, machine memory.DID) (k Known, stored []byte, err error) {
	stored, err = from.Remote(ctx, RemoteName(machine))
	if err == nil && stored != nil {
		err = json.Unmarshal(stored, &k)
	}
	return k, stored, err
}

// metAccuracy is how old Met may be before an exchange that changes nothing else stores it
// anew. So machines that sync often do not write often.
const metAccuracy = 15 * time.Minute

// saveKnown stores what this machine knows of another one.
func (s Side) saveKnown(ctx context.Context, machine memory.DID, joined, has replica.Position) error {
	was, stored, err := read(ctx, s.Remotes, machine)
	now := Known{joined, has, s.Now().UTC().Truncate(time.Second)}
	if err != nil || was.Joined == joined && was.Has == has && now.Met.Sub(was.Met).Abs() < metAccuracy {
		return err
	}
	text, err := json.Marshal(now)
	if err != nil {
		return err
	}
	return s.Remotes.SetRemote(ctx, RemoteName(machine), stored, text)
}

// RemoteName returns the name of a machine among the remotes of [replica.Remotes].
func RemoteName(m memory.DID) string { return "machine " + string(m) }

// messageSize is about how many bytes of items a message holds.
const messageSize = 4 << 20

// member returns the entry of a machine that takes part. It fails with [replica.ErrRemoved], or
// with [replica.ErrUnknown]: a removed machine has the owner's key too, and could sign another
// entry.
func (s Side) member(ctx context.Context, id memory.DID) (replica.Machine, error) {
	all, err := s.Memory.Machines(ctx)
	if err != nil {
		return replica.Machine{}, err
	}
	for _, m := range all {
		switch {
		case m.ID != id:
		case !m.Removed.IsZero():
			return m, replica.ErrRemoved
		default:
			return m, nil
		}
	}
	return replica.Machine{}, replica.ErrUnknown
}

// others returns the machines that take part, without this one.
func (s Side) others(ctx context.Context) (found []replica.Machine, err error) {
	all, err := s.Memory.Machines(ctx)
	for _, m := range all {
		if m.Removed.IsZero() && m.ID != s.Author.Self.ID {
			found = append(found, m)
		}
	}
	return found, err
}

// reader returns a reader of packs of the machines that this one knows. A machine that knows no
// other reads packs of all machines that the owner has signed.
func (s Side) reader(ctx context.Context) (pack.Reader, error) {
	all, err := s.Memory.Machines(ctx)
	r := s.Reader
	if r.Machines = all; len(all) <= 1 {
		r.Machines = nil
	}
	return r, err
}

// newMessage returns a message without items.
func (s Side) newMessage(ctx context.Context, to memory.DID) (m replica.Message, err error) {
	m = replica.Message{Owner: s.Author.Owner, From: s.Author.Self.ID, To: to, Have: map[memory.DID]replica.Position{}}
	others, err := s.others(ctx)
	for _, o := range others {
		var k Known
		if k, err = ReadKnown(ctx, s.Remotes, o.ID); err != nil {
			break
		}
		m.Have[o.ID] = k.Joined
	}
	if l, ok := s.Memory.(replica.LogChecker); ok && err == nil {
		m.Log, err = l.LogHead(ctx)
	}
	return m, err
}

// addItems adds the items after a place in this machine's stream to a message.
func (s Side) addItems(ctx context.Context, m *replica.Message, after replica.Position) (err error) {
	m.After = after
	m.Items, m.Upto, m.More, err = s.Memory.Since(ctx, RemoteName(m.To), after, messageSize)
	return err
}

// joinMessage joins the items of a message if they follow the place up to which this machine
// has joined the author's stream. It returns that place, which tells the author where to
// begin: at the beginning if its store was put back to an earlier copy, since its places were
// other items' before, and it lacks what it had.
func (s Side) joinMessage(ctx context.Context, m replica.Message) (joined replica.Joined, upto replica.Position, err error) {
	k, err := ReadKnown(ctx, s.Remotes, m.From)
	if err != nil {
		return joined, upto, err
	}
	if l, ok := s.Memory.(replica.LogChecker); ok && len(m.Log) > 0 {
		putBack, err := l.CheckLogHead(ctx, m.From, m.Log)
		if err == nil && (putBack || isOtherStream(k.Joined, m.Upto)) {
			k.Joined = replica.Position{}
			err = l.SendAgain(ctx, RemoteName(m.From))
		}
		if err != nil {
			return joined, upto, err
		}
	}
	if m.After != k.Joined {
		return joined, k.Joined, nil
	}
	if len(m.Items) > 0 {
		if joined, err = s.Memory.Join(ctx, RemoteName(m.From), m); err != nil {
			return joined, k.Joined, err
		}
	}
	return joined, m.Upto, nil
}

// isOtherStream reports whether two places are known and lie in different streams.
func isOtherStream(a, b replica.Position) bool {
	none := replica.Position{}.Rest
	return a.Rest != none && b.Rest != none && a.Rest != b.Rest
}

// errStuck: the places of both machines' streams no longer change.
var errStuck = errors.New("the other machine does not go on: satchel doctor there says more")
