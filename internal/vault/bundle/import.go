package bundle

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// ImportBrain imports a bundle that was opened, and so found to be valid, wholly or not
// at all (AIMEM 2.9, 3.2). It stages the content in short transactions, so that others
// can write meanwhile, and publishes it in one. It omits and reports a chunk that
// conflicts with a record here. Importing the same bundle again changes nothing.
func (s *Service) ImportBrain(ctx context.Context, c memory.Caller, b *aimem.Bundle, o aimem.Import) (aimem.Report, error) {
	const op = "import"
	if err := s.mayBring(op, c, o); err != nil {
		return aimem.Report{}, err
	}
	if _, err := s.kernel.Tidy(ctx, c.Owner); err != nil {
		return aimem.Report{}, err
	}
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		report, err := s.bring(ctx, c, b, o)
		beside, ok := errors.AsType[*errBeside](err)
		if !ok {
			return report, s.kernel.Refusal(c, op, "", err)
		}
		if err := s.after(ctx, c.Owner, beside.number, wait); err != nil {
			return aimem.Report{}, s.kernel.Refusal(c, op, "", err)
		}
	}
}

// mayBring refuses callers who may not import a bundle: that needs the verb write for
// all of the memory. Replacing or restoring records takes more.
func (s *Service) mayBring(op string, c memory.Caller, o aimem.Import) error {
	if err := s.kernel.MayWrite(op, c); err != nil {
		return err
	}
	var err error
	switch {
	case c.Speaks():
		return nil
	case c.Grant != nil && (!c.Grant.EveryProject() || c.Grant.Scope.Agent != ""):
		err = &memory.Error{Kind: memory.ForbiddenScope, Op: op, Rule: "UMP-5.2-1",
			Message: "the token is for some projects or one agent, and a bundle is a whole memory: ask the owner for another token"}
	case o.OnNewer == aimem.UpdateNewer:
		err = vault.Forbidden(op, "only the owner and the owner's agents may replace what is here: leave on_newer out")
	case o.Restore:
		err = vault.Forbidden(op, "only the owner and the owner's agents may bring back what was deleted: leave restore out")
	}
	return s.kernel.Refusal(c, op, "", err)
}

// errBeside reports that another import in progress has content of this one.
type errBeside struct{ number int64 }

func (e *errBeside) Error() string { return fmt.Sprintf("import %d is bringing this in", e.number) }

// after waits until an import is finished, or was given up.
func (s *Service) after(ctx context.Context, owner memory.DID, number int64, wait time.Duration) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
		var other store.Import
		err := s.kernel.Store().View(ctx, owner, func(r store.Reader) (err error) {
			other, err = r.Import(number)
			return err
		})
		if errors.Is(err, store.ErrNotFound) || err == nil && other.State != store.Staging {
			return nil
		}
		if err == nil && !vault.IsWorking(other, s.kernel.Now()) {
			_, err = s.kernel.Tidy(ctx, owner)
		}
		if err != nil {
			return err
		}
	}
}

// bundleImport is one import of a bundle in progress. It stages the bundle's content.
type bundleImport struct {
	*importState
	*importMatcher
	*importQueue
	*importPublisher
}

// importState is shared by all parts of an import.
type importState struct {
	*Service
	vault.ImportRun // carried records are imported as in any import
	bundle          *aimem.Bundle
	asked           aimem.Import
	mapper          aimem.Mapper
	fates           map[urnMark]fate                // of every chunk
	parts           map[aimem.URN]aimem.URN         // chunk that continues a text -> the first of it
	renewed         map[aimem.URN]memory.ID         // updated chunk -> its new version
	told            map[urnMark]time.Time           // name that new records tell of -> the earliest of them
	denies          struct{ reading, writing bool } // whether anything is on the deny list
	births          births                          // ids that records of chunks have or will have
	importTally
}

// importMatcher finds the parts of a bundle that the store has already, and judges edges
// and links.
type importMatcher struct {
	*importState
	met  map[urnMark]uint32 // edges and links -> their first place in the bundle
	gone map[urnMark]bool   // entities that stay out with their chunks; nil: not yet known
	near nearby             // what edges and links find
}

// importQueue gathers the steps of an import into transactions, and renews its lease.
type importQueue struct {
	*importState
	steps   []work     // of the next transaction
	weight  int        // records of the bundle in steps
	release func()     // ends the renewing of the lease; nil: it is not renewed
	writing sync.Mutex // held by a transaction, and by the renewing of the lease
}

// importPublisher makes the staged content visible.
type importPublisher struct{ *importState }

