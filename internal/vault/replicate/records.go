package replicate

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// recordOf returns the record of a row as machines exchange it.
func recordOf(r store.Reader, row store.Row, imports importKeys) (replica.Record, error) {
	f, err := factsIn(r, row.ID)
	if err != nil {
		return f, err
	}
	f.Origin, f.Import, f.Lineage = row.Origin, imports.key[row.Columns.Import], row.Columns.Lineage
	if f.Lineage == row.ID {
		f.Lineage = ""
	}
	if row.Origin == nil {
		shell, err := shellForm(row.Current)
		return replica.Record{Shell: shell, Import: f.Import, Lineage: f.Lineage}, err
	}
	return f, nil
}

// keyFor returns the key that signs the present form of a record; nil: the record is not the
// owner's.
func (t *tx) keyFor(rec memory.Record) *keys.Private {
	if vault.Foreign(rec, t.owner) {
		return nil
	}
	return t.kernel.Holder(t.owner)
}

// offeredRecord is a record of a message. It is verified before the transaction begins.
type offeredRecord struct {
	item  replica.Item
	said  replica.Record
	rec   memory.Record // as it was authored; zero for a shell
	index store.Document
}

// offerPage is how many records are verified in one batch. A batch takes a third of the time that
// single signatures take.
const offerPage = 256

// offer verifies the records of a message on all processors. It fails with [replica.ErrUnsigned] or
// [replica.ErrMalformed].
func (m *Memory) offer(items []replica.Item) ([]offeredRecord, error) {
	all := make([]offeredRecord, 0, len(items))
	for _, i := range items {
		if i.Kind == replica.KindRecord {
			all = append(all, offeredRecord{item: i})
		}
	}
	processors := runtime.GOMAXPROCS(0)
	page := max(1, min(offerPage, (len(all)+processors-1)/processors))
	pages := slices.Collect(slices.Chunk(all, page))
	errs := make([]error, len(pages))
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(processors, len(pages)) {
		wait.Go(func() {
			var x recall.Indexer
			for i := next.Add(1) - 1; i < int64(len(pages)); i = next.Add(1) - 1 {
				errs[i] = m.check(pages[i], &x)
			}
		})
	}
	wait.Wait()
	return all, errors.Join(errs...)
}

// check verifies a batch of records, and makes their index entries.
func (m *Memory) check(all []offeredRecord, x *recall.Indexer) error {
	errs := make([]error, len(all))
	var signed [][]byte
	var of []int // the records of signed
	for i := range all {
		if errs[i] = m.parse(&all[i]); errs[i] == nil && all[i].said.Origin != nil {
			signed, of = append(signed, all[i].said.Origin), append(of, i)
		}
	}
	for j, err := range ump.VerifyAll(signed) {
		o := &all[of[j]]
		if err != nil {
			errs[of[j]] = fmt.Errorf("%w: %s: %w", replica.ErrUnsigned, o.rec.ID, err)
			continue
		}
		m.kernel.Vouch(o.rec)
		o.index = vault.DocumentBy(x, o.rec)
	}
	return errors.Join(errs...)
}

// parse reads a record, without its signature.
func (m *Memory) parse(o *offeredRecord) (err error) {
	if o.said, err = replica.Decode[replica.Record](o.item.Data); err != nil {
		return err
	}
	if o.said.Origin == nil {
		if o.said.Shell == nil {
			return fmt.Errorf("%w: a record without content", replica.ErrMalformed)
		}
		return nil
	}
	o.rec, err = ump.DecodeForm(o.said.Origin, codec.Options{})
	if err != nil || string(o.rec.ID) != o.item.Key {
		return errors.Join(fmt.Errorf("%w: a record under another id", replica.ErrMalformed), err)
	}
	o.rec.Origin, o.rec.Current = o.said.Origin, nil
	if vault.Foreign(o.rec, m.owner) && !vault.MayBeHeld(o.rec) {
		return fmt.Errorf("%w: %s belongs to another owner", replica.ErrUnsigned, o.rec.ID)
	}
	return nil
}

// outcome is the result of the join of an item.
type outcome struct {
	added, changed bool // on this machine
	differs        bool // the result differs from the other machine's item
}

