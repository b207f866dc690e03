package vault

import (
	"errors"
	"slices"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// priorOf returns the first record that rec supersedes and that is kept here. It also
// returns the lineage of rec: the lineage of that prior, or a new one.
func priorOf(rec memory.Record, row func(memory.ID) (store.Row, error)) (prior, lineage memory.ID, err error) {
	for _, id := range rec.Supersedes {
		if id == rec.ID {
			continue
		}
		old, err := row(id)
		if err == nil && OfAnother(old, rec) {
			continue
		}
		if err == nil {
			return id, old.Columns.Lineage, nil
		}
		if !errors.Is(err, store.ErrNotFound) {
			return "", "", err
		}
	}
	return "", rec.ID, nil
}

// settleChain gives a new record its place among versions, see [Kernel.SettleChain].
func (e *editor) settleChain(w store.Writer, rec memory.Record) error {
	if err := e.closePriors(w, rec); err != nil {
		return err
	}
	return e.closeBySuccessors(w, rec.ID)
}

// closePriors ends the valid time of the records that rec replaces, exactly like
// revise. It treats ids of records that are not here as plain links.
func (e *editor) closePriors(w store.Writer, rec memory.Record) error {
	for _, id := range rec.Supersedes {
		r, err := w.Row(id)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		prior, err := e.record(w, r)
		if err != nil {
			return err
		}
		if Foreign(rec, prior.Scope.Owner) {
			continue // nobody closes another owner's record
		}
		if err := e.closeBy(w, r, prior, rec); err != nil {
			return err
		}
	}
	return nil
}

// closeBy closes prior by its successor, once. A forgotten record stays as it is. A
// candidate closes no record in force: it has no authority until the owner confirms it.
func (e *editor) closeBy(w store.Writer, r store.Row, prior, successor memory.Record) error {
	proposed := successor.Lifecycle.Status.Or() == memory.Candidate && prior.Lifecycle.Status.Or() != memory.Candidate
	if proposed || prior.Lifecycle.Status == memory.Tombstoned || prior.ID == successor.ID || slices.Contains(prior.SupersededBy, successor.ID) {
		return nil
	}
	return e.amend(w, r, Closed(prior, successor))
}

// Closed returns prior, closed by its successor: prior is valid until the successor
// begins, so that valid time is contiguous (decision UD-20).
func Closed(prior, successor memory.Record) memory.Record {
	prior.Time = Until(prior.Time, successor.Time)
	prior.SupersededBy = Union(prior.SupersededBy, []memory.ID{successor.ID})
	return prior
}

// Until ends t where next begins. It never ends t before t begins, and never later than
// t already ends.
func Until(t, next memory.Times) memory.Times {
	end := next.From()
	if from := t.From(); end.Before(from) {
		end = from
	}
	if t.ValidTo.IsZero() || end.Before(t.ValidTo) {
		t.ValidTo = end
	}
	return t
}

// closeBySuccessors closes a record that arrived after its successor, and joins their
// beliefs.
func (e *editor) closeBySuccessors(w store.Writer, id memory.ID) error {
	users, err := w.Relating(string(id))
	if err != nil {
		return err
	}
	for _, user := range users {
		later, err := w.Row(user)
		if err != nil {
			return err
		}
		r, err := w.Row(id)
		if err != nil {
			return err
		}
		successor, err := e.record(w, later)
		if err != nil || !slices.Contains(successor.Supersedes, id) || user == id || OfAnother(r, successor) {
			continue // another kind of link, or a damaged record that doctor names
		}
		prior, err := e.record(w, r)
		if err != nil {
			return err
		}
		if err := e.closeBy(w, r, prior, successor); err != nil {
			return err
		}
		if err := join(w, later.Columns.Lineage, r.Columns.Lineage); err != nil {
			return err
		}
	}
	return nil
}

// join moves the records of lineage from into lineage to.
func join(w store.Writer, from, to memory.ID) error {
	if from == to {
		return nil
	}
	rows, err := w.Rows(store.Filter{Lineage: from}, store.Cursor{}, ChainLimit)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if err := refile(w, r, to); err != nil {
			return err
		}
	}
	return nil
}

// refile changes the lineage of a row.
func refile(w store.Writer, r store.Row, lineage memory.ID) error {
	rec, err := Decoded(r)
	if err != nil {
		return err
	}
	r.Columns.Lineage = lineage
	return w.Replace(r, LinksOf(rec))
}

// reopen undoes the changes that the successor gone made to the records it superseded.
func (e *editor) reopen(w store.Writer, gone memory.Record) error {
	for _, id := range gone.Supersedes {
		r, err := w.Row(id)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		prior, err := e.record(w, r)
		if err != nil || r.Origin == nil || !slices.Contains(prior.SupersededBy, gone.ID) {
			continue // damaged or emptied: there is nothing to reopen
		}
		if prior, err = e.withoutSuccessor(w, r, prior, gone.ID); err != nil {
			return err
		}
		if err := e.amend(w, r, prior); err != nil {
			return err
		}
	}
	return nil
}

// withoutSuccessor returns prior without its successor gone: valid until the end that
// its author gave, or until its first other successor begins.
func (e *editor) withoutSuccessor(w store.Reader, r store.Row, prior memory.Record, gone memory.ID) (memory.Record, error) {
	r.Current = nil
	born, err := e.record(w, r)
	if err != nil {
		return prior, err
	}
	prior.Time.ValidTo = born.Time.ValidTo
	prior.SupersededBy = slices.DeleteFunc(slices.Clone(prior.SupersededBy), func(id memory.ID) bool { return id == gone })
	for _, id := range prior.SupersededBy {
		other, err := w.Row(id)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return prior, err
		}
		successor, damage, err := e.read(w, other)
		if err != nil {
			return prior, err
		}
		if damage == nil {
			prior.Time = Until(prior.Time, successor.Time)
		}
	}
	if len(prior.SupersededBy) == 0 {
		prior.SupersededBy = born.SupersededBy
	}
	return prior, nil
}
