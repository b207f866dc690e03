package vault

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// ErrMoved is the cause of a refusal because the owner is changing, or has changed, to
// another key; see package rekey.
var ErrMoved = errors.New("the owner has another key")

// ErrElsewhere is the cause of a refusal because the owner was moved to another store.
var ErrElsewhere = errors.New("the owner is in another store")

// moveState is how far a rekey has come.
type moveState string

const (
	MoveBegun  moveState = "begun"  // the old owner is read-only
	MoveCopied moveState = "copied" // the new owner has everything, verified
	MoveDone   moveState = "done"   // nothing is left under the old owner

	// MoveElsewhere: the owner went, with the key, to another store, which to names.
	MoveElsewhere moveState = store.Elsewhere
)

// Move says how far an owner has moved, and to which owner. The store keeps it with the
// owner as the state, a space, and the other owner. The zero move: not at all.
type Move struct {
	State moveState
	To    memory.DID
}

// MoveOf reads how far the owner has moved.
func MoveOf(r store.Reader) (Move, error) {
	how, err := r.Moved()
	if how == store.Removed { // a removed owner has moved nowhere
		how = ""
	}
	state, to, _ := strings.Cut(how, " ")
	return Move{moveState(state), memory.DID(to)}, err
}

// Mark stores m with the owner.
func (m Move) Mark(w store.Writer) error { return w.SetMoved(string(m.State) + " " + string(m.To)) }

// UnmarkMove removes the mark of a move.
func UnmarkMove(w store.Writer) error { return w.SetMoved("") }

// guarded refuses writes for an owner who is changing keys, writes without an owner's
// key that belongs here, and writes beyond the quota. It also refuses reads to a program
// opened for an owner who has changed keys, so that the program is started again. For an
// owner in another store it refuses both.
type guarded struct {
	store.Store
	home  memory.DID
	holds func(memory.DID) bool // reports whether an owner's key is open
	tells bool                  // refusals name the store that an owner moved to
	keeps caches
}

// guard returns the guard of this vault's store.
func (k *keyring) guard() guarded {
	return guarded{home: k.home, holds: k.holds, tells: k.atHand(), keeps: k.core}
}

// guard guards s. The result can be watched and compacted if s can.
func guard(s store.Store, g guarded) store.Store {
	g.Store = s
	c, compacts := s.(store.Compacter)
	w, watches := s.(store.Watcher)
	switch {
	case compacts && watches:
		return struct {
			guarded
			store.Compacter
			store.Watcher
		}{g, c, w}
	case compacts:
		return struct {
			guarded
			store.Compacter
		}{g, c}
	case watches:
		return struct {
			guarded
			store.Watcher
		}{g, w}
	}
	return g
}

// Update refuses once a rekey has begun, and beyond the quota.
func (g guarded) Update(ctx context.Context, owner memory.DID, fn func(store.Writer) error) error {
	return updateTelling(ctx, g.Store, g.keeps, owner, func(w store.Writer) error {
		before, err := g.enter(w, owner)
		if err != nil {
			return err
		}
		if err := g.expect(w, owner); err != nil {
			return err
		}
		if err := fn(w); err != nil {
			return err
		}
		return before.check(w)
	})
}

// enter returns what an owner who may be written for keeps so far.
func (g guarded) enter(w store.Writer, owner memory.DID) (usage, error) {
	if err := refuseMoved(w, g.tells, MoveBegun, MoveCopied, MoveDone, MoveElsewhere); err != nil {
		return usage{}, err
	}
	a, err := w.Account()
	if err != nil {
		return usage{}, err
	}
	if len(a.Key) > 0 && !g.holds(owner) {
		return usage{}, &memory.Error{Kind: memory.Unsupported, Message: "the owner's key is not open here: nothing can be written for the owner"}
	}
	return usageOf(w, a)
}

// expect refuses writes for an owner who was never admitted, or has left. A program with
// the owner's key, or without a home owner, needs no admission.
func (g guarded) expect(w store.Writer, owner memory.DID) error {
	a, err := w.Account()
	if err != nil || g.home == "" || owner == g.home || !a.Added.IsZero() || g.holds(owner) {
		return err
	}
	return &memory.Error{Kind: memory.ForbiddenScope, Message: "nobody let this owner in, or not any more: nothing is written for the owner; satchel owner list shows who is in"}
}

