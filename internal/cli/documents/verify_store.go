package documents

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// meansRecord reports whether the argument of verify can only be a record of the
// store: it is no file, and has the form of an ID or of its beginning.
func (c *VerifyCmd) meansRecord() bool {
	if strings.HasPrefix(c.What, "urn:ump:") {
		return true
	}
	if _, err := os.Lstat(c.What); err == nil || c.What == "-" {
		return false
	}
	return len(c.What) >= cli.LeastPrefix && !strings.ContainsAny(c.What, `./\`)
}

// stored checks records of the store as they are stored, by the rules of doctor. It
// includes records that are not served because they were changed.
func (c *VerifyCmd) stored(a *cli.App) error {
	return a.With(cli.Probing, func(o *cli.Session) error {
		wrong, found, err := c.examined(a, o)
		if err != nil {
			return err
		}
		err = o.Store.View(a.Ctx, o.Owner, func(r store.Reader) error {
			found.Failed, found.Unsigned = []verdict{}, 0
			for _, w := range wrong {
				if w.ID == "" { // of all rows together
					found.Failed = append(found.Failed, w)
					continue
				}
				row, err := r.Row(w.ID)
				if errors.Is(err, store.ErrNotFound) {
					continue // erased since
				}
				if err != nil {
					return err
				}
				if row.Erased {
					found.Failed = append(found.Failed, w)
				} else {
					found.add(row, o.Owner, w.Message)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		if s, _ := o.ReadSeen(); s.Back != nil && c.All {
			found.Failed = append(found.Failed, verdict{Message: "the database went back to an earlier state; satchel doctor says more"})
		}
		if o.Seal(o.Owner) == nil {
			a.Say("the owner's key is closed: whether the rows around the memories were changed was not looked at")
		}
		return c.report(a, found)
	})
}

// examined returns the faults of the chosen memory, or of all, and counts the
// memories without a fault.
func (c *VerifyCmd) examined(a *cli.App, o *cli.Session) (wrong []verdict, found verdicts, err error) {
	judge := func(id memory.ID, why string) {
		if why == "" {
			found.Verified++
		} else {
			wrong = append(wrong, verdict{id, why})
		}
	}
	if c.All {
		p := a.Progress("checked")
		defer p.End()
		err = o.Health().ExamineAll(a.Ctx, o.Caller(), func(id memory.ID, why string) {
			judge(id, why)
			p.Reached(p.Done + 1)
		})
		return wrong, found, err
	}
	var row store.Row
	err = o.Store.View(a.Ctx, o.Owner, func(r store.Reader) (err error) {
		row, err = rowOf(o, r, c.What)
		return err
	})
	if err != nil {
		return nil, found, err
	}
	why, err := o.Health().Examine(a.Ctx, o.Caller(), row.ID)
	judge(row.ID, why)
	return wrong, found, err
}

// rowOf finds the row with this ID or beginning of an ID.
func rowOf(o *cli.Session, r store.Reader, arg string) (store.Row, error) {
	id := memory.ID("urn:ump:" + strings.TrimPrefix(arg, "urn:ump:"))
	row, err := r.Row(id)
	if !errors.Is(err, store.ErrNotFound) {
		return row, err
	}
	rows, err := r.Beginning(id, 2)
	switch {
	case err != nil:
		return store.Row{}, err
	case len(rows) == 1:
		return rows[0], nil
	case len(rows) > 1:
		return store.Row{}, &cli.Failure{Status: cli.ExitFailed, Err: fmt.Errorf("%q is the beginning of several IDs; give more of the one you mean", arg)}
	}
	return store.Row{}, &memory.Error{Kind: memory.NotFound, Message: fmt.Sprintf("%q is no file, and no memory has an ID that begins with it", arg)}
}

// rowsAtOnce is how many rows are in memory while all are checked.
const rowsAtOnce = 500

// EachRow calls do for every row of a filter.
func EachRow(ctx context.Context, r store.Reader, f store.Filter, do func(store.Row)) error {
	for after := (store.Cursor{}); ; {
		rows, err := r.Rows(f, after, rowsAtOnce)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if err := ctx.Err(); err != nil {
				return err
			}
			do(row)
			after = store.Cursor{Created: row.Columns.Created, Number: row.Number}
		}
		if len(rows) < rowsAtOnce {
			return nil
		}
	}
}

// add describes a faulty row: its current form and its original form. why is the
// fault of the row around them.
func (v *verdicts) add(row store.Row, owner memory.DID, why string) {
	forms := [][]byte{row.Origin}
	if row.Current != nil {
		forms = [][]byte{row.Current}
		if row.Origin != nil {
			forms = append(forms, row.Origin)
		}
	}
	for i, form := range forms {
		err := verifyForm(form, row.ID, owner)
		switch {
		case err == nil:
			continue
		case errors.Is(err, ump.ErrUnsigned) && i == 0:
			v.Unsigned++
			return
		}
		why = cli.Describe(err)
		if i > 0 {
			why = "its first form: " + why
		}
		break
	}
	v.Failed = append(v.Failed, verdict{row.ID, why})
}

// verifyForm checks that a form is signed, and is the record of its row.
func verifyForm(form []byte, id memory.ID, owner memory.DID) error {
	rec, err := ump.Decode(form, codec.Options{})
	if err != nil {
		return fmt.Errorf("cannot be read: %w", err)
	}
	switch {
	case rec.ID != id:
		return errors.New("another record lies in its place")
	case rec.Scope.Owner != owner && !rec.Scope.Visibility.WiderThan(memory.Private):
		return errors.New("it is another owner's")
	}
	return ump.Verify(form)
}
