package carry

import (
	"context"
	"errors"
	"strings"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Place is a store that owners can be carried from and to.
type Place interface {
	store.Store
	store.Carrier
}

// Options say how to move.
type Options struct {
	// Where is how the source names the target to whoever asks there later. It must
	// not hold a password.
	Where string
	// Batch is how many rows go at once, at most; 0: 2000.
	Batch int
	// Progress is told of every page that has arrived; nil: nobody is.
	Progress func(Progress)
}

// Progress says how far a move has come.
type Progress struct {
	Owner       memory.DID
	Nth, Owners int    // the owner is the Nth of so many that are known of
	Table       string // that is being carried
	Rows, Of    int64  // of the owner's rows in all tables, how many have arrived
}

// Report says what a move has done.
type Report struct {
	Moved   []memory.DID // owners who went over to the target now
	Already []memory.DID // owners who had gone there before
	Left    []memory.DID // owners who had gone to yet another store, and were left alone
	Rows    int64        // that were carried now
}

// Move carries all owners of a store to another, in the order in which they are
// listed. An owner who has gone stays where it was as rows that nobody reads or
// writes, marked as [store.Elsewhere]; moving back replaces them. A move that was
// cut off or failed goes on when it is repeated; when there is nothing to do, it
// changes nothing. An owner for whom was written between two attempts begins anew.
//
// Before anything is carried of an owner, Move fails with [store.ErrAltered] when
// rows were removed, added or put back outside of satchel, when the owner's own row
// was changed, or when a row holds what no store can. Another row that was changed
// is carried with the seal that does not fit it, so that Check tells of it at the
// target as it does at the source.
//
// Who comes to the source for the first time while the last owner is on the way is
// not noticed: servers are to be stopped, or to write to the target.
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

// mover is one move under way.
type mover struct {
	from, to Place
	opt      Options
	there    map[memory.DID]bool // who lived at the target when the move began
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

// moveListed moves the owners that are listed and have not been seen yet, and
// returns how many they were.
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

// move moves an owner who has not gone yet.
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

// gone reports whether an owner was carried to another store, and to which.
func gone(moved string) (where string, ok bool) {
	word, where, _ := strings.Cut(moved, " ")
	return where, word == store.Elsewhere
}

// goneError says that somebody else moved the owner meanwhile.
type goneError struct{ where string }

func (goneError) Error() string { return "the owner has gone to another store" }

// skip accounts for an owner who has gone.
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

// refusal is an error of a move.
func refusal(owner memory.DID, cause error, message string) error {
	if owner != "" {
		message = "owner " + string(owner) + ": " + message
	}
	return &memory.Error{Kind: memory.Internal, Op: "move", Message: message, Err: cause}
}