// View refuses the program's own owner once nothing is left to see, and every owner
// whose rows are outdated.
func (g guarded) View(ctx context.Context, owner memory.DID, fn func(store.Reader) error) error {
	refused := []moveState{MoveElsewhere}
	if owner == g.home {
		refused = append(refused, MoveDone)
	}
	return g.Store.View(ctx, owner, func(r store.Reader) error {
		if err := refuseMoved(r, g.tells, refused...); err != nil {
			return err
		}
		return fn(store.OrderTies(r, sync.OnceValues(func() (bool, error) { self, err := selfOf(r); return self != "", err })))
	})
}

func refuseMoved(r store.Reader, tells bool, states ...moveState) error {
	m, err := MoveOf(r)
	if err != nil || m.State == "" || !slices.Contains(states, m.State) {
		return err
	}
	return m.Refusal(tells)
}

// Refusal says what to do instead. Only the command line learns where the owner's other
// store is, and under which owner.
func (m Move) Refusal(tells bool) error {
	message, cause := "the owner is going over to another key: satchel owner rekey finishes that", ErrMoved
	switch m.State {
	case MoveDone:
		message = "the owner went over to another key: start this program again"
	case MoveElsewhere:
		message, cause = "the owner's memory was moved to another server", ErrElsewhere
		if tells {
			message = "the owner's memory was moved to " + string(m.To) + ": open it there with --store, " +
				"or bring it back with satchel store move"
		}
	}
	return &memory.Error{Kind: memory.Unsupported, Message: message, Err: cause}
}

// trackingWriter is a Writer that notes the records it removes, so that the caches drop
// them.
type trackingWriter struct {
	store.Writer
	gone []memory.ID
	all  bool
}

// Replace notes a record that becomes a tombstone.
func (p *trackingWriter) Replace(row store.Row, links store.Links) error {
	if row.Columns.Status == memory.Tombstoned {
		p.gone = append(p.gone, row.ID)
	}
	return p.Writer.Replace(row, links)
}

// Delete notes a record that is erased.
func (p *trackingWriter) Delete(id memory.ID) error {
	p.gone = append(p.gone, id)
	return p.Writer.Delete(id)
}

// EraseOwner notes that everything is erased.
func (p *trackingWriter) EraseOwner() error {
	p.all = true
	return p.Writer.EraseOwner()
}

// maxTracked is the number of removed records above which the caches drop everything,
// which takes less time.
const maxTracked = 64

// caches is what learns of updates.
type caches interface {
	// dropped drops records of an owner from memory; without ids, all of them.
	dropped(owner memory.DID, ids ...memory.ID)
	// wrote says that an update of an owner is stored.
	wrote(owner memory.DID)
}

// updateTelling runs an update of an owner, tells the caches of it, and has them drop the
// removed records, whatever the outcome of the update.
func updateTelling(ctx context.Context, s store.Store, keeps caches, owner memory.DID, fn func(store.Writer) error) error {
	p := &trackingWriter{}
	err := s.Update(ctx, owner, func(w store.Writer) error {
		p.Writer = w
		return fn(p)
	})
	switch {
	case p.all, len(p.gone) > maxTracked:
		keeps.dropped(owner)
	case len(p.gone) > 0:
		keeps.dropped(owner, p.gone...)
	}
	if err == nil {
		keeps.wrote(owner)
	}
	return err
}

// dropped implements [caches].
func (c *core) dropped(owner memory.DID, ids ...memory.ID) {
	c.recalls.drop(owner)
	c.beliefs.Drop(owner, ids...)
	if c.meaning != nil && len(ids) == 0 { // the change feed names single ones
		c.meaning.Drop(owner)
	}
}

// wrote implements [caches].
func (c *core) wrote(owner memory.DID) {
	if c.meaning != nil {
		c.meaning.Wrote(owner)
	}
}

// updateBare is Update without the guard.
func (c *core) updateBare(ctx context.Context, owner memory.DID, fn func(store.Writer) error) error {
	return updateTelling(ctx, c.bare, c, owner, fn)
}
