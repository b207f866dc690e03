package meaning

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/internal/embed"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Report counts what the work on an owner's records did.
type Report struct {
	Embedded int // records that got a vector
	Before   int // records that had one
	Withheld int // records that may not be sent
	Refused  int // records that the server refuses, such as texts too long for the model
}

// Considered returns the number of records that were looked at.
func (r Report) Considered() int { return r.Embedded + r.Before + r.Withheld + r.Refused }

func (r *Report) add(o Report) {
	r.Embedded, r.Before = r.Embedded+o.Embedded, r.Before+o.Before
	r.Withheld, r.Refused = r.Withheld+o.Withheld, r.Refused+o.Refused
}

const (
	workPage     = 256 // records that are read at once
	workPatience = 2 * time.Minute
)

// errChanged ends the work when the owner has chosen another server, or none.
var errChanged = errors.New("the owner has chosen another server of embed, or none")

// CatchUp gives vectors to the owner's records that are new since the last call, and to all
// if it was never completed. It does nothing if the owner uses no server.
func (s *Service) CatchUp(ctx context.Context, owner memory.DID) (Report, error) {
	return s.work(ctx, owner, false, func(Report) {})
}

// Backfill gives vectors to all of the owner's records that have none, and calls tell with
// the progress. Each batch is stored when it is done, so that a second call continues a cut
// off one. Only the owner's side may call it.
func (s *Service) Backfill(ctx context.Context, c memory.Caller, tell func(Report)) (Report, error) {
	const op = "embed"
	if err := errors.Join(s.kernel.MayWrite(op, c), s.kernel.MayOwn(op, c)); err != nil {
		return Report{}, s.kernel.Refusal(c, op, "", err)
	}
	return s.work(ctx, c.Owner, true, tell)
}

func (s *Service) work(ctx context.Context, owner memory.DID, whole bool, tell func(Report)) (Report, error) {
	o := s.of(owner)
	o.working.Lock()
	defer o.working.Unlock()
	c, err := s.current(ctx, owner)
	if err != nil || !c.on() || s.kernel.ReadOnly() {
		return Report{}, err
	}
	e, err := s.open(owner, c)
	if err != nil {
		return Report{}, err
	}
	b := &batch{Service: s, owner: owner, current: c, embedder: e, tell: tell}
	known := false
	err = s.kernel.Store().View(ctx, owner, func(r store.Reader) (err error) {
		b.place, known, err = placeIn(r, c)
		return err
	})
	if err == nil && (whole || !known) {
		err = b.all(ctx)
	}
	if err == nil {
		err = b.changed(ctx)
	}
	if errors.Is(err, errChanged) {
		err = nil
	}
	if err != nil {
		s.close(owner)
	}
	return b.report, err
}

// batch is the work on the records of one owner.
type batch struct {
	*Service
	owner    memory.DID
	current  current
	embedder Embedder
	tell     func(Report)
	report   Report
	place    int64 // all changes up to here are considered
}

// item is a record to embed.
type item struct {
	id   memory.ID
	text string
}

// view runs fn on a snapshot in which the settings are the same.
func (b *batch) view(ctx context.Context, fn func(store.Reader) error) error {
	return b.kernel.Store().View(ctx, b.owner, func(r store.Reader) error {
		if now, err := settingsIn(r); err != nil || now.number != b.current.number {
			return errors.Join(err, errChanged)
		}
		return fn(r)
	})
}

// all considers every record.
func (b *batch) all(ctx context.Context) error {
	head := int64(-1)
	for at, done := (store.Cursor{}), false; !done; {
		var items []item
		var seen Report
		err := b.view(ctx, func(r store.Reader) error {
			items, seen = nil, Report{}
			if head < 0 {
				var err error
				if head, err = r.Head(); err != nil {
					return err
				}
			}
			rows, err := r.Rows(store.Filter{Statuses: []memory.Status{memory.Active}}, at, workPage)
			if err != nil {
				return err
			}
			if done = len(rows) == 0; !done {
				last := rows[len(rows)-1]
				at = store.Cursor{Created: last.Columns.Created, Number: last.Number}
			}
			items, seen, err = b.choose(r, rows)
			return err
		})
		if err == nil {
			err = b.embed(ctx, items, seen)
		}
		if err != nil {
			return err
		}
	}
	return b.reach(ctx, head)
}

// changed considers the records that changed since the place.
func (b *batch) changed(ctx context.Context) error {
	start := b.place
	for more := true; more; {
		var changes []store.Change
		err := b.view(ctx, func(r store.Reader) (err error) {
			changes, err = r.Changes(b.place, workPage)
			return err
		})
		for _, c := range changes {
			if err == nil {
				err = b.change(ctx, c)
			}
			if err == nil {
				b.place = c.Sequence
			}
		}
		if err != nil {
			return err
		}
		more = len(changes) == workPage
	}
	if b.report.Embedded == 0 && b.place-start < workPage {
		return nil // nothing is lost if these changes are read again
	}
	return b.reach(ctx, b.place)
}

