package vault

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// UndoPlan says what the undoing of an import would do.
type UndoPlan struct {
	Remove    int // records that would be erased
	Changed   int // records that would stay: the owner revised, forgot or replaced them since
	BuiltOn   int // records that would stay: others build on them
	Proposals int // proposals that would be erased, because they were found in those records
	// Stay are the first of the records that would stay.
	Stay []memory.ID
}

// mostStaying is how many staying records a plan names.
const mostStaying = 20

// PlanUndo says what Undo would do now, and changes nothing. It fails like Undo.
func (e *eraser) PlanUndo(ctx context.Context, c memory.Caller, number int64) (UndoPlan, error) {
	const op = "undo"
	var plan undoPlan
	if err := e.mayOwn(op, c); err != nil {
		return plan.UndoPlan, err
	}
	err := e.store.View(ctx, c.Owner, func(r store.Reader) error {
		i, err := r.Import(number)
		if err != nil {
			return err
		}
		if i.State != store.Published && i.State != store.Partial {
			return store.ErrNotFound
		}
		plan = undoPlan{eraser: e, gone: map[memory.ID]bool{}}
		return plan.all(ctx, r, number)
	})
	if errors.Is(err, store.ErrNotFound) {
		return plan.UndoPlan, e.notThere(ctx, c.Owner, number)
	}
	return plan.UndoPlan, e.refusal(c, op, "", err)
}

// undoPlan is a plan in the making.
type undoPlan struct {
	UndoPlan
	*eraser
	gone map[memory.ID]bool // records that would be erased
}

// all goes through the records of an import, newest first, as undoing does.
func (p *undoPlan) all(ctx context.Context, r store.Reader, number int64) error {
	var after store.Cursor
	for {
		rows, err := r.Rows(store.Filter{Import: number, Newest: true}, after, p.batch)
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		for _, row := range rows {
			if err := p.one(r, row); err != nil {
				return err
			}
			after = store.Cursor{Created: row.Columns.Created, Number: row.Number}
		}
		if len(rows) < p.batch {
			return nil
		}
	}
}

// one decides what would become of a record.
func (p *undoPlan) one(r store.Reader, row store.Row) error {
	changed, err := p.changed(r, row)
	if err != nil {
		return err
	}
	users, err := r.Relating(string(row.ID))
	if err == nil {
		users, err = builtOn(r, row, users)
	}
	if err != nil {
		return err
	}
	var staying []memory.ID
	for _, id := range users {
		if !p.gone[id] {
			staying = append(staying, id)
		}
	}
	resting, found, err := p.foundIn(r, staying)
	switch {
	case err != nil:
		return err
	case changed:
		p.Changed++
	case len(resting) > 0:
		p.BuiltOn++
	default:
		p.gone[row.ID] = true
		p.Remove++
		p.Proposals += len(found)
		return nil
	}
	if len(p.Stay) < mostStaying {
		p.Stay = append(p.Stay, row.ID)
	}
	return nil
}

// changed reports whether a record was changed since it came in. Undoing a successor of
// the same import takes that change back.
func (p *undoPlan) changed(r store.Reader, row store.Row) (bool, error) {
	if row.Current == nil {
		return false, nil
	}
	rec, damage, err := p.read(r, row)
	if err != nil || damage != nil || len(rec.SupersededBy) == 0 || rec.Lifecycle.Status.Or() != memory.Active {
		return true, err
	}
	for _, id := range rec.SupersededBy {
		if !p.gone[id] {
			return true, nil
		}
	}
	return false, nil
}
