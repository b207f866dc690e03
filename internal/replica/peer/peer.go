// Package peer lets two machines of one owner exchange what they have over HTTP. A request
// and its answer each hold one pack: encrypted to the other machine, and signed by its
// author. Nothing else says who asks.
//
//	host.go    answers POST /sync
//	client.go  asks, as often as there is more
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

// Path is the path of the one route, Media the type of its bodies, and OwnerHeader the
// header that names the owner on a server of several.
const (
	Path        = "/sync"
	Media       = "application/vnd.satchel.pack"
	OwnerHeader = "Satchel-Owner"
)

// SecretPurpose is the purpose of Side.Secret, see [keys.Private.Secret]. By this secret a
// machine asks that knows no other machine's key yet.
const SecretPurpose = "satchel machines that ask"

// purposeRequest keeps such packs apart from messages.
const purposeRequest = "request over http"

// Side is one of the two machines.
type Side struct {
	Memory  replica.Memory
	Remotes replica.Remotes // keeps what is known of each other machine, see [Known]
	Author  pack.Author
	Reader  pack.Reader // its Machines are set here
	Secret  []byte      // the owner's for [SecretPurpose]
	Now     func() time.Time
}

// Known is what a machine knows of another one.
type Known struct {
	Joined replica.Position `json:"joined"` // up to where this machine has joined its stream
	Has    replica.Position `json:"has"`    // up to where it has joined this machine's stream
	Met    time.Time        `json:"met,omitzero"`
}

// Read returns what is known of another machine.
func Read(ctx context.Context, from replica.Remotes, machine memory.DID) (k Known, err error) {
	k, _, err = read(ctx, from, machine)
	return k, err
}

func read(ctx context.Context, from replica.Remotes, machine memory.DID) (k Known, stored []byte, err error) {
	stored, err = from.Remote(ctx, Remote(machine))
	if err == nil && stored != nil {
		err = json.Unmarshal(stored, &k)
	}
	return k, stored, err
}

// settled is how old the time of a meeting may be that changed nothing, so that machines that
// meet all the time do not write all the time.
const settled = 15 * time.Minute

// note stores what is known of another machine now.
func (s Side) note(ctx context.Context, machine memory.DID, joined, has replica.Position) error {
	was, stored, err := read(ctx, s.Remotes, machine)
	now := Known{joined, has, s.Now().UTC().Truncate(time.Second)}
	if err != nil || was.Joined == joined && was.Has == has && now.Met.Sub(was.Met).Abs() < settled {
		return err
	}
	text, err := json.Marshal(now)
	if err != nil {
		return err
	}
	return s.Remotes.SetRemote(ctx, Remote(machine), stored, text)
}

// Remote names a machine among the remotes of another.
func Remote(m memory.DID) string { return "machine " + string(m) }

// portion is how many bytes of items travel at once.
const portion = 4 << 20

// part finds a machine that takes part. An unknown one may have been signed by a machine
// that was removed, which has the owner's key too.
func (s Side) part(ctx context.Context, id memory.DID) (replica.Machine, error) {
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

// others are the machines that take part, without this one.
func (s Side) others(ctx context.Context) (found []replica.Machine, err error) {
	all, err := s.Memory.Machines(ctx)
	for _, m := range all {
		if m.Removed.IsZero() && m.ID != s.Author.Self.ID {
			found = append(found, m)
		}
	}
	return found, err
}

// reader reads packs of machines that are known here. A machine that knows no other yet
// believes those that the owner has signed.
func (s Side) reader(ctx context.Context) (pack.Reader, error) {
	all, err := s.Memory.Machines(ctx)
	r := s.Reader
	if r.Machines = all; len(all) <= 1 {
		r.Machines = nil
	}
	return r, err
}

// message begins a message with what this machine has of others.
func (s Side) message(ctx context.Context, to memory.DID) (m replica.Message, err error) {
	m = replica.Message{Owner: s.Author.Owner, From: s.Author.Self.ID, To: to, Have: map[memory.DID]replica.Position{}}
	others, err := s.others(ctx)
	for _, o := range others {
		var k Known
		if k, err = Read(ctx, s.Remotes, o.ID); err != nil {
			break
		}
		m.Have[o.ID] = k.Joined
	}
	if l, ok := s.Memory.(replica.Logs); ok && err == nil {
		m.Log, err = l.Log(ctx)
	}
	return m, err
}

// fill adds what comes after a place in the stream of this machine.
func (s Side) fill(ctx context.Context, m *replica.Message, after replica.Position) (err error) {
	m.After = after
	m.Items, m.Upto, m.More, err = s.Memory.Since(ctx, Remote(m.To), after, portion)
	return err
}

// take joins the items of a message, if they follow what is here, and returns up to where
// its author's stream is joined now. Otherwise the author learns from that where to begin.
func (s Side) take(ctx context.Context, m replica.Message) (joined replica.Joined, upto replica.Position, err error) {
	if l, ok := s.Memory.(replica.Logs); ok && len(m.Log) > 0 {
		if err := l.Heard(ctx, m.From, m.Log); err != nil {
			return joined, upto, err
		}
	}
	k, err := Read(ctx, s.Remotes, m.From)
	if err != nil || m.After != k.Joined {
		return joined, k.Joined, err
	}
	if len(m.Items) > 0 {
		if joined, err = s.Memory.Join(ctx, Remote(m.From), m); err != nil {
			return joined, k.Joined, err
		}
	}
	return joined, m.Upto, nil
}

// errStuck: the other machine takes items and does not say so.
var errStuck = errors.New("the other machine does not go on: satchel doctor there says more")
