package mapping

import (
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// recordReader yields the records of a file in order, and last the record that stands for
// the file.
type recordReader struct {
	in    *recordBuilder
	walk  *walk
	keep  *fileResidue
	next  func() (aicf.Entry, error, bool)
	stop  func()
	ready []memory.Record
	rides int // carried records so far
	done  bool
	count int
	said  int64 // bytes of text in records so far
	of    int64 // bytes of text in the file so far
	err   error
}

var _ codec.Share = (*recordReader)(nil)

// Shared returns how much of the file's text the records so far have. Vectors and links
// that a record keeps, and carried records, are no text.
func (r *recordReader) Shared() (said, of int64) {
	if r.in.script.foreign() {
		return r.said, int64(len(r.in.script.contents.Layout.Source))
	}
	return r.said, r.of
}

var _ codec.Torn = (*recordReader)(nil)

// Torn reports whether the file ends within a line of data.
func (r *recordReader) Torn() bool {
	layout, _, _ := r.in.script.layout()
	return layout.OpenEnd && !r.in.script.foreign()
}

var _ codec.Reader = (*recordReader)(nil)

// openRecords surveys a file.
func openRecords(forms codec.Forms, src codec.Source, opt codec.Options) (codec.Reader, error) {
	s, err := openSourceFile(src, opt)
	if err != nil {
		return nil, err
	}
	in := newRecordBuilder(forms, s, opt)
	if err := in.survey(); err != nil {
		return nil, err
	}
	r := &recordReader{in: in, walk: in.walk(), keep: &fileResidue{}}
	r.next, r.stop = iter.Pull2(s.entries())
	return r, nil
}

// Next yields the next record.
func (r *recordReader) Next() (memory.Record, error) {
	for len(r.ready) == 0 && r.err == nil {
		r.err = r.more()
	}
	if len(r.ready) == 0 {
		return memory.Record{}, r.err
	}
	next := r.ready[0]
	r.ready = r.ready[1:]
	if !r.done {
		r.said += int64(len(next.Body.Text))
	}
	if r.count++; r.count > r.in.limits.Records {
		r.err = aicf.TooLarge(0, "AICF-SIZE-4", "the number of records", int64(r.in.limits.Records))
		return memory.Record{}, r.err
	}
	return next, nil
}

// more makes the records of one more entry.
func (r *recordReader) more() error {
	if r.done {
		return io.EOF
	}
	e, err, ok := r.next()
	switch {
	case err != nil:
		return err
	case ok:
		return r.entry(e)
	}
	r.done = true
	if r.in.made {
		return nil
	}
	last, err := r.in.fileRecord(r.keep)
	if err == nil {
		r.ready = append(r.ready, last)
	}
	return err
}

func (r *recordReader) entry(e aicf.Entry) error {
	switch e.(type) {
	case *aicf.Carried, *aicf.Declaration:
	default:
		if !r.in.isKept(e) {
			r.of += int64(len(strings.TrimSpace(e.Place().Raw)))
		}
	}
	if !r.in.made {
		r.said += r.keep.say(r.in.limits, r.in.unsaid(e))
	}
	if c, ok := e.(*aicf.Carried); ok && r.in.made {
		back, ok, err := r.in.back(r.rides, c)
		r.rides++
		if ok {
			r.ready = append(r.ready, back)
		}
		return err
	}
	drafts := r.walk.drafts(e)
	pieces := piecesOf(e, "").pieces
	ids := make([]memory.ID, len(pieces))
	for _, d := range drafts {
		if r.in.rides.of(d) != nil {
			continue // the carried record replaces it
		}
		made, err := r.in.record(d)
		if err != nil {
			return err
		}
		if d.raw != "" {
			ids[d.place] = made.ID
		}
		if made.Time.Created.After(r.keep.latest) {
			r.keep.latest = made.Time.Created
		}
		r.ready = append(r.ready, made)
	}
	r.drop(e, pieces)
	if !r.in.script.foreign() {
		r.keep.entry(e, ids)
	}
	return nil
}

// drop reports what no record can hold.
func (r *recordReader) drop(e aicf.Entry, pieces []piece) {
	if slices.ContainsFunc(pieces, r.in.tooLong) {
		r.in.lose(e, lossLong)
	}
	switch e := e.(type) {
	case *aicf.State:
		if e.HasTemporary() {
			r.in.lose(e, lossTemporary)
		}
	case *aicf.Insight:
		if e.Raw == "" && orExtra(e.Text, e.Extra) == "" {
			r.in.lose(e, lossBlank)
		}
	}
}

// Losses returns what the records do not say.
func (r *recordReader) Losses() []codec.Loss { return r.in.losses.All() }

// Close frees what the reader holds.
func (r *recordReader) Close() error {
	r.stop()
	return nil
}

// overLimit returns what exceeds the limits in a record; empty: nothing.
func overLimit(r memory.Record, l codec.Limits) string {
	names := []string{string(r.ID), string(r.Scope.Owner), r.Scope.User, r.Scope.Project, r.Scope.Agent, r.Scope.Session}
	for _, rel := range r.Relations {
		names = append(names, rel.Type, rel.Target)
	}
	for _, name := range names {
		if len(name) > l.Name {
			return "makes a longer name than may be read"
		}
	}
	switch {
	case int64(len(r.Form())) > l.Record:
		return "makes a larger record than may be read"
	case len(r.Body.Text) > l.Text:
		return "makes a longer text than may be read"
	case max(len(r.Relations), len(r.Supersedes), len(r.SupersededBy)) > l.Items:
		return "makes a record with more items than may be read"
	}
	return ""
}
