package notebook

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
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

// writer collects the records, since one note may hold several, and writes them in Close.
type writer struct {
	shape  *Shape
	in     codec.Folder
	opt    codec.Options
	now    time.Time
	groups map[string][]memory.Record // by the note that they were read from
	own    []memory.Record
	taken  map[string]bool // paths in lower case
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

// Write adds a record.
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

// Close writes the notes: first those that were read from such a folder, then new ones.
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
		if err := w.put(d, w.readBack(d)); err != nil {
			return err
		}
	}
	return nil
}

// restore writes a note as it was, with those records that have not changed. The changed
// records go into new notes.
func (w *writer) restore(records []memory.Record) error {
	d, left, ok := w.shape.Restore(records)
	if !ok || w.taken[strings.ToLower(d.Path)] {
		w.own = append(w.own, records...)
		return nil
	}
	again := w.readBack(d)
	if len(again) != len(d.Records) {
		w.own = append(w.own, records...)
		return nil
	}
	for i, r := range d.Records {
		for _, pointer := range codec.Differences(r, again[i]) {
			if d.Whole && strings.HasPrefix(pointer, "/body") || pointer == "/body/text" || pointer == "/kind" || strings.HasPrefix(pointer, "/relations") {
				w.own = append(w.own, records...) // somebody edited it: the visible text wins
				return nil
			}
		}
	}
	w.own = append(w.own, left...)
	return w.put(d, again)
}

// undated is the date of a note that is read again and has no date itself.
func undated() time.Time { return time.Unix(0, 0).UTC() }

// readBack reads a note that is about to be written.
func (w *writer) readBack(d Draft) []memory.Record {
	if int64(len(d.File.Bytes())) > w.opt.Limits.Record {
		return nil
	}
	opt := w.opt
	if opt.Owner == "" && len(d.Records) > 0 {
		opt.Owner = d.Records[0].Scope.Owner
	}
	opt.Now, d.File.Modified = nil, undated()
	n := w.shape.read(d.Path, d.File, codec.Source{}, opt)
	if len(n.found) == 0 {
		w.shape.Read(n)
	}
	if len(n.found) > 0 {
		return nil
	}
	return n.records
}

// put writes a note and reports the data of its records that it does not hold.
func (w *writer) put(d Draft, again []memory.Record) error {
	if len(again) != len(d.Records) {
		for _, r := range d.Records {
			w.lose(r, lossUnread)
		}
		return nil
	}
	d.Path = w.spared(d.Path)
	d.Path = w.free(d)
	placed, err := w.shape.mark().Place(w.in, d.Path, d.File.Bytes())
	if name := portable(d.Path, w.shape.ending()); errors.Is(err, fs.ErrInvalid) && name != d.Path {
		d.Path = name
		return w.put(d, w.readBack(d))
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", d.Path, err)
	}
	for i, r := range d.Records {
		if !placed {
			w.lose(r, lossHeld)
			continue
		}
		w.losses = append(w.losses, w.recordLosses(d, r, again[i])...)
	}
	return nil
}

// portable returns a path that every system allows, and that is like name.
func portable(name, ending string) string {
	parts := strings.Split(strings.TrimSuffix(name, ending), "/")
	for i, part := range parts {
		if !codec.Portable(part) {
			parts[i] = markdown.FileName(part)
		}
	}
	return path.Join(parts...) + ending
}

// spared returns the path of a note, or one in the spare folder if a file has the name of the
// note's folder.
func (w *writer) spared(name string) string {
	dir := path.Dir(name)
	if w.shape.Spare == "" || dir == "." {
		return name
	}
	if _, err := w.in.Held(dir); err != nil && !w.taken[strings.ToLower(dir)] {
		return name
	}
	return path.Join(w.shape.Spare, path.Base(name))
}

// free returns the path of a note, or a similar one if another note of this run has it.
func (w *writer) free(d Draft) string {
	ending := w.shape.ending()
	stem := strings.TrimSuffix(d.Path, ending)
	for name, i := d.Path, 1; ; i++ {
		if low := strings.ToLower(name); !w.taken[low] {
			w.taken[low] = true
			return name
		}
		name = stem + " " + markdown.Digest(fmt.Sprint(d.File.Text, i)) + ending
	}
}

// recordLosses returns the losses of a record. A record from such a folder gets the folder's name
// again wherever the note is read.
func (w *writer) recordLosses(d Draft, r, again memory.Record) []codec.Loss {
	if p, q := r.Provenance, again.Provenance; p != nil && p.Source != nil && p.Source.Provider == q.Source.Provider && p.Method == q.Method {
		_, place, _ := strings.Cut(p.Source.Ref, "/")
		if place == q.Source.Ref || p.Source.Ref == path.Base(q.Source.Ref) {
			q.Source.Ref = p.Source.Ref
		}
	}
	if !d.Whole { // the source note's spelling is of no more use
		r, again = codec.WithResidue(r, w.shape.Name, canon.Value{}), codec.WithResidue(again, w.shape.Name, canon.Value{})
	}
	losses := codec.RoundTripLosses(r, again)
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

// Implied reports whether times say no more than when a memory was made: the times of
// learning and of validity, if any, equal it.
func Implied(t memory.Times) bool {
	same := func(at time.Time) bool { return at.IsZero() || at.Equal(t.Created) }
	return same(t.Observed) && same(t.ValidFrom) && t.ValidTo.IsZero()
}

// Losses returns the data that the notes do not hold.
func (w *writer) Losses() []codec.Loss { return w.losses }
