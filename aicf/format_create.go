package aicf

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// mostExport bounds, in bytes, the records of one file: they are held in memory until it
// is known what is said of each.
const mostExport = 256 << 20

// recordWriter sets records down until all are known, and then writes the file.
type recordWriter struct {
	forms   codec.Forms
	out     io.Writer
	opt     codec.Options
	records []memory.Record
	size    int64
	losses  []codec.Loss
	closed  bool
}

var _ codec.Writer = (*recordWriter)(nil)

var errClosed = errors.New("aicf: the file is complete")

// Write sets one record down. One that may not be exported is left out.
func (w *recordWriter) Write(r memory.Record) error {
	if w.closed {
		return errClosed
	}
	if r.Consent != nil && r.Consent.Exportable != nil && !*r.Consent.Exportable {
		w.losses = append(w.losses, codec.Loss{ID: r.ID, Reason: lossConsent})
		return nil
	}
	whole, err := w.whole(r)
	if err != nil {
		return fmt.Errorf("writing record %d: %w", len(w.records), err)
	}
	if w.size += int64(len(whole.Form())); w.size > mostExport {
		return &memory.Error{Kind: memory.Unsupported, Message: "a context file is put together in memory, and these records are too many for one"}
	}
	w.records = append(w.records, whole)
	return nil
}

// whole returns a record with its present form alone, which is what rides along.
func (w *recordWriter) whole(r memory.Record) (memory.Record, error) {
	if r.Form() == nil {
		if r.Integrity != nil {
			w.losses = append(w.losses, codec.Loss{ID: r.ID, Pointer: "/integrity", Reason: lossUnsigned})
		}
		authored, err := w.forms.Author(r)
		return authored, err
	}
	if r.Origin != nil && r.Current != nil && string(r.Origin) != string(r.Current) {
		w.losses = append(w.losses, codec.Loss{ID: r.ID, Reason: lossAuthored})
	}
	return w.forms.Decode(r.Form())
}

// Losses returns what the file does not say.
func (w *recordWriter) Losses() []codec.Loss { return w.losses }

// Close writes the file: as it was, where the records are those of one file and nothing
// else; otherwise with every record riding along.
func (w *recordWriter) Close() error {
	if w.closed {
		return errClosed
	}
	w.closed = true
	var b *base
	if i := newestFile(w.records); i >= 0 {
		if b = rebuild(w.records[i], w.records); b.gives(w.forms, w.records) {
			_, err := w.out.Write(b.data)
			return err
		}
	}
	c, preserve, err := w.compose(b)
	if err != nil {
		return err
	}
	losses, err := EncodeTo(w.out, c, WriteOptions{Preserve: preserve})
	w.losses = append(w.losses, losses...)
	return err
}

// compose adds to the file that there was what it does not say.
func (w *recordWriter) compose(b *base) (*Contents, bool, error) {
	x := &export{contents: &Contents{Dialect: Spec}}
	records := inOrder(w.records)
	told := map[memory.ID]bool{}
	if b != nil && len(b.data) > 0 {
		f, err := Parse(b.data, Options{})
		if err != nil {
			return nil, false, err
		}
		x.contents, _ = Read(f, Options{})
		if told = b.told; b.foreign {
			allDemanded(x.contents)
			x.contents.Dialect = Spec
			x.contents.Entries = slices.DeleteFunc(x.contents.Entries, func(e Entry) bool { return !fresh(e) })
		}
	}
	var rest []memory.Record
	for _, r := range records {
		if !told[r.ID] {
			rest = append(rest, r)
		}
	}
	x.tell(rest)
	x.carry(records)
	return x.contents, len(told) > 0, nil
}

// fresh makes an entry of another dialect one of this, unless a record tells it.
func fresh(e Entry) bool {
	switch e.(type) {
	case *Unknown, *Link, *Embedding:
		e.Place().Line = 0
		return true
	}
	return false
}
