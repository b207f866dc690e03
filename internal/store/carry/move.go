package carry

import (
	"context"
	"errors"
	"strings"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Place is a store that owners can move from and to.
type Place interface {
	store.Store
	store.Carrier
}

// Options say how to move.
type Options struct {
	// Where is the target's name that the source gives to later callers. It must not
	// hold a password.
	Where string
	// Batch is the most rows of one page; 0: 2000.
	Batch int
	// Progress is called for every page that has arrived; nil: no calls.
	Progress func(Progress)
}

// Progress is the progress of a move.
type Progress struct {
	Owner       memory.DID
	Nth, Owners int    // the owner is the Nth of the Owners known
	Table       string // the current table
	Rows, Of    int64  // of the owner's rows in all tables, how many have arrived
}

// Report is the result of a move.
type Report struct {
	Moved   []memory.DID // owners who moved to the target now
	Already []memory.DID // owners who had moved there before
	Left    []memory.DID // owners who had moved to a third store, and were left alone
	Rows    int64        // that were copied now
}

// Move moves all owners of a store to another, in the order of their list. The rows
// of a moved owner stay at the source, marked as [store.Elsewhere], and no caller
// reads or writes them; moving back replaces them. A move that was interrupted or
// failed continues when it is repeated; if everything has moved, it changes nothing.
// If a caller wrote for an owner between two attempts, that owner begins again.
//
// Before it moves an owner, Move fails with [store.ErrAltered] in three cases: rows
// were removed, added or put back outside of satchel; the owner's own row was
// changed; or a row holds values that no store can hold. It copies any other changed
// row with its wrong seal, so that Check reports it at the target as at the source.
//
// Move does not notice an owner who first comes to the source while the last owner is
// moving. Stop the servers first, or let them write to the target.
func Move(ctx context.Context, from, to Place, o Options) (Report, error) {
	switch {
	case from == to:
		return Report{}, refusal("", store.ErrExists, "a store cannot be moved to itself: name another target")
	case strings.TrimSpace(o.Where) == "":
		return Report{}, refusal("", nil, "the source must be told how to name the target")
	}
	if o.Batch <= 0 {
		o.Batch = 2000
	}
	m := &mover{from: from, to: to, opt: o, seen: make(map[memory.DID]bool)}
	if err := m.prepare(ctx); err != nil {
		return m.report, err
	}
	for {
		found, err := m.moveListed(ctx)
		if err != nil || found == 0 {
			return m.report, err
		}
	}
}

// mover is a running move.
type mover struct {
	from, to Place
	opt      Options
	there    map[memory.DID]bool // owners at the target when the move began
	seen     map[memory.DID]bool
	owners   int
	report   Report
}

func (m *mover) prepare(ctx context.Context) error {
	halfway, err := m.from.Arriving(ctx)
	if err != nil {
		return err
	}
	if len(halfway) > 0 {
		return refusal(halfway[0], store.ErrArriving,
			"the source has not wholly arrived itself: finish the move to it first, or abandon that")
	}
	owners, err := m.to.Owners(ctx)
	m.there = make(map[memory.DID]bool, len(owners))
	for _, owner := range owners {
		m.there[owner] = true
	}
	return err
}

// moveListed moves the listed owners that were not handled yet, and returns their
// number.
func (m *mover) moveListed(ctx context.Context) (int, error) {
	owners, err := m.from.Owners(ctx)
	if err != nil {
		return 0, err
	}
	m.owners = len(owners)
	found := 0
	for _, owner := range owners {
		if m.seen[owner] {
			continue
		}
		m.seen[owner] = true
		found++
		if err := m.move(ctx, owner); err != nil {
			return found, err
		}
	}
	return found, nil
}

// move moves an owner who has not moved yet.
func (m *mover) move(ctx context.Context, owner memory.DID) error {
	var how string
	err := m.from.View(ctx, owner, func(r store.Reader) (err error) {
		how, err = r.Moved()
		return err
	})
	if err != nil {
		return err
	}
	if where, ok := gone(how); ok {
		return m.skip(owner, where)
	}
	t := &trip{mover: m, owner: owner}
	err = m.from.Leave(ctx, owner, store.Elsewhere+" "+m.opt.Where, func(l store.OwnerRows) error { return t.carry(ctx, l) })
	if where := (goneError{}); errors.As(err, &where) {
		return m.skip(owner, where.where)
	}
	if err == nil {
		m.report.Moved = append(m.report.Moved, owner)
		m.report.Rows += t.carried
	}
	return err
}

// gone reports whether an owner has moved to another store, and to which.
func gone(moved string) (where string, ok bool) {
	word, where, _ := strings.Cut(moved, " ")
	return where, word == store.Elsewhere
}

// goneError says that another process moved the owner meanwhile.
type goneError struct{ where string }

func (goneError) Error() string { return "the owner has gone to another store" }

// skip counts an owner who has moved already.
func (m *mover) skip(owner memory.DID, where string) error {
	switch {
	case m.there[owner]:
		m.report.Already = append(m.report.Already, owner)
	case where == m.opt.Where:
		return refusal(owner, store.ErrNotFound,
			"the source says that the owner went to this target, which does not have the owner: "+
				"make sure that it is the same store, or restore its backup")
	default:
		m.report.Left = append(m.report.Left, owner)
	}
	return nil
}

// refusal returns an error of a move.
func refusal(owner memory.DID, cause error, message string) error {
	if owner != "" {
		message = "owner " + string(owner) + ": " + message
	}
	return &memory.Error{Kind: memory.Internal, Op: "move", Message: message, Err: cause}
}
