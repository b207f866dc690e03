package vault

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// A batch ends after this many records (unless [Options] says otherwise) or bytes, whichever
// comes first. Memory holds two batches at a time.
const (
	importBatch = 256
	ImportBytes = 4 << 20
)

// batch is a sequence of records ready to store. A batch of an archive holds whole
// units.
type batch struct {
	ready []Prepared
	units []int // the unit of each record, if the document is an archive
	unit  int   // the last unit that this batch completes
	last  bool
	err   error
}

// behind returns the records of a batch whose units come after unit done.
func (b batch) behind(done int) []Prepared {
	at, _ := slices.BinarySearch(b.units, done+1)
	return b.ready[at:]
}

// batches prepares the records of a document ahead of the store.
type batches struct {
	queue  chan batch
	cancel context.CancelFunc
}

// read decodes and signs records in the background, one batch ahead.
func (m *ImportRun) read(ctx context.Context, r codec.Reader) *batches {
	ctx, cancel := context.WithCancel(ctx)
	b := &batches{queue: make(chan batch), cancel: cancel}
	p := Preparer{Vault: m.Vault, Caller: m.Caller, adopt: m.Options.Adopt, Now: m.Now, Words: &recall.Indexer{}, units: m.units, from: m.from}
	go func() {
		defer close(b.queue)
		for {
			next := p.batch(r)
			select {
			case b.queue <- next:
			case <-ctx.Done():
				return
			}
			if next.last || next.err != nil {
				return
			}
		}
	}()
	return b
}

func (b *batches) next(ctx context.Context) (batch, error) {
	next, ok := <-b.queue
	if !ok {
		return batch{}, ctx.Err()
	}
	return next, errors.Join(next.err, ctx.Err())
}

// stop ends the reading and waits until nothing uses the reader.
func (b *batches) stop() {
	b.cancel()
	for range b.queue {
	}
}

// Preparer prepares the records of one document for the store. Only one goroutine may
// use it.
type Preparer struct {
	Vault  *Vault
	Caller memory.Caller
	adopt  memory.DID
	Now    time.Time
	Words  *recall.Indexer // remembers the stems of the document's words
	units  codec.Units     // the document, if it is an archive
	from   int             // how many of its units are stored
	held   *memory.Record  // the first record of the next batch, already read
}

func (p *Preparer) batch(r codec.Reader) batch {
	if p.units != nil {
		return p.wholeUnits()
	}
	var b batch
	for size := 0; len(b.ready) < p.Vault.batch && size < ImportBytes; {
		rec, err := following(r)
		if errors.Is(err, io.EOF) {
			b.last = true
			return b
		}
		if err == nil {
			var one Prepared
			if one, err = p.Prepare(rec); err == nil {
				size += len(one.Rec.Origin)
				b.ready = append(b.ready, one)
				continue
			}
		}
		b.err = err
		return b
	}
	return b
}

// wholeUnits returns a batch of an archive, which ends where a unit ends. It skips
// units that are stored already.
func (p *Preparer) wholeUnits() batch {
	var b batch
	for size := 0; ; {
		rec, err := p.next()
		at := p.units.Unit()
		if errors.Is(err, io.EOF) {
			b.unit, b.last = at, true
			return b
		}
		full := len(b.ready) >= p.Vault.batch || size >= ImportBytes
		if err == nil && full && at > b.units[len(b.units)-1] {
			p.held, b.unit = &rec, b.units[len(b.units)-1]
			return b
		}
		if err == nil && at <= p.from {
			continue
		}
		if err != nil {
			b.unit, b.err = at, err
			return b
		}
		one, err := p.Prepare(rec)
		if err != nil {
			return b.upTo(at-1, err)
		}
		size += len(one.Rec.Origin)
		b.ready, b.units = append(b.ready, one), append(b.units, at)
	}
}

// next returns the record that was held back, or reads the next one.
func (p *Preparer) next() (memory.Record, error) {
	if rec := p.held; rec != nil {
		p.held = nil
		return *rec, nil
	}
	return following(p.units)
}

// following returns the next record of a document. If the file fails, the error says so
// and does not blame the store.
func following(r memory.Archive) (memory.Record, error) {
	rec, err := r.Next()
	_, told := errors.AsType[*memory.Error](err)
	if err == nil || told || errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return rec, err
	}
	return rec, &memory.Error{Kind: memory.Internal, Op: "import", Message: "the document cannot be read", Err: err}
}

// upTo returns the records of a batch up to and including the given unit, with the
// error that ended the batch.
func (b batch) upTo(unit int, err error) batch {
	n, _ := slices.BinarySearch(b.units, unit+1)
	return batch{ready: b.ready[:n], units: b.units[:n], unit: max(unit, 0), err: err}
}

func (p *Preparer) document(rec memory.Record) store.Document {
	return DocumentBy(p.Words, rec)
}

// Prepare prepares one record of a document. A record that carries its own id is
// complete: Prepare only fills in missing provenance and visibility, and signs it only
// if it has no integrity.
func (p *Preparer) Prepare(rec memory.Record) (Prepared, error) {
	const op = "import"
	rec = p.adopted(rec)
	if rec.Scope.Owner != "" && Foreign(rec, p.Caller.Owner) {
		return p.foreigner(op, rec)
	}
	d := memory.Draft{Record: rec, Complete: rec.Integrity != nil}
	// Only the owner decides who else may see a record, and this record has no
	// signature of the owner.
	narrowed := !d.Complete && rec.Scope.Visibility.WiderThan(memory.Private)
	if narrowed {
		rec.Scope.Visibility = memory.Private
	}
	switch {
	case d.Complete:
	case rec.ID == "":
		rec = fill(rec, p.Caller, p.Now, op)
	default:
		if rec.Scope.Visibility == "" {
			rec.Scope.Visibility = memory.Private
		}
		if rec.Provenance == nil {
			rec.Provenance = Stamp(p.Caller, op, "")
		}
	}
	checked := rec
	if d.Complete && checked.Provenance == nil && redactsProvenance(rec) {
		checked.Provenance = Stamp(p.Caller, op, "") // the record's own policy removed it on export
	}
	if err := Admissible(op, p.Caller, checked); err != nil {
		return Prepared{}, err
	}
	ready, err := p.Vault.signed(rec, d, p.document)
	ready.narrowed = narrowed
	return ready, err
}

// adopted gives the caller an unsigned record of the owner named by adopt, such as the
// plain name that a level 1 tool wrote. Ids stay, so that the history stays connected
// (UMP 5.1).
func (p *Preparer) adopted(rec memory.Record) memory.Record {
	if p.adopt == "" || rec.Scope.Owner != p.adopt || rec.Integrity != nil {
		return rec
	}
	rec.Scope.Owner = p.Caller.Owner
	if from := rec.Provenance; from != nil && from.Actor == string(p.adopt) {
		mine := *from
		mine.Actor = string(p.Caller.Owner)
		rec.Provenance = &mine
	}
	return rec
}

// redactsProvenance reports whether the record's own policy removes its provenance on
// export.
func redactsProvenance(rec memory.Record) bool {
	if rec.Consent == nil {
		return false
	}
	return slices.ContainsFunc(rec.Consent.Redact, func(path string) bool {
		return strings.HasPrefix(strings.TrimPrefix(strings.TrimPrefix(path, "$"), "."), "provenance")
	})
}
