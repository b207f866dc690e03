package notebook

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/markdown"
)

// writer gathers the records, since one note may hold several, and writes when it is
// closed.
type writer struct {
	shape  *Shape
	in     codec.Folder
	opt    codec.Options
	now    time.Time
	groups map[string][]memory.Record // by the note they were read from
	own    []memory.Record
	taken  map[string]bool // paths, in small letters
	losses []codec.Loss
}

var _ codec.Writer = (*writer)(nil)

func (s *Shape) createIn(in codec.Folder, opt codec.Options) (codec.Writer, error) {
	opt.Limits = codec.Limits{}.Filled()
	w := &writer{shape: s, in: in, opt: opt, groups: map[string][]memory.Record{}, taken: map[string]bool{}}
	if opt.Now != nil {
		w.now = opt.Now()
	}
	return w, nil
}

// Write takes a record.
func (w *writer) Write(r memory.Record) error {
	group := w.shape.Group(r)
	switch {
	case !codec.Holds(r, w.now):
		w.lose(r, codec.NotHeld)
	case strings.TrimSpace(r.Body.Text) == "":
		w.lose(r, lossBlank)
	case len(r.Body.Text) > w.opt.Limits.Text:
		w.lose(r, lossUnread)
	case group != "":
		w.groups[group] = append(w.groups[group], r)
	default:
		w.own = append(w.own, r)
	}
	return nil
}

func (w *writer) lose(r memory.Record, reason string) {
	w.losses = append(w.losses, codec.Loss{ID: r.ID, Reason: reason})
}

// Close writes the notes: those that were read from such a folder, and then new ones.
func (w *writer) Close() error {
	for _, group := range slices.Sorted(maps.Keys(w.groups)) {
		if err := w.restore(w.groups[group]); err != nil {
			return err
		}
	}
	drafts, err := w.shape.Compose(w.own)
	if err != nil {
		return err
	}
	slices.SortStableFunc(drafts, func(a, b Draft) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.File.Text, b.File.Text))
	})
	for _, d := range drafts {
		if err := w.put(d, w.again(d)); err != nil {
			return err
		}
	}
	return nil
}

// restore writes a note as it was, where the records still say what it said; what they
// say otherwise is written anew.
func (w *writer) restore(records []memory.Record) error {
	d, left, ok := w.shape.Restore(records)
	if !ok || w.taken[strings.ToLower(d.Path)] {
		w.own = append(w.own, records...)
		return nil
	}
	again := w.again(d)
	if len(again) != len(d.Records) {
		w.own = append(w.own, records...)
		return nil
	}
	for i, r := range d.Records {
		for _, pointer := range codec.Differences(r, again[i]) {
			if d.Whole && strings.HasPrefix(pointer, "/body") || pointer == "/body/text" || pointer == "/kind" || strings.HasPrefix(pointer, "/relations") {
				w.own = append(w.own, records...) // it was edited: what shows wins
				return nil
			}
		}
	}
	w.own = append(w.own, left...)
	return w.put(d, again)
}

// undated is what a note that is read again is dated by where it says no date itself.
func undated() time.Time { return time.Unix(0, 0).UTC() }

// again reads a note that is to be written.
func (w *writer) again(d Draft) []memory.Record {
	if int64(len(d.File.Bytes())) > w.opt.Limits.Record {
		return nil
	}
	opt := w.opt
	if opt.Owner == "" && len(d.Records) > 0 {
		opt.Owner = d.Records[0].Scope.Owner
	}
	opt.Now, d.File.Modified = nil, undated()
	n := w.shape.take(d.Path, d.File, codec.Source{}, opt)
	if len(n.found) == 0 {
		w.shape.Read(n)
	}
	if len(n.found) > 0 {
		return nil
	}
	return n.records
}

// put puts a note in place, and reports what it does not say of its records.
func (w *writer) put(d Draft, again []memory.Record) error {
	if len(again) != len(d.Records) {
		for _, r := range d.Records {
			w.lose(r, lossUnread)
		}
		return nil
	}
	d.Path = w.free(d)
	placed, err := markdown.Place(w.in, d.Path, d.File.Bytes())
	if err != nil {
		return fmt.Errorf("write %s: %w", d.Path, err)
	}
	for i, r := range d.Records {
		if !placed {
			w.lose(r, lossHeld)
			continue
		}
		w.losses = append(w.losses, w.unkept(d, r, again[i])...)
	}
	return nil
}

// free returns the path of a note, or one like it where another note of this run has it.
func (w *writer) free(d Draft) string {
	stem, ending := strings.TrimSuffix(d.Path, ".md"), ".md"
	for name, i := d.Path, 1; ; i++ {
		if low := strings.ToLower(name); !w.taken[low] {
			w.taken[low] = true
			return name
		}
		name = stem + " " + markdown.Digest(fmt.Sprint(d.File.Text, i)) + ending
	}
}

// unkept returns the losses of a record. Where it came from such a folder, the name of
// the folder is that of wherever it is read again.
func (w *writer) unkept(d Draft, r, again memory.Record) []codec.Loss {
	if p, q := r.Provenance, again.Provenance; p != nil && p.Source != nil && p.Source.Provider == q.Source.Provider && p.Method == q.Method {
		_, place, _ := strings.Cut(p.Source.Ref, "/")
		if place == q.Source.Ref || p.Source.Ref == path.Base(q.Source.Ref) {
			q.Source.Ref = p.Source.Ref
		}
	}
	if !d.Whole { // how the note was spelled that it comes from is of no more use
		r, again = codec.WithResidue(r, w.shape.Name, canon.Value{}), codec.WithResidue(again, w.shape.Name, canon.Value{})
	}
	losses := codec.Unkept(r, again)
	for i, l := range losses {
		switch implied := Implied(r.Time) && again.Time.Created.Equal(r.Time.Created); {
		case l.Pointer == "/time/created" && again.Time.Created.Equal(undated()):
			losses[i].Reason = lossDate
		case implied && (l.Pointer == "/time/observed" || l.Pointer == "/time/valid_from"):
			losses[i].Reason = lossImplied
		}
	}
	return losses
}

// Implied reports whether times say no more than when a memory was made: where it is
// said when it was learnt and since when it is true, it is then.
func Implied(t memory.Times) bool {
	same := func(at time.Time) bool { return at.IsZero() || at.Equal(t.Created) }
	return same(t.Observed) && same(t.ValidFrom) && t.ValidTo.IsZero()
}

// Losses returns what notes do not say.
func (w *writer) Losses() []codec.Loss { return w.losses }
