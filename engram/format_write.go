package engram

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// recordWriter collects records until Close writes the export.
type recordWriter struct {
	forms   codec.Forms
	out     io.Writer
	opt     codec.Options
	owner   memory.DID
	records []memory.Record
	at      map[memory.ID]int // indexes of records
	size    int64
	latest  time.Time
	losses  []codec.Loss
	closed  bool
}

var _ codec.Writer = (*recordWriter)(nil)

// Write adds a record. It leaves out a record that may not be exported, and one whose id it
// already has.
func (w *recordWriter) Write(r memory.Record) error {
	if w.closed {
		return errClosed
	}
	kept, err := w.prepare(r)
	if err != nil {
		return fmt.Errorf("writing record %d: %w", len(w.records), err)
	}
	if r.Consent != nil && r.Consent.Exportable != nil && !*r.Consent.Exportable {
		w.losses = append(w.losses, codec.Loss{ID: r.ID, Reason: lossConsent})
		return nil
	}
	if n, twice := w.at[r.ID]; twice {
		if !bytes.Equal(kept.Form(), w.records[n].Form()) {
			w.losses = append(w.losses, codec.Loss{ID: r.ID, Reason: lossTwice})
		}
		return nil
	}
	if w.size += int64(len(kept.Form())); w.size > mostBytes {
		return &memory.Error{Kind: memory.Unsupported, Message: "an export is one document, and these records are too many for one"}
	}
	if w.at == nil {
		w.at = map[memory.ID]int{}
	}
	w.at[r.ID] = len(w.records)
	w.records = append(w.records, kept)
	if r.Time.Created.After(w.latest) {
		w.latest = r.Time.Created
	}
	return nil
}

var errClosed = errors.New("engram: the export is closed")

// prepare returns a record ready for the export: complete, with its present form alone, and
// of the export's owner.
func (w *recordWriter) prepare(r memory.Record) (memory.Record, error) {
	form := r.Form()
	if form == nil {
		made, err := w.forms.Author(r)
		if err != nil {
			return made, err
		}
		form = made.Form()
	}
	again, err := w.forms.Decode(form)
	if err != nil {
		return again, err
	}
	if again.ID != r.ID {
		return again, &memory.Error{Kind: memory.InvalidRecord, Message: "the record has no id, or another than its document"}
	}
	if len(w.records) == 0 {
		w.owner = r.Scope.Owner
	}
	if w.owner != r.Scope.Owner {
		return again, &memory.Error{Kind: memory.Unsupported, ID: r.ID, Path: "/scope/owner",
			Message: "an export holds the memory of one owner; write one for each"}
	}
	if r.Current != nil && r.Origin != nil && string(r.Current) != string(r.Origin) {
		w.losses = append(w.losses, codec.Loss{ID: r.ID, Reason: lossAuthored})
	}
	if r.Form() == nil && r.Integrity != nil {
		w.losses = append(w.losses, codec.Loss{ID: r.ID, Pointer: "/integrity", Reason: lossUnsigned})
	}
	return again, nil
}

// Losses returns what the export does not say.
func (w *recordWriter) Losses() []codec.Loss { return w.losses }

// Close writes the export. If the records are unchanged since they were read from an
// export, Close writes that export again with its signature. Otherwise it writes an
// unsigned export.
func (w *recordWriter) Close() error {
	if w.closed {
		return errClosed
	}
	w.closed = true
	d, losses, err := w.document()
	if err != nil {
		return err
	}
	w.losses = append(w.losses, losses...)
	raw, err := Encode(d)
	if err != nil {
		return err
	}
	_, err = w.out.Write(append(raw, '\n'))
	return err
}

// document makes the export of all records.
func (w *recordWriter) document() (Document, []codec.Loss, error) {
	m := Mapper{Forms: w.forms, Owner: w.owner, Now: w.opt.Now, Residue: true, envelope: true}
	s := m.sortRecords(w.records)
	if received, kept, ok := receivedIn(s.identity); ok {
		m.Under, m.kept = received, kept
		d, losses, err := m.document(s)
		if err != nil {
			return d, nil, err
		}
		if len(losses) == 0 && is(kept.Get(envelopeSum), digest(d.Wire())) {
			return d, nil, nil
		}
	}
	m.Under, m.kept = w.newEnvelope(), canon.Value{}
	return m.document(s)
}

// newEnvelope returns the envelope of a new export.
func (w *recordWriter) newEnvelope() Document {
	at := w.latest
	if w.opt.Now != nil {
		at = w.opt.Now()
	}
	at = at.UTC().Truncate(time.Second)
	name := w.opt.Producer
	if name == "" {
		name = "Satchel"
	}
	return Document{
		Version: Version, Schema: SchemaURL, IssuedAt: at, ExpiresAt: at.Add(MaxLifetime), Kid: "unsigned",
		Issuer: Issuer{Name: name, URL: "https://localhost"}, Subject: Subject{ID: SubjectID(w.owner)},
		Scope: Full, Signature: Signature{Value: Unsigned},
	}
}