// change considers the records of one change.
func (b *batch) change(ctx context.Context, c store.Change) error {
	first, last := c.First, c.Last
	switch c.Type {
	case store.Created, store.Merged, store.Revised:
		first, last = 0, 0
	case store.Imported:
	default:
		return nil
	}
	for ; first <= last; first += workPage {
		var items []item
		var seen Report
		err := b.view(ctx, func(r store.Reader) (err error) {
			var rows []store.Row
			if last > 0 {
				numbers := make([]int64, min(workPage, last-first+1))
				for i := range numbers {
					numbers[i] = first + int64(i)
				}
				rows, err = r.Numbered(numbers)
			} else {
				var row store.Row
				if row, err = r.Row(c.ID); err == nil {
					rows = []store.Row{row}
				}
				err = vault.NotFoundIsNone(err)
			}
			if err == nil {
				items, seen, err = b.choose(r, rows)
			}
			return err
		})
		if err == nil {
			err = b.embed(ctx, items, seen)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// choose returns the records of rows to embed, and counts the others.
func (b *batch) choose(r store.Reader, rows []store.Row) (items []item, seen Report, err error) {
	gate := b.kernel.OwnersGate(b.owner, b.kernel.Now())
	for _, row := range rows {
		if row.Columns.Status != memory.Active {
			continue
		}
		_, err := r.Attached(b.current.space(), string(row.ID), 0)
		if err == nil {
			seen.Before++
			continue
		}
		if !errors.Is(err, store.ErrNotFound) {
			return nil, seen, err
		}
		rec, damage, err := b.kernel.Read(r, row)
		if err != nil {
			return nil, seen, err
		}
		if damage != nil || !gate.MayEmbed(rec, b.current.All) {
			seen.Withheld++
			continue
		}
		items = append(items, item{rec.ID, rec.Body.Text})
	}
	return items, seen, nil
}

// embed gives records their vectors, some at a time. seen counts the other records.
func (b *batch) embed(ctx context.Context, items []item, seen Report) error {
	b.report.add(seen)
	for some := range slices.Chunk(items, embed.MostTexts) {
		texts := make([]string, len(some))
		for i, x := range some {
			texts[i] = x.text
		}
		vectors, err := b.vectors(ctx, texts)
		if err != nil {
			return err
		}
		if err := b.store(ctx, some, vectors); err != nil {
			return err
		}
		b.tell(b.report)
	}
	if len(items) == 0 && seen != (Report{}) {
		b.tell(b.report)
	}
	return ctx.Err()
}

// vectors returns the vectors of texts. One without codes stands for a text that the server
// refuses. If it refuses several texts and each of them, the fault is not in the texts.
func (b *batch) vectors(ctx context.Context, texts []string) ([]embed.Vector, error) {
	limited, stop := context.WithTimeout(ctx, workPatience)
	defer stop()
	all, err := b.embedder.Embed(limited, texts)
	if !embed.IsRefused(err) {
		return all, err
	}
	if len(texts) == 1 {
		return make([]embed.Vector, 1), nil
	}
	taken := false
	for _, text := range texts {
		one, failed := b.embedder.Embed(limited, []string{text})
		if failed != nil && !embed.IsRefused(failed) {
			return nil, failed
		}
		if failed != nil {
			one = make([]embed.Vector, 1)
		}
		taken = taken || failed == nil
		all = append(all, one[0])
	}
	if !taken {
		return nil, err
	}
	return all, nil
}

// store stores the vectors of records that are still there, unless the settings changed.
func (b *batch) store(ctx context.Context, items []item, vectors []embed.Vector) error {
	var done Report
	err := b.kernel.Store().Update(ctx, b.owner, func(w store.Writer) error {
		done = Report{}
		if now, err := settingsIn(w); err != nil || now.number != b.current.number {
			return errors.Join(err, errChanged)
		}
		var list []store.Attachment
		for i, x := range items {
			if vectors[i].Codes == nil {
				done.Refused++
				continue
			}
			row, err := w.Row(x.id)
			if errors.Is(err, store.ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			if row.Columns.Status == memory.Active {
				list = append(list, store.Attachment{Space: b.current.space(), Key: string(x.id), From: x.id, Data: vectors[i].Bytes()})
			}
		}
		numbers, err := w.AttachAll(list)
		for _, n := range numbers {
			if n != 0 {
				done.Embedded++
			} else {
				done.Before++
			}
		}
		return err
	})
	if err == nil {
		b.report.add(done)
	}
	return err
}

// reach stores how far the work has come.
func (b *batch) reach(ctx context.Context, sequence int64) error {
	b.place = sequence
	return b.kernel.Store().Update(ctx, b.owner, func(w store.Writer) error {
		if now, err := settingsIn(w); err != nil || now.number != b.current.number {
			return errors.Join(err, errChanged)
		}
		return setPlace(w, b.current, sequence)
	})
}
