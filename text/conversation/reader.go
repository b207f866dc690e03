package conversation

import (
	"errors"
	"fmt"
	"io"

	"github.com/satchel-memory/satchel/codec"
)

// items yields the items of an export.
type items struct {
	*Export
	losses codec.LossList
	unit   int // number of elements begun
	ended  bool
	what   string // name of the last element
	faults []Fault
	codec.Salvage
}

func openItems(src codec.Source, opt codec.Options, shape Shape) (*items, error) {
	e, err := openExport(src, opt, shape)
	if err != nil {
		return nil, err
	}
	return &items{Export: e}, nil
}

// next returns the next item, and io.EOF after the last. It leaves out unreadable elements
// if the export has others. After the error of one element the next can be read.
func (r *items) next() (Item, error) {
	for {
		item, err := r.one()
		if refused := r.Refusal(); errors.Is(err, io.EOF) && refused != nil {
			return item, refused
		}
		if err == nil || !r.leave(err) {
			return item, err
		}
	}
}

// leave leaves out the last element, and reports whether it may do so for this error.
func (r *items) leave(err error) bool {
	p, ok := errors.AsType[*codec.ParseError](err)
	if !ok || !r.opt.Mend || r.err != nil || p.Rule == r.rule(RuleDraft) {
		return false
	}
	what := r.what
	if r.broke {
		what = "the rest of the file"
	}
	r.losses.Add(r.Leave(what, p, r.opt.LeftOut))
	return true
}

// one returns the next item, or its error.
func (r *items) one() (Item, error) {
	r.what, r.broke = anElement, false
	v, err := r.Export.next()
	if errors.Is(err, io.EOF) && !r.ended && r.shape.End != nil && r.Any() {
		r.ended = true
		item := r.shape.End()
		r.losses.Add(item.Lost...)
		if len(item.Notes) > 0 || item.Conversation != nil {
			r.unit++
			return item, nil
		}
	}
	if err != nil {
		return Item{}, err
	}
	r.unit++
	r.what = codec.PartName(anElement, v)
	item, err := r.current().part.Take(r.Export, v)
	if err != nil {
		return Item{}, err
	}
	r.Take()
	r.losses.Add(item.Lost...)
	r.leaveOut(item.Faults)
	if item.Conversation != nil {
		item.Conversation.Settle()
	}
	return item, nil
}

// leaveOut leaves out parts of an element, or keeps their faults for Validate.
func (r *items) leaveOut(faults []Fault) {
	if !r.opt.Mend {
		r.faults = append(r.faults, faults...)
		return
	}
	for _, f := range faults {
		loss := codec.LeftOut(f.What, f.ParseError)
		r.losses.Add(loss)
		if r.opt.LeftOut != nil {
			r.opt.LeftOut(loss)
		}
	}
}

const anElement = "an element"

// Losses returns the losses so far.
func (r *items) Losses() []codec.Loss {
	return append(r.lost.All(), r.losses.All()...)
}

// Open opens the conversations of an export.
func (s Shape) Open(src codec.Source, opt codec.Options) (Reader, error) {
	opt.Mend = true
	r, err := openItems(src, opt, s)
	if err != nil {
		return nil, err
	}
	return &conversations{items: r}, nil
}

// conversations yields the conversations of an export and leaves out the notes beside them.
type conversations struct {
	*items
	notes int
	err   error
}

// Next implements [Reader].
func (r *conversations) Next() (Conversation, error) {
	for r.err == nil {
		var item Item
		if item, r.err = r.items.next(); r.err != nil {
			break
		}
		r.notes += len(item.Notes)
		if item.Conversation != nil {
			return *item.Conversation, nil
		}
	}
	return Conversation{}, r.err
}

// Losses implements [Reader].
func (r *conversations) Losses() []codec.Loss {
	losses := r.items.Losses()
	if r.notes > 0 {
		losses = append(losses, codec.Loss{Reason: fmt.Sprintf("%d %s", r.notes, lostNotes)})
	}
	return losses
}
