package vault

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// ErrMoved is the cause of a refusal because the owner goes over, or went over,
// to another key; see [Vault.Rekey].
var ErrMoved = errors.New("the owner has another key")

// A rekey leaves a mark among the grants of the old owner, under an id that no
// token has, because it has a space. Its name is how far the rekey has come, a space, and the new owner.
const moveID = "owner rekey"

// moveState is how far a rekey has come.
type moveState string

const (
	moveBegun  moveState = "begun"  // nothing is written for the old owner any more
	moveCopied moveState = "copied" // all of it is there, verified, under the new owner
	moveDone   moveState = "done"   // nothing is left under the old owner
)

// move is what the mark says. The zero move: there is none.
type move struct {
	state moveState
	to    memory.DID
}

func moveOf(r store.Reader) (move, error) {
	g, err := r.Grant(moveID)
	if errors.Is(err, store.ErrNotFound) {
		return move{}, nil
	}
	state, to, _ := strings.Cut(g.Name, " ")
	switch m := (move{moveState(state), memory.DID(to)}); m.state {
	case moveBegun, moveCopied, moveDone:
		return m, err
	}
	return move{}, err // an id that somebody revoked, as a token's
}

// mark files the move. It counts as revoked, should anybody take it for a token.
func (m move) mark(w store.Writer, now time.Time) error {
	return w.SetGrant(store.Grant{ID: moveID, Name: string(m.state) + " " + string(m.to), Issued: now, Revoked: now})
}

// unmark takes a mark back.
func unmark(w store.Writer, now time.Time) error {
	return w.SetGrant(store.Grant{ID: moveID, Issued: now, Revoked: now})
}

// guarded refuses to write for an owner who goes over to another key. A program
// that was opened for that owner learns from reading, too, that it has to be
// started again.
type guarded struct {
	store.Store
	home memory.DID
}

// guard guards s, whose abilities stay.
func guard(s store.Store, home memory.DID) store.Store {
	g := guarded{s, home}
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

// Update refuses once a rekey has begun.
func (g guarded) Update(ctx context.Context, owner memory.DID, fn func(store.Writer) error) error {
	return g.Store.Update(ctx, owner, func(w store.Writer) error {
		if err := refuseMoved(w, moveBegun, moveCopied, moveDone); err != nil {
			return err
		}
		return fn(w)
	})
}

// View refuses the program's own owner once nothing is left to be seen.
func (g guarded) View(ctx context.Context, owner memory.DID, fn func(store.Reader) error) error {
	if owner != g.home {
		return g.Store.View(ctx, owner, fn)
	}
	return g.Store.View(ctx, owner, func(r store.Reader) error {
		if err := refuseMoved(r, moveDone); err != nil {
			return err
		}
		return fn(r)
	})
}

func refuseMoved(r store.Reader, states ...moveState) error {
	m, err := moveOf(r)
	if err != nil {
		return err
	}
	for _, s := range states {
		if m.state != s {
			continue
		}
		message := "the owner is going over to another key: satchel owner rekey finishes that"
		if m.state == moveDone {
			message = "the owner went over to another key: start this program again"
		}
		return &memory.Error{Kind: memory.Unsupported, Message: message, Err: ErrMoved}
	}
	return nil
}
