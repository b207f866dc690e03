package conversation

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// records yields the records of an export.
type records struct {
	*items
	maker
	todo    []memory.Record
	of      int  // unit of the records in todo
	yielded int  // unit of the record that Next returned last
	count   int  // number of records
	judging bool // Validate: an owner and a date are not needed
	err     error
}

var _ interface {
	codec.Units
	codec.Progress
} = (*records)(nil)

func openRecords(src codec.Source, opt codec.Options, shape Shape) (*records, error) {
	in, err := openItems(src, opt, shape)
	if err != nil {
		return nil, err
	}
	r := &records{items: in, maker: maker{shape: shape, opt: opt, limits: in.limits}}
	if opt.Owner == "" {
		return nil, in.Fail(RuleDraft, "", errors.New("the export names no owner; say whose memories these are"))
	}
	if opt.Now != nil {
		r.now = opt.Now().UTC()
	}
	r.source, r.name = src.Modified, src.Name
	return r, nil
}

// Next returns the next record.
func (r *records) Next() (memory.Record, error) {
	for len(r.todo) == 0 && r.err == nil {
		r.err = r.advance()
	}
	if len(r.todo) == 0 {
		if errors.Is(r.err, io.EOF) {
			r.yielded = r.items.unit
		}
		return memory.Record{}, r.err
	}
	next := r.todo[0]
	r.todo, r.yielded = r.todo[1:], r.of
	return next, nil
}

// advance makes the records of the next item.
func (r *records) advance() error {
	item, err := r.items.next()
	if err != nil {
		return err
	}
	r.source = cmp.Or(r.Modified(), r.source)
	made, lost, err := r.item(item)
	if err != nil {
		if r.GiveBack(); r.leave(err) {
			return nil
		}
		return err
	}
	if r.count += len(made); r.count > r.limits.Records {
		return r.Fail(RuleLimit, "", fmt.Errorf("more than %d records; split the export, or raise the limit", r.limits.Records))
	}
	r.losses.Add(lost...)
	r.todo, r.of = made, r.items.unit
	return nil
}

// item makes the records of an item, and returns its losses.
func (r *records) item(item Item) (made []memory.Record, lost []codec.Loss, err error) {
	if c := item.Conversation; c != nil && len(c.Turns) == 0 {
		lost = append(lost, codec.Loss{Pointer: r.At(""), Reason: LostEmpty})
	} else if c != nil {
		made = r.conversation(*c, r.place())
		if c.Ended.IsZero() {
			why := LostDate
			switch {
			case item.Undatable:
				why = LostBadDate
			case r.Modified().IsZero(): // as of standard input
				why = LostAnyDate
			}
			lost = append(lost, codec.Loss{Pointer: r.At(""), Reason: why})
		}
	}
	for _, n := range item.Notes {
		if strings.TrimSpace(n.Text) == "" {
			lost = append(lost, codec.Loss{Pointer: r.At(n.Pointer), Reason: LostBlank})
			continue
		}
		made = append(made, r.note(n)...)
	}
	for _, m := range made {
		if err := r.check(m); err != nil {
			return nil, nil, err
		}
	}
	return made, lost, nil
}

// place names an element that has no name of its own.
func (r *records) place() string { return cmp.Or(r.Name(), r.name) + "#" + r.path("") }

// check checks a record against the limits (3) and the needs of a draft (4).
func (r *records) check(m memory.Record) error {
	switch {
	case len(m.Body.Text) > r.limits.Text:
		return r.Fail(RuleLimit, "", fmt.Errorf("makes a text of more than %d bytes; raise the limit", r.limits.Text))
	case max(len(m.Scope.Session), len(m.Provenance.Source.Ref)) > r.limits.Name:
		return r.Fail(RuleLimit, "", fmt.Errorf("an id of more than %d bytes; raise the limit", r.limits.Name))
	case m.Time.Created.IsZero() && !r.judging:
		return r.Fail(RuleDraft, "", errors.New("nothing dates this; read it from a file, or give a date"))
	}
	return nil
}

// Unit implements [codec.Units]: the elements of the files, then the item made of all of
// them.
func (r *records) Unit() int { return r.yielded }

// validate reports every violation. A faulty element does not hide the next.
func validate(src codec.Source, opt codec.Options, shape Shape, report func(*codec.ParseError)) error {
	opt.Owner = cmp.Or(opt.Owner, "nobody")
	r, err := openRecords(src, opt, shape)
	if err == nil {
		defer r.Close()
		r.judging = true
	}
	for err == nil {
		err = r.advance()
		for _, f := range r.faults {
			report(f.ParseError)
		}
		r.faults = nil
		if err == nil || r.Export.err != nil || r.count > r.limits.Records {
			continue
		}
		if p, ok := errors.AsType[*codec.ParseError](err); ok {
			report(p)
			err = nil
		}
	}
	if p, ok := errors.AsType[*codec.ParseError](err); ok {
		report(p)
		return nil
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
