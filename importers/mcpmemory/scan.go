package mcpmemory

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// scanner yields the items of a document one by one, with their violations. After an error
// the document has ended or cannot be read further.
type scanner interface {
	next() (item, []*codec.ParseError, error)
	// losses returns the losses of the document's spelling so far.
	losses() []codec.Loss
}

// newScanner distinguishes lines from the older object by the first bytes.
func newScanner(src codec.Source, opt codec.Options) (scanner, error) {
	if src.File == nil {
		return nil, violation(ruleJSON, place{}, "", errors.New("a folder; name the memory file in it"))
	}
	if src.Size > opt.Limits.Document {
		return nil, violation(ruleLimit, place{}, "", fmt.Errorf("more than %d bytes; split the file, or raise the limit", opt.Limits.Document))
	}
	start, err := beginning(src)
	if err != nil {
		return nil, err
	}
	if isGraph(start) {
		return newGraph(src, opt), nil
	}
	in := codec.NewLineScanner(io.NewSectionReader(src.File, 0, src.Size), opt.Limits.Record)
	return &lines{in: in, opt: opt, index: -1}, nil
}

// beginning returns the first bytes of a source, without a byte order mark and
// white space.
func beginning(src codec.Source) ([]byte, error) {
	head, err := src.Head()
	return bytes.TrimLeft(head, " \t\r\n"), err
}

const bom = "\ufeff"

// isGraph reports whether an object starts with one of the two lists.
func isGraph(start []byte) bool {
	rest, ok := bytes.CutPrefix(start, []byte("{"))
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return ok && (bytes.HasPrefix(rest, []byte(`"entities"`)) || bytes.HasPrefix(rest, []byte(`"relations"`)))
}

// lines is a document of one object per line (MCPMEM-1).
type lines struct {
	in    *codec.LineScanner
	opt   codec.Options
	index int // of the current value, from 0
	lost  codec.LossList
}

func (l *lines) next() (item, []*codec.ParseError, error) {
	for {
		raw, err := l.in.Next()
		switch {
		case errors.Is(err, codec.ErrLongLine):
			at := place{line: l.in.Line()}
			too := fmt.Errorf("longer than %d bytes; split the entity, or raise the limit", l.opt.Limits.Record)
			return item{place: at, name: aLine}, []*codec.ParseError{violation(ruleLimit, at, "", too)}, nil
		case errors.Is(err, io.EOF):
			return item{}, nil, err
		case err != nil:
			return item{}, nil, fmt.Errorf("read line %d: %w", l.in.Line()+1, err)
		case len(bytes.TrimSpace(raw)) == 0:
			continue
		}
		l.index++
		c := newChecker(place{l.in.Line(), "/" + strconv.Itoa(l.index)}, l.opt)
		v, mended, err := l.opt.JSON(raw, l.opt.Limits.Record)
		l.lost.Add(codec.MendedLosses(c.place.pointer, mended)...)
		if err != nil {
			return item{place: c.place, name: aLine}, []*codec.ParseError{jsonViolation(c.place, err)}, nil
		}
		return c.line(v), c.found, nil
	}
}

// aLine names a line of which nothing is known.
const aLine = "a line"

// losses returns the repairs.
func (l *lines) losses() []codec.Loss { return l.lost.All() }

// jsonViolation turns canon's refusal into one of this format, at the same place.
func jsonViolation(at place, err error) *codec.ParseError {
	refused, ok := errors.AsType[*canon.Error](err)
	if !ok {
		return violation(ruleJSON, at, "", err)
	}
	rule := ruleJSON
	if refused.Kind == canon.TooDeep || refused.Kind == canon.TooLarge {
		rule = ruleLimit
	}
	return violation(rule, at, refused.Pointer, refused)
}
