package mcpmemory

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// reader yields the records of a document.
type reader struct {
	in      scanner
	opt     codec.Options
	name    string    // of the source
	when    time.Time // dates every record: the graph has no dates
	tally   tally
	current item
	todo    []int // observations of the present entity to come
	bare    bool  // the present entity is to come as a record of its own
	losses  codec.LossList
	salvage codec.Salvage
}

// open prepares reading. It checks each line when the line's turn comes.
func open(src codec.Source, opt codec.Options) (codec.Reader, error) {
	opt.Limits = opt.Limits.Filled()
	opt.Strict, opt.Mend = false, true
	when, err := date(src, opt)
	if err != nil {
		return nil, err
	}
	in, err := newScanner(src, opt)
	if err != nil {
		return nil, err
	}
	return &reader{in: in, opt: opt, name: src.Name, when: when, tally: newTally(opt)}, nil
}

// date returns the date of records without one (MCPMEM-7).
func date(src codec.Source, opt codec.Options) (time.Time, error) {
	switch {
	case opt.Owner == "":
		return time.Time{}, violation(ruleDraft, place{}, "", errors.New("the file names no owner; say whose memories these are"))
	case !src.Modified.IsZero():
		return codec.Dated(src.Modified), nil
	case opt.Now != nil:
		return opt.Now().UTC(), nil
	}
	return time.Time{}, violation(ruleDraft, place{}, "", errors.New("nothing dates these records; read them from a file, or give a date"))
}

// Next returns the record of the next observation, entity or relation.
func (r *reader) Next() (memory.Record, error) {
	for {
		if record, ok := r.pending(); ok {
			return record, nil
		}
		if err := r.advance(); err != nil {
			return memory.Record{}, err
		}
	}
}

// advance moves on to the next item, and leaves out those that break a rule.
func (r *reader) advance() error {
	it, found, err := r.in.next()
	switch {
	case len(found) > 0 && it.place == place{}: // the whole graph
		return found[0]
	case len(found) > 0:
		r.leave(it.name, found[0])
		return nil
	case err == io.EOF && r.salvage.Refusal() != nil:
		return r.salvage.Refusal()
	case err != nil:
		return err
	}
	r.salvage.Take()
	for _, p := range it.left {
		r.leave("an observation of "+it.name, p)
	}
	if many := r.tally.take(it); many != nil {
		return many
	}
	r.current = it
	if it.entity == nil {
		return nil
	}
	for i, text := range it.entity.Observations {
		if !blank(text) {
			r.todo = append(r.todo, i)
		}
	}
	if n := len(it.entity.Observations) - len(r.todo); n > 0 {
		reason := lossBlankOnes + strconv.Itoa(n)
		r.losses.Add(codec.Loss{Pointer: it.place.pointer + "/observations", Reason: reason})
	}
	r.bare = len(r.todo) == 0
	return nil
}

func (r *reader) leave(what string, p *codec.ParseError) {
	r.losses.Add(r.salvage.Leave(what, p, r.opt.LeftOut))
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// tally counts records against their limit.
type tally struct{ left, limit int }

func newTally(opt codec.Options) tally { return tally{opt.Limits.Records, opt.Limits.Records} }

// take counts the records of an item. It refuses the item that exceeds the limit and all
// after it.
func (t *tally) take(it item) error {
	n := 1
	if it.entity != nil {
		for _, text := range it.entity.Observations {
			if !blank(text) {
				n++
			}
		}
		n = max(n-1, 1)
	}
	if t.left -= n; t.left >= 0 {
		return nil
	}
	return violation(ruleLimit, it.place, "", fmt.Errorf("more than %d records; split the file, or raise the limit", t.limit))
}

// Losses returns the losses so far.
func (r *reader) Losses() []codec.Loss {
	return slices.Concat(r.in.losses(), r.losses.All())
}

// Close does nothing: the source is the caller's.
func (r *reader) Close() error { return nil }

// validate reports every violation of a document. An unreadable line does not hide those
// after it; a too long one does.
func validate(src codec.Source, opt codec.Options, report func(*codec.ParseError)) error {
	opt.Limits = opt.Limits.Filled()
	in, err := newScanner(src, opt)
	count := newTally(opt)
	for err == nil {
		var it item
		var found []*codec.ParseError
		it, found, err = in.next()
		for _, p := range found {
			report(p)
		}
		if err == nil && len(found) == 0 {
			err = count.take(it)
		}
	}
	if p, ok := errors.AsType[*codec.ParseError](err); ok {
		report(p)
		return nil
	}
	if err == io.EOF {
		return nil
	}
	return err
}
