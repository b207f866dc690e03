package vault

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/sleep"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// jobRunner does background work for many owners.
type jobRunner struct{ *Vault }

// SweepAll is [Vault.SweepAgreed] for the owners whose records are said to have expired, the
// home owner and all admitted owners. It also drops old readings, see table readings. A failure for one owner does not stop the others; the
// error names it.
func (v *Vault) SweepAll(ctx context.Context) error {
	err := jobRunner{v}.eachDue(ctx, sweeping, func(owner memory.DID) error {
		found, err := v.anyExpired(ctx, owner)
		if err == nil && found {
			_, err = v.sweepAgreed(ctx, owner)
		}
		return err
	}, store.Reader.FirstExpiry)
	if ctx.Err() != nil || outOfReach(err) {
		return err
	}
	return errors.Join(err, jobRunner{v}.pruneReadings(ctx), v.refusal(engine(v.home), "sweep", "", v.compactIfOwed(ctx)))
}

// TidyAll is [Vault.Tidy] for the owners with imports that were begun and are not finished,
// and handles failures like [Vault.SweepAll].
func (v *Vault) TidyAll(ctx context.Context) error {
	return jobRunner{v}.eachDue(ctx, tidying, func(owner memory.DID) error {
		_, err := v.Tidy(ctx, owner)
		return err
	}, firstLease)
}

// firstLease returns when the first lease of an unfinished import ends.
func firstLease(r store.Reader) (first time.Time, err error) {
	imports, err := r.Imports()
	for _, i := range imports {
		if i.State == store.Staging && (first.IsZero() || i.Lease.Before(first)) {
			first = i.Lease
		}
	}
	return first, err
}

// anyExpired reports whether there may be records to sweep. It only reads, so it blocks
// nobody.
func (v *verifier) anyExpired(ctx context.Context, owner memory.DID) (found bool, err error) {
	err = v.store.View(ctx, owner, func(r store.Reader) error {
		rows, err := r.Rows(store.Filter{Expired: Instant(v.now())}, store.Cursor{}, 1)
		found = len(rows) > 0
		return err
	})
	return found, err
}

// failuresNamed is how many owners an error of eachOwner names.
const failuresNamed = 5

// eachOwner calls work for one owner after the other. It gives up if the store itself
// cannot be reached.
func (v jobRunner) eachOwner(ctx context.Context, work func(memory.DID) error) error {
	owners, err := v.bare.Owners(ctx)
	if err != nil {
		return v.refusal(engine(v.home), "tidy", "", err)
	}
	return each(ctx, owners, func(owner memory.DID) error { return v.forOne(ctx, owner, work) })
}

const (
	dueAtOnce = 256              // owners whose work is listed together
	dueAgain  = 10 * time.Minute // when work that is not done is due again
)

// eachDue does a job for one owner after the other who has its work due and whom no other
// server works for, until nobody has. first says when an owner has such work next.
func (v jobRunner) eachDue(ctx context.Context, j backgroundJob, work func(memory.DID) error, first func(store.Reader) (time.Time, error)) error {
	var failures error
	for {
		now := v.now()
		owners, err := v.bare.Due(ctx, j.Work, now, dueAtOnce)
		if err != nil {
			return errors.Join(failures, v.refusal(engine(v.home), j.Name, "", err))
		}
		taken := 0
		err = each(ctx, owners, func(owner memory.DID) error {
			mine, err := v.bare.Lease(ctx, owner, j.Work, now, now.Add(dueAgain))
			if err != nil || !mine {
				return err
			}
			taken++
			in := false
			err = v.forOne(ctx, owner, func(owner memory.DID) error {
				in = true
				if err := work(owner); err != nil {
					return err
				}
				return v.reschedule(ctx, j, owner, now, first)
			})
			if err == nil && !in {
				err = v.reschedule(ctx, j, owner, now, never)
			}
			return err
		})
		failures = errors.Join(failures, err)
		if ctx.Err() != nil || outOfReach(err) || taken == 0 {
			return failures
		}
	}
}

// never says that an owner has no work.
func never(store.Reader) (time.Time, error) { return time.Time{}, nil }

// reschedule files the next work of an owner, see [jobRunner.eachDue].
func (v jobRunner) reschedule(ctx context.Context, j backgroundJob, owner memory.DID, now time.Time, first func(store.Reader) (time.Time, error)) error {
	return v.unasked(ctx, j, owner, func(w store.Writer) error {
		next, err := first(w)
		if err != nil || !next.IsZero() && !next.After(now) {
			return err
		}
		return w.Reschedule(j.Work, next)
	})
}

