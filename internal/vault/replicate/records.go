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

// recordOf returns the record of a row as machines exchange it. f holds its facts.
func recordOf(f replica.Record, row store.Row, imports importKeys) (replica.Record, error) {
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

// offeredRecord is a record of a message.
type offeredRecord struct {
	item  replica.Item
	said  replica.Record
	rec   memory.Record // as it was authored; zero for a shell
	index store.Document
}

// offerPage is how many records are verified in one batch. A batch takes a third of the time that
// single signatures take.
const offerPage = 256

// offer is the records of a message. Several processors verify them, page by page, while
// those before them are stored.
type offer struct {
	pages   [][]offeredRecord
	errs    []error
	checked []chan struct{} // closed once the page is verified
	room    chan struct{}   // holds a value for each page that is verified, or will be, and not stored
	over    chan struct{}   // closed at the end
	work    sync.WaitGroup
}

// offerAhead is how many pages are verified before they are stored. It bounds the memory.
const offerAhead = 8

// offer begins to verify the records of a message.
func (m *Memory) offer(items []replica.Item) *offer {
	all := make([]offeredRecord, 0, len(items))
	for _, i := range items {
		if i.Kind == replica.KindRecord {
			all = append(all, offeredRecord{item: i})
		}
	}
	processors := runtime.GOMAXPROCS(0)
	page := max(1, min(offerPage, (len(all)+processors-1)/processors))
	o := &offer{pages: slices.Collect(slices.Chunk(all, page)), room: make(chan struct{}, max(offerAhead, processors)), over: make(chan struct{})}
	o.errs, o.checked = make([]error, len(o.pages)), make([]chan struct{}, len(o.pages))
	for i := range o.checked {
		o.checked[i] = make(chan struct{})
	}
	var next atomic.Int64
	for range min(processors, len(o.pages)) {
		o.work.Go(func() {
			for x := new(recall.Indexer); o.enter(); {
				i := next.Add(1) - 1
				if i >= int64(len(o.pages)) {
					return
				}
				o.errs[i] = m.check(o.pages[i], x)
				close(o.checked[i])
			}
		})
	}
	return o
}

// enter waits until another page may be verified. It reports false at the end.
func (o *offer) enter() bool {
	select {
	case o.room <- struct{}{}:
		return true
	case <-o.over:
		return false
	}
}

// each calls do for each record, in order, and waits until the record is verified. It fails
// if one is not as it must be. It must be called once.
func (o *offer) each(do func(offeredRecord) error) error {
	for i := range o.pages {
		if <-o.checked[i]; o.errs[i] != nil {
			return o.errs[i]
		}
		for _, one := range o.pages[i] {
			if err := do(one); err != nil {
				return err
			}
		}
		clear(o.pages[i])
		<-o.room
	}
	return nil
}

// end stops the verification.
func (o *offer) end() {
	close(o.over)
	o.work.Wait()
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
			delete(t.places, n)
			err = vault.DropResidue(t.kernel, t.w, n)
		}
		return outcome{}, err // the other machine learns of the erasure by its mark
	}
	// Most records are new, and the store refuses the others.
	taken := false
	if o.said.Shell != nil { // insert would sign it in vain
		_, err := t.w.Document(id)
		taken = err == nil
	}
	if !taken {
		if err := t.insert(o); !errors.Is(err, store.ErrExists) {
			return outcome{added: true}, err
		}
	}
	row, err := t.w.Row(id)
	if errors.Is(err, store.ErrNotFound) {
		return out, &memory.Error{Kind: memory.Internal, Op: "sync", ID: id, Message: "an import is bringing this record in: synchronise again after it"}
	}
	if err != nil {
		return out, err
	}
	f, err := factsIn(t.w, id)
	if err != nil {
		return out, err
	}
	mine, err := recordOf(f, row, t.imports)
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

// insert stores a record. It fails with [store.ErrExists] if this machine has it.
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
	if _, err := t.w.Insert(next, o.index, vault.LinksOf(rec)); err != nil {
		return err
	}
	if !isPlain(o.said) { // a new record has no facts yet
		if err := t.setFacts(id, o.said); err != nil {
			return err
		}
	}
	if rec.Origin != nil {
		place, err := t.placeOf(next.Columns.Import)
		if err == nil {
			err = vault.CallByName(t.kernel, t.w, rec, place)
		}
		if err != nil {
			return err
		}
	}
	users, err := t.w.Relating(string(id))
	if t.touched.add(users...); len(users) > 0 || len(rec.Supersedes) > 0 || rec.Origin == nil || !isPlain(o.said) || t.later() {
		t.touchAround(rec)
	}
	return err
}

// placeOf returns the place of an import. Many records have the same import.
func (t *tx) placeOf(imp int64) (place string, err error) {
	place, known := t.places[imp]
	if !known {
		if place, err = vault.PlaceOf(t.kernel, t.w, imp); err == nil {
			t.places[imp] = place
		}
	}
	return place, err
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
