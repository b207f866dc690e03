package letta

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// writer collects records, which become blocks when all are known.
type writer struct {
	out     io.Writer
	opt     codec.Options
	now     time.Time
	records []memory.Record
	losses  []codec.Loss
	closed  bool
}

var _ codec.Writer = (*writer)(nil)

func create(out io.Writer, opt codec.Options) (codec.Writer, error) {
	w := &writer{out: out, opt: opt}
	if opt.Now != nil {
		w.now = opt.Now()
	}
	return w, nil
}

// Write adds a record, unless it does not hold.
func (w *writer) Write(r memory.Record) error {
	switch {
	case w.closed:
		return errors.New("letta: the file is complete")
	case !codec.Holds(r, w.now):
		w.losses = append(w.losses, codec.Loss{ID: r.ID, Reason: codec.NotHeld})
	case ofConversation(r):
		w.losses = append(w.losses, codec.Loss{ID: r.ID, Reason: lossSaid})
	case strings.TrimSpace(r.Body.Text) == "":
		w.losses = append(w.losses, codec.Loss{ID: r.ID, Pointer: "/body/text", Reason: lossWhite})
	default:
		w.records = append(w.records, r)
	}
	return nil
}

// Close writes the file, then reads it again to find the losses of each record.
func (w *writer) Close() error {
	if w.closed {
		return nil
	}
	w.closed = true
	f := newFile(w.records)
	text := string(append(f.value().AppendIndent(nil, "  "), '\n'))
	if err := w.compare(f.order(), text); err != nil {
		return err
	}
	_, err := io.WriteString(w.out, text)
	return err
}

// Losses returns the data that the file does not hold.
func (w *writer) Losses() []codec.Loss { return w.losses }

// compare reads the written file, which has the records in this order.
func (w *writer) compare(written []memory.Record, text string) error {
	if len(written) == 0 {
		return nil
	}
	opt := codec.Options{Owner: cmp.Or(w.opt.Owner, written[0].Scope.Owner), Project: w.opt.Project, Limits: codec.Limits{
		Document: math.MaxInt64, Record: int64(len(text)) + 1, Text: len(text), Name: len(text), Items: len(text), Depth: 9999, Records: len(text),
	}}
	d, err := newDocument(codec.Source{Name: "written.af", File: strings.NewReader(text), Size: int64(len(text))}, opt)
	if err != nil {
		return fmt.Errorf("letta: what was written is refused: %w", err)
	}
	n := 0
	for read, err := range d.Walk {
		if err != nil || n == len(written) {
			return fmt.Errorf("letta: what was written is not what is read at record %d: %w", n, err)
		}
		w.losses = append(w.losses, codec.RoundTripLosses(written[n], read)...)
		n++
	}
	if n < len(written) {
		return fmt.Errorf("letta: of %d records written %d are read", len(written), n)
	}
	return nil
}

// ofConversation reports whether a record is part of a conversation, or stands for one:
// core memory is no place for it.
func ofConversation(r memory.Record) bool {
	if r.Provenance == nil || !codec.IsResidue(r.Provenance.Method) {
		return false
	}
	beside, _ := codec.Residue(r, r.Provenance.Method)
	return r.Kind == memory.Episodic && beside.Has("turns")
}