// fileAll files the work on the rows of an owner who is let in: what is there of the owner may
// have waited. Subscriptions file their own.
func fileAll(w store.Writer, now time.Time) error {
	for _, work := range []store.Work{store.Sweep, store.Tidy, store.Index, store.Prune} {
		if err := w.Schedule(work, now); err != nil {
			return err
		}
	}
	return nil
}

// each calls work for owners, see [Vault.SweepAll].
func each(ctx context.Context, owners []memory.DID, work func(memory.DID) error) error {
	var failures []error
	failed := 0
	for _, owner := range owners {
		began := time.Now()
		err := work(owner)
		if ctx.Err() != nil || outOfReach(err) {
			return errors.Join(ctx.Err(), err)
		}
		if err != nil {
			if failed++; failed <= failuresNamed {
				failures = append(failures, fmt.Errorf("owner %s: %w", owner, err))
			}
		}
		pause(ctx, time.Since(began))
	}
	if failed > failuresNamed {
		failures = append(failures, fmt.Errorf("and %d more owners", failed-failuresNamed))
	}
	return errors.Join(failures...)
}

// outOfReach reports whether the store itself failed, for every owner alike.
func outOfReach(err error) bool {
	return errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrClosed)
}

// forOne calls work for an owner who is admitted and has not moved.
func (v jobRunner) forOne(ctx context.Context, owner memory.DID, work func(memory.DID) error) error {
	if owner != v.home {
		a, err := v.account(ctx, owner)
		if err != nil || a.Added.IsZero() {
			return err
		}
		if err := v.settle(owner, a); err != nil {
			return err
		}
	}
	err := work(owner)
	if errors.Is(err, ErrMoved) || errors.Is(err, ErrElsewhere) {
		return nil // the server that finishes the move takes care of it
	}
	return err
}

// longestPause is the longest wait before the next owner.
const longestPause = time.Second

// pause leaves the store to others for as long as it was busy with one owner.
func pause(ctx context.Context, d time.Duration) {
	_ = sleep.For(ctx, min(d, longestPause)) // the caller asks ctx
}

// IndexedSpace says how far the owner's records are indexed by a tokeniser. A key is the
// tokeniser's version and a document number: all records up to there are. The last key of a
// version counts. New keys are added and the former ones stay, because removing an
// attachment makes the store clear its files.
const IndexedSpace = "indexed"

// indexedAll is the home owner's key that says so of all owners.
var indexedAll = fmt.Sprintf("all %d", recall.Version)

const (
	reindexLook  = 1024   // records, or rows of the index, that are looked at together
	reindexBatch = 64     // records that are indexed anew in one transaction
	reindexMark  = 10_000 // after so many records a key says how far they are indexed
)

// ReindexAll indexes anew the records that an older release indexed, of the home owner and
// of all admitted owners, and calls tell with the number done so far. Until then the old
// terms find them. Each batch is stored when it is done: a second call continues a cut off
// one, and two at once do no harm. It handles failures like [Vault.SweepAll].
func (v *Vault) ReindexAll(ctx context.Context, tell func(done int)) (done int, err error) {
	all := jobRunner{v}
	err = all.eachOwner(ctx, all.reindexer(ctx, &done, tell))
	if err == nil && v.home != "" {
		err = reindexer{v, v.home}.note(ctx, indexedAll)
	}
	return done, err
}

