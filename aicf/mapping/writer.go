package mapping

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// mostExport bounds, in bytes, the records of one file: they are held in memory until
// Close.
const mostExport = 256 << 20

// recordWriter collects records until Close writes the file.
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

// Write adds a record. It leaves out a record that may not be exported.
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

// whole returns a record with its present form alone, as the file carries it.
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

// Close writes the file. If the records are exactly those of one file, it writes that file
// again. Otherwise it writes a file that carries every record.
func (w *recordWriter) Close() error {
	if w.closed {
		return errClosed
	}
	w.closed = true
	var b *previousFile
	if i := newestFile(w.records); i >= 0 {
		if b = rebuild(w.records[i], w.records); b.yields(w.forms, w.records) {
			_, err := w.out.Write(b.data)
			return err
		}
	}
	c, preserve, err := w.compose(b)
	if err != nil {
		return err
	}
	losses, err := aicf.EncodeTo(w.out, c, aicf.WriteOptions{Preserve: preserve})
	w.losses = append(w.losses, losses...)
	return err
}

// compose adds the records that the previous file lacks.
func (w *recordWriter) compose(b *previousFile) (*aicf.Contents, bool, error) {
	x := &export{contents: &aicf.Contents{Dialect: aicf.Spec}}
	records := inOrder(w.records)
	told := map[memory.ID]bool{}
	if b != nil && len(b.data) > 0 {
		f, err := aicf.Parse(b.data, aicf.Options{})
		if err != nil {
			return nil, false, err
		}
		x.contents, _ = aicf.Read(f, aicf.Options{})
		if told = b.told; b.foreign {
			x.contents.FillRequired()
			x.contents.Dialect = aicf.Spec
			x.contents.Entries = slices.DeleteFunc(x.contents.Entries, func(e aicf.Entry) bool { return !fresh(e) })
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

// fresh turns an entry of another dialect into one of this format, unless a record makes
// it.
func fresh(e aicf.Entry) bool {
	switch e.(type) {
	case *aicf.Unknown:
		e.Place().Line = 0
		return !undefined(e)
	case *aicf.Link, *aicf.Embedding:
		e.Place().Line = 0
		return true
	}
	return false
}
