package codec

import (
	"errors"
	"io"
	"iter"

	"github.com/satchel-memory/satchel/memory"
)

// Walk yields the records of a document in order, and an error in the place of each faulty
// record. After a [*ParseError] the walk continues if it can; any other error is the last.
// It can be walked once.
type Walk = iter.Seq2[memory.Record, error]

// WalkReader returns a reader of a walk. It stops at the first error. losses returns the
// losses so far.
func WalkReader(walk Walk, losses func() []Loss) Reader {
	next, stop := iter.Pull2(walk)
	return &walkReader{next: next, stop: stop, losses: losses}
}

// walkReader is a [Reader] of a walk.
type walkReader struct {
	next   func() (memory.Record, error, bool)
	stop   func()
	losses func() []Loss
	err    error
}

// Next implements [Reader].
func (w *walkReader) Next() (memory.Record, error) {
	if w.err != nil {
		return memory.Record{}, w.err
	}
	r, err, ok := w.next()
	if !ok {
		err = io.EOF
	}
	if w.err = err; err != nil {
		w.stop()
		return memory.Record{}, err
	}
	return r, nil
}

// Losses implements [Reader].
func (w *walkReader) Losses() []Loss { return w.losses() }

// Close implements [Reader].
func (w *walkReader) Close() error {
	w.stop()
	return nil
}

// ValidateSteps is [ValidateWalk] for a document that is read in steps. Each step returns
// the faults that it found. The last step returns the reason for the end, such as io.EOF.
func ValidateSteps(step func() ([]*ParseError, error), opening error, report func(*ParseError)) error {
	err := opening
	for err == nil {
		var found []*ParseError
		found, err = step()
		for _, p := range found {
			report(p)
		}
	}
	if err == io.EOF {
		return nil
	}
	return ValidateWalk(nil, err, report)
}

// ValidateWalk is [Format.Validate] for a document that can be walked. It reports all
// faults. opening is the error of opening the document, or nil.
func ValidateWalk(walk Walk, opening error, report func(*ParseError)) error {
	judge := func(err error) error {
		if p, ok := errors.AsType[*ParseError](err); ok {
			report(p)
			return nil
		}
		return err
	}
	if opening != nil {
		return judge(opening)
	}
	for _, err := range walk {
		if err != nil {
			if err = judge(err); err != nil {
				return err
			}
		}
	}
	return nil
}

// Document is an open document that can be walked once.
type Document interface {
	// Walk is a [Walk].
	Walk(yield func(memory.Record, error) bool)
	// Losses returns the losses so far.
	Losses() []Loss
	// Salvaged is that of [JSONReader].
	Salvaged(Walk) Walk
}

// DocumentFormat makes [Format.Open] and [Format.Validate] from a function that opens
// documents. Only Validate sets Options.Strict.
func DocumentFormat[D Document](from func(Source, Options) (D, error)) (open func(Source, Options) (Reader, error), validate func(Source, Options, func(*ParseError)) error) {
	open = func(src Source, opt Options) (Reader, error) {
		opt.Strict, opt.Mend = false, true
		d, err := from(src, opt)
		if err != nil {
			return nil, err
		}
		return WalkReader(d.Salvaged(d.Walk), d.Losses), nil
	}
	validate = func(src Source, opt Options, report func(*ParseError)) error {
		d, err := from(src, opt)
		return ValidateWalk(d.Walk, err, report)
	}
	return open, validate
}

// Units is a [Reader] of an archive whose records come in units, such as the conversations
// of an export. Each unit has a meaning without the others. An import stores whole units.
// They stay if a later unit cannot be read, and a repeated import continues after them.
// Next fails before the first record of a unit, or not at all.
type Units interface {
	Reader
	// Unit returns the number of the unit that holds the record that Next returned last.
	// Numbers start at 1, follow the document's order and count units without records, too.
	// The number never falls. It is 0 before the first record, and the number of all units
	// after io.EOF. The same bytes always have the same numbers.
	Unit() int
}

// Progress is a [Reader] that knows how much it has read.
type Progress interface {
	// Reached returns the bytes read and the bytes in total; total 0: unknown. It may be
	// called while Next runs.
	Reached() (done, total int64)
}

// Torn is a [Reader] that knows, once it has read a document, whether that ends within a
// line, as a document does that was cut.
type Torn interface {
	// Torn reports whether the document ends within a line.
	Torn() bool
}

// Share is a [Reader] that knows how much of a document's text its records have.
type Share interface {
	// Shared returns the bytes of text in the records so far, and in the document so far.
	Shared() (said, of int64)
}