// ReindexDue is [Vault.ReindexAll] once for each release, and then for the owners who came
// from another store.
func (v *Vault) ReindexDue(ctx context.Context) (done int, err error) {
	tell := func(int) {}
	err = v.store.View(ctx, v.home, func(r store.Reader) error {
		_, err := r.Attached(IndexedSpace, indexedAll, 0)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return v.ReindexAll(ctx, tell)
	}
	if err == nil {
		all := jobRunner{v}
		err = all.eachDue(ctx, reindexing, all.reindexer(ctx, &done, tell), never)
	}
	return done, v.refusal(engine(v.home), reindexing.Name, "", err)
}

// reindexer returns the work of [Vault.ReindexAll] for an owner.
func (v jobRunner) reindexer(ctx context.Context, done *int, tell func(int)) func(memory.DID) error {
	return func(owner memory.DID) error {
		before := *done
		err := reindexer{v.Vault, owner}.run(ctx, func(n int) {
			*done = before + n
			tell(*done)
		})
		return v.refusal(engine(owner), reindexing.Name, "", err)
	}
}

// reindexer indexes an owner's records anew.
type reindexer struct {
	vault *Vault
	owner memory.DID
}

// run goes through the records from the last mark on. Staged ones end the marks, since
// another run has to find them published.
func (x reindexer) run(ctx context.Context, tell func(int)) error {
	if err := x.pack(ctx); err != nil {
		return err
	}
	mark, err := x.mark(ctx)
	if err != nil {
		return err
	}
	done, staged := 0, false
	for at := mark; ; {
		began := time.Now()
		old, last, err := x.look(ctx, at)
		if err != nil || last == 0 {
			return err
		}
		pause(ctx, time.Since(began))
		for batch := range slices.Chunk(old, reindexBatch) {
			began := time.Now()
			n, left, err := x.rows(ctx, batch)
			if err != nil {
				return err
			}
			staged = staged || left
			if done += n; n > 0 {
				tell(done)
			}
			pause(ctx, time.Since(began))
		}
		if at = last; !staged && at >= mark+reindexMark {
			if err := x.setMark(ctx, at); err != nil {
				return err
			}
			mark = at
		}
	}
}

// pack brings the index into the present form, a part at a time.
func (x reindexer) pack(ctx context.Context) error {
	for from, more := "", true; more; {
		began := time.Now()
		var next string
		err := x.vault.unasked(ctx, reindexing, x.owner, func(w store.Writer) (err error) {
			next, more, err = w.Pack(from, reindexLook)
			return err
		})
		if err != nil {
			return err
		}
		from = next
		pause(ctx, time.Since(began))
	}
	return nil
}

// look returns which of the next records an older release indexed, and the last one that it
// looked at; 0: there are no more.
func (x reindexer) look(ctx context.Context, after int64) (old []int64, last int64, err error) {
	err = x.vault.store.View(ctx, x.owner, func(r store.Reader) (err error) {
		old, last, err = r.Outdated(recall.Version, after, reindexLook)
		return err
	})
	return old, last, err
}

// rows indexes some records anew, and returns how many. Those that another program has
// indexed meanwhile stay, and so do staged ones. A damaged record stays as it is, and doctor
// finds it.
func (x reindexer) rows(ctx context.Context, numbers []int64) (done int, staged bool, err error) {
	before, after := numbers[0]-1, numbers[len(numbers)-1]
	err = x.vault.unasked(ctx, reindexing, x.owner, func(w store.Writer) error {
		old, _, err := w.Outdated(recall.Version, before, int(after-before))
		if err != nil {
			return err
		}
		old = slices.DeleteFunc(old, func(n int64) bool { return n > after })
		rows, err := w.Numbered(old)
		if err != nil {
			return err
		}
		var indexer recall.Indexer
		done, staged = 0, len(rows) < len(old)
		for _, row := range rows {
			rec, err := Decoded(row)
			if err != nil {
				continue
			}
			if err := w.Reindex(row.Number, DocumentBy(&indexer, rec)); err != nil {
				return err
			}
			done++
		}
		return nil
	})
	return done, staged, err
}

// mark returns the number of the document up to which all are indexed by this release's
// tokeniser.
func (x reindexer) mark(ctx context.Context) (mark int64, err error) {
	err = x.vault.store.View(ctx, x.owner, func(r store.Reader) error {
		mark, err = indexedTo(r)
		return err
	})
	return mark, err
}

// indexedTo reads the mark of an owner.
func indexedTo(r store.Reader) (mark int64, err error) {
	for after := int64(0); ; {
		keys, err := r.Attachments(store.AttachmentFilter{Space: IndexedSpace}, after, reindexLook)
		if err != nil || len(keys) == 0 {
			return mark, err
		}
		for _, a := range keys {
			var version int
			var to int64
			if n, _ := fmt.Sscanf(a.Key, "%d %d", &version, &to); n == 2 && version == recall.Version {
				mark = max(mark, to)
			}
			after = a.Number
		}
	}
}

// setMark says that all documents up to a number are indexed by this release's tokeniser.
func (x reindexer) setMark(ctx context.Context, to int64) error {
	return x.note(ctx, fmt.Sprintf("%d %d", recall.Version, to))
}

// note adds a key that says how far records are indexed. Another program may have added it.
func (x reindexer) note(ctx context.Context, key string) error {
	return x.vault.unasked(ctx, reindexing, x.owner, func(w store.Writer) error {
		_, err := store.Attach(w, store.Attachment{Space: IndexedSpace, Key: key})
		if errors.Is(err, store.ErrExists) {
			return nil
		}
		return err
	})
}
