package codec

import (
	"errors"
	"io"
	"iter"

	"github.com/satchel-memory/satchel/memory"
)

// Walk yields what a document holds, in its order: records, and in the places of what is
// none an error. After one that is a [*ParseError] it goes on where it can; any other is
// its last. It can be walked once.
type Walk = iter.Seq2[memory.Record, error]

// Walked returns a reader of what is walked. It stops at the first error; losses is asked
// for what was not taken over so far.
func Walked(walk Walk, losses func() []Loss) Reader {
	next, stop := iter.Pull2(walk)
	return &walked{next: next, stop: stop, losses: losses}
}

// walked is a [Reader] of a walk.
type walked struct {
	next   func() (memory.Record, error, bool)
	stop   func()
	losses func() []Loss
	err    error
}

// Next implements [Reader].
func (w *walked) Next() (memory.Record, error) {
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
func (w *walked) Losses() []Loss { return w.losses() }

// Close implements [Reader].
func (w *walked) Close() error {
	w.stop()
	return nil
}

// JudgeSteps is [Judge] of a document that is read step by step. Each step returns what it
// found to be wrong, and the last why there is no further, such as io.EOF.
func JudgeSteps(step func() ([]*ParseError, error), opening error, report func(*ParseError)) error {
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
	return Judge(nil, err, report)
}

// Judge is [Format.Validate] of a document that is walked, which reports all that is wrong
// with it. opening is why it cannot be walked, and nil where it can.
func Judge(walk Walk, opening error, report func(*ParseError)) error {
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