// importTally is the part of a bundle's import that a transaction changes, as
// [vault.ImportProgress] is.
type importTally struct {
	brain    aimem.Report
	revived  []memory.ID // tombstones to revert
	lifted   []string    // names to remove from the deny list
	grown    []memory.ID // records here that get relations
	embedded int         // chunks that have an embedding
	attached int         // attachments that are new
	unlisted int         // warnings beyond the bound
	foreign  int         // carried records that are left out
}

// urnMark stands for an id or another text: the first half of its SHA-256.
type urnMark [16]byte

func urnMarkOf[S ~string](id S) urnMark {
	sum := sha256.Sum256([]byte(id))
	return urnMark(sum[:16])
}

func (s *Service) bring(ctx context.Context, c memory.Caller, b *aimem.Bundle, o aimem.Import) (aimem.Report, error) {
	envelope := b.Envelope()
	state := &importState{
		Service: s,
		bundle:  b, asked: o, mapper: s.kernel.Takes(c.Owner),
		fates: map[urnMark]fate{}, parts: map[aimem.URN]aimem.URN{}, renewed: map[aimem.URN]memory.ID{},
		told: map[urnMark]time.Time{},
	}
	m := &bundleImport{
		importState: state, importMatcher: &importMatcher{importState: state, met: map[urnMark]uint32{}},
		importQueue: &importQueue{importState: state}, importPublisher: &importPublisher{state},
	}
	m.ImportRun = vault.ImportRun{
		Vault: s.kernel.Vault, Caller: c, Now: vault.Instant(s.kernel.Now()), Term: brainLease,
		Options: vault.ImportOptions{Name: cmp.Or(o.Name, envelope.Producer), Format: aimem.Name, DryRun: o.DryRun, Restore: o.Restore},
	}
	m.brain = aimem.Report{DryRun: o.DryRun, Chunks: b.Counts().Chunks}
	defer m.letGo()
	if err := m.all(ctx); err != nil {
		return aimem.Report{}, errors.Join(err, m.Discard(context.WithoutCancel(ctx)))
	}
	m.brain.Warnings = onceOfModel(m.warnings(), envelope)
	return m.brain, nil
}

// all imports the content of the bundle, kind by kind, each after the kinds that it
// refers to.
func (m *bundleImport) all(ctx context.Context) error {
	m.opening()
	for _, kind := range []func(context.Context) error{m.chunks, m.carried, m.entities, m.links, m.edges} {
		if err := kind(ctx); err != nil {
			return err
		}
	}
	return m.flush(ctx, m.publishBrain)
}

// work is part of a transaction. In a dry run there is no writer.
type work func(r store.Reader, w store.Writer) error

// step queues work for the next transaction, and runs the queue when it fills one. A
// small bundle takes one in all.
func (q *importQueue) step(ctx context.Context, weight int, do work) error {
	if q.weight > 0 && q.weight+weight > q.kernel.Batch() {
		if err := q.flush(ctx, nil); err != nil {
			return err
		}
	}
	q.steps = append(q.steps, do)
	q.weight += weight
	return ctx.Err()
}

// flush runs the queue in one transaction; last, if there is one, publishes.
func (q *importQueue) flush(ctx context.Context, last func(store.Writer) error) error {
	steps, before, had := q.steps, q.ImportProgress, q.importTally
	q.steps, q.weight = nil, 0
	run := func(r store.Reader, w store.Writer) error {
		q.ImportProgress, q.importTally = before, had
		if err := q.begun(w); err != nil {
			return err
		}
		for _, do := range steps {
			if err := do(r, w); err != nil {
				return err
			}
		}
		switch {
		case w == nil:
			return nil
		case last != nil:
			return last(w)
		}
		return q.File(w, store.Staging)
	}
	var err error
	if q.Options.DryRun {
		err = q.kernel.Store().View(ctx, q.Caller.Owner, func(r store.Reader) error { return run(r, nil) })
	} else {
		q.writing.Lock()
		err = q.kernel.Store().Update(ctx, q.Caller.Owner, func(w store.Writer) error { return run(w, w) })
		q.writing.Unlock()
	}
	if err != nil {
		q.ImportProgress, q.importTally = before, had
		return err
	}
	if last == nil {
		q.keepAlive(ctx)
	}
	return nil
}

// begun ensures that the import is filed, and has not been given up meanwhile.
func (q *importQueue) begun(w store.Writer) error {
	if w == nil {
		return nil
	}
	if q.Number == 0 {
		number, err := w.SetImport(q.Entry(store.Staging))
		q.Number = number
		return err
	}
	i, err := w.Import(q.Number)
	if err == nil && i.State != store.Staging {
		return vault.Stalled()
	}
	return err
}