// joinRecord joins a record of another machine.
func (t *tx) joinRecord(o offeredRecord) (out outcome, err error) {
	id := memory.ID(o.item.Key)
	if t.isErased(id) {
		if n, ok := t.imports.number[o.said.Import]; ok {
			err = vault.DropResidue(t.kernel, t.w, n)
		}
		return outcome{}, err // the other machine learns of the erasure by its mark
	}
	// Most records are new, and a look-up of the number is faster than one of the row.
	if _, err := t.w.Document(id); errors.Is(err, store.ErrNotFound) {
		return outcome{added: true}, t.insert(o)
	}
	row, err := t.w.Row(id)
	if errors.Is(err, store.ErrNotFound) {
		return outcome{added: true}, t.insert(o)
	}
	if err != nil {
		return out, err
	}
	mine, err := recordOf(t.w, row, t.imports)
	if err != nil {
		return out, err
	}
	both := mine.Join(o.said)
	encoded := replica.Encode(both)
	out.differs = !bytes.Equal(encoded, o.item.Data)
	if bytes.Equal(encoded, replica.Encode(mine)) {
		return out, nil
	}
	out.changed = true
	if n, ok := t.imports.number[both.Import]; ok {
		row.Columns.Import = n
	}
	if both.Lineage != "" {
		row.Columns.Lineage = both.Lineage
	}
	if both.Shell != nil {
		return out, t.empty(row, both)
	}
	if err := t.setFacts(id, both); err != nil {
		return out, err
	}
	row.Origin = both.Origin
	rec, err := vault.Decoded(row)
	if err != nil {
		return out, nil //nolint:nilerr // doctor reports it
	}
	if err := t.w.Replace(vault.ReworkedRow(row, rec), vault.LinksOf(rec)); err != nil {
		return out, err
	}
	t.touchAround(rec)
	return out, t.unlinkForgotten(id, both)
}

// unlinkForgotten removes links and vectors of a forgotten record: they reveal its content.
func (t *tx) unlinkForgotten(id memory.ID, f replica.Record) error {
	if _, buried := f.InForce(); !buried {
		return nil
	}
	return vault.Unlink(t.w, id)
}

// touchAround marks a record, and those that it supersedes, for settle.
func (t *tx) touchAround(rec memory.Record) {
	t.touched.add(rec.ID)
	t.touched.add(rec.Supersedes...)
}

// insert stores a record that this machine did not have.
func (t *tx) insert(o offeredRecord) error {
	id := memory.ID(o.item.Key)
	row := store.Row{ID: id, Columns: store.Columns{Lineage: o.said.Lineage, Import: t.imports.number[o.said.Import]}}
	if row.Columns.Lineage == "" {
		row.Columns.Lineage = id
	}
	rec := o.rec
	if o.said.Shell != nil {
		var err error
		if rec, err = t.shellRecord(id, o.said.Shell); err != nil {
			return err
		}
	}
	next := vault.ReworkedRow(row, rec)
	switch {
	case rec.Origin == nil:
		next.Columns.Duplicate, next.Columns.Expires = "", time.Time{}
	case rec.Lifecycle.Status == memory.Tombstoned:
		next.Columns.Duplicate = ump.DuplicateKey(rec)
	}
	_, err := t.w.Insert(next, o.index, vault.LinksOf(rec))
	if errors.Is(err, store.ErrExists) {
		return &memory.Error{Kind: memory.Internal, Op: "sync", ID: id, Message: "an import is bringing this record in: synchronise again after it"}
	}
	if err != nil {
		return err
	}
	if !isPlain(o.said) { // a new record has no facts yet
		if err := t.setFacts(id, o.said); err != nil {
			return err
		}
	}
	if rec.Origin != nil {
		if err := vault.CallByName(t.kernel, t.w, rec, next.Columns.Import); err != nil {
			return err
		}
	}
	users, err := t.w.Relating(string(id))
	if t.touched.add(users...); len(users) > 0 || len(rec.Supersedes) > 0 || rec.Origin == nil || !isPlain(o.said) || t.later() {
		t.touchAround(rec)
	}
	return err
}

// empty removes the content of a record that another machine emptied because its retention is
// over.
func (t *tx) empty(row store.Row, both replica.Record) error {
	if row.Origin != nil {
		rec, err := vault.Decoded(row)
		if err != nil {
			return nil //nolint:nilerr // doctor reports it
		}
		shell, err := vault.Emptied(t.kernel, rec, t.owner)
		if err != nil {
			return err
		}
		mine, err := shellForm(shell.Current)
		if err != nil {
			return err
		}
		both = both.Join(replica.Record{Shell: mine})
	}
	rec, err := t.shellRecord(row.ID, both.Shell)
	if err != nil {
		return err
	}
	was := row
	row.Origin = nil
	if err := t.replace(was, row, rec); err != nil {
		return err
	}
	if err := t.w.Reindex(row.Number, store.Document{}); err != nil {
		return err
	}
	delete(t.facts, row.ID)
	if err := vault.NotFoundIsNone(t.w.Detach(factSpace, string(row.ID))); err != nil {
		return err
	}
	t.touchAround(rec)
	return vault.UnlinkAndPrune(t.kernel, t.w, row.ID)
}
