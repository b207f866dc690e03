package aimem

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// recordWriter spools records until Close, and then writes the bundle.
type recordWriter struct {
	forms   codec.Forms
	out     io.Writer
	opt     codec.Options
	spool   *spool
	entries []entry
	owner   memory.DID
	latest  time.Time
	losses  []codec.Loss
	err     error // no record can follow
}

var _ codec.Writer = (*recordWriter)(nil)

// entry is one spooled record.
type entry struct {
	id       memory.ID
	at       span
	created  time.Time
	origin   URN // of the chunk it came from; empty: none
	live     bool
	manifest bool
	name     URN // of its chunk
	parts    int
}

func createRecords(forms codec.Forms, out io.Writer, opt codec.Options) (codec.Writer, error) {
	s, err := newSpool(opt)
	if err != nil {
		return nil, err
	}
	return &recordWriter{forms: forms, out: out, opt: opt, spool: s, owner: opt.Owner}, nil
}

// Write spools one record.
func (w *recordWriter) Write(r memory.Record) error {
	if w.err != nil {
		return w.err
	}
	form, err := w.form(r)
	if err != nil {
		return fmt.Errorf("writing record %d: %w", len(w.entries), err)
	}
	e := entry{id: r.ID, created: r.Time.Created, manifest: IsManifest(r)}
	e.live = !e.manifest && w.isLive(r)
	e.origin = URN(strings.Clone(string(Mapper{}.Origin(r)))) // otherwise it would keep the whole source
	e.parts = len(cut(r.Body.Text))
	if e.at, err = w.spool.put(form); err != nil {
		w.err = err
		return err
	}
	w.entries = append(w.entries, e)
	if r.Time.Created.After(w.latest) {
		w.latest = r.Time.Created
	}
	return nil
}

// form returns the document of a record for the spool. The record must be complete, and
// belong to the owner of the bundle.
func (w *recordWriter) form(r memory.Record) ([]byte, error) {
	form := r.Form()
	if form == nil {
		integrity := r.Integrity
		made, err := w.forms.Author(r)
		if err != nil {
			return nil, err
		}
		form = made.Form()
		if integrity != nil { // a record without a document keeps its integrity
			v, _ := canon.Parse(form, anyJSON)
			form = v.With("integrity", integrityValue(integrity)).Append(nil)
		}
	}
	again, err := w.forms.Decode(form)
	if err != nil {
		return nil, err
	}
	if again.ID != r.ID {
		return nil, &memory.Error{Kind: memory.InvalidRecord, Message: "the record has no id, or another than its document"}
	}
	switch {
	case len(w.entries) == 0:
		w.owner = r.Scope.Owner
	case w.owner != r.Scope.Owner:
		return nil, &memory.Error{Kind: memory.Unsupported, ID: r.ID, Path: "/scope/owner",
			Message: "a bundle holds the memory of one owner; write one for each"}
	}
	if r.Current != nil && r.Origin != nil && string(r.Current) != string(r.Origin) {
		w.losses = append(w.losses, codec.Loss{ID: r.ID, Reason: lossAuthored})
	}
	return form, nil
}

func integrityValue(i *memory.Integrity) canon.Value {
	var o object
	o.text("content_hash", i.ContentHash)
	o.text("signature", i.Signature)
	o.text("signer", string(i.Signer))
	return o.value()
}

// isLive reports whether a record is a present fact: it is not closed, proposed,
// forgotten or expired (mapping section 2.2).
func (w *recordWriter) isLive(r memory.Record) bool {
	if r.Lifecycle.Status.Or() != memory.Active || len(r.SupersededBy) > 0 {
		return false
	}
	ends := []time.Time{}
	if !r.Time.ValidTo.IsZero() {
		ends = append(ends, r.Time.ValidTo)
	}
	if end, ok := w.forms.Expiry(r); ok {
		ends = append(ends, end)
	}
	return !slices.ContainsFunc(ends, func(end time.Time) bool { return w.opt.Now == nil || !w.opt.Now().Before(end) })
}

// record reads a record from the spool.
func (w *recordWriter) record(e entry) (memory.Record, error) {
	form, err := w.spool.get(e.at)
	if err != nil {
		return memory.Record{}, err
	}
	return w.forms.Decode(form)
}

// Losses returns the losses of all records.
func (w *recordWriter) Losses() []codec.Loss { return w.losses }

// Close writes the bundle.
func (w *recordWriter) Close() error {
	if w.err != nil {
		return errors.Join(w.err, w.spool.close())
	}
	w.err = errClosed
	b, err := w.build((*graphBuilder).add)
	if err == nil {
		err = w.write(b)
	}
	if b != nil {
		err = errors.Join(err, b.spool.close())
	}
	return errors.Join(err, w.spool.close())
}

func (w *recordWriter) write(b *recordBrain) error {
	if w.opt.NDJSON && b.env.Absent != nil { // a stream stands for a bundle with all arrays
		b.env.Absent = nil
		w.losses = append(w.losses, codec.Loss{Reason: lossAbsent})
	}
	sum, err := Checksum(b)
	if err != nil {
		return err
	}
	fits, err := w.roundTrips(b, sum)
	if err != nil {
		return err
	}
	if !fits {
		if err := b.addCarrier(); err != nil {
			return err
		}
		if sum, err = Checksum(b); err != nil {
			return err
		}
	}
	if w.opt.NDJSON {
		return WriteStream(w.out, b, sum)
	}
	return Write(w.out, b, sum)
}

// roundTrips reports whether reading the bundle gives all records again without x_ump in
// the envelope: all are chunks, followed by the manifest of this bundle.
func (w *recordWriter) roundTrips(b *recordBrain, sum string) (bool, error) {
	n := slices.IndexFunc(w.entries, func(e entry) bool { return !e.live })
	if n < 0 || b.manifest == nil || b.manifest.sum != sum {
		return false, nil
	}
	at := n
	for r, err := range b.mapper.manifest(b, sum) {
		if err != nil {
			return false, err
		}
		if at == len(w.entries) || !w.entries[at].manifest {
			return false, nil
		}
		same, err := w.sameRecord(w.entries[at], r)
		if err != nil || !same {
			return false, err
		}
		at++
	}
	return at == len(w.entries), nil
}

func (w *recordWriter) sameRecord(e entry, r memory.Record) (bool, error) {
	form, err := w.spool.get(e.at)
	if err != nil {
		return false, err
	}
	was, err := canon.Parse(form, anyJSON)
	if err != nil {
		return false, err
	}
	is, err := canon.Parse(r.Form(), anyJSON)
	return canon.Identical(was, is), err
}
