package codec

import (
	"errors"
	"fmt"
	"iter"
	"strconv"

	"github.com/satchel-memory/satchel/canon"
)

// Rules names the requirements that all JSON formats have.
type Rules struct {
	Format string
	JSON   string // the document is JSON, strictly
	Limit  string // nothing exceeds a limit
}

// Violation returns the error of a document that breaks a rule at a place.
func (r Rules) Violation(rule, pointer string, err error) *ParseError {
	return &ParseError{Format: r.Format, Path: pointer, Rule: rule, Err: err}
}

// Text opens a JSON file. It checks the file as a whole, and the caller then reads it piece
// by piece, in bounded memory.
func (r Rules) Text(src Source, opt Options) (*canon.Text, error) {
	if src.File == nil {
		return nil, r.Violation(r.JSON, "", errors.New("a folder; name the file in it"))
	}
	if src.Size > opt.Limits.Document {
		return nil, r.Violation(r.Limit, "", fmt.Errorf("more than %d bytes; split the file, or raise the limit", opt.Limits.Document))
	}
	t, err := canon.NewText(src.File, 0, src.Size, opt.json())
	if err == nil {
		err = t.Check()
	}
	if err != nil {
		return nil, r.parseError(src.Name, err)
	}
	return t, nil
}

// json returns the canon options for reading a document.
func (o Options) json() canon.Options {
	return canon.Options{Bytes: o.Limits.Record, Depth: o.Limits.Depth, Mend: o.Mend}
}

// parseError turns an error of package canon into one of the format.
func (r Rules) parseError(name string, err error) error {
	if p, ok := errors.AsType[*ParseError](err); ok {
		return p // from the code that unpacks the source
	}
	refused, ok := errors.AsType[*canon.Error](err)
	if !ok {
		return fmt.Errorf("read %s: %w", name, err)
	}
	rule := r.JSON
	if refused.Kind == canon.TooDeep || refused.Kind == canon.TooLarge {
		rule = r.Limit
	}
	return r.Violation(rule, refused.Pointer, refused)
}

// Members returns the members of an object and where each lies in the text. ok is false for
// any other value.
func (r Rules) Members(t *canon.Text, at canon.Extent) (parts []canon.Part, ok bool, err error) {
	if c, err := t.Opening(at); err != nil || c != '{' {
		return nil, false, err
	}
	parts, err = t.Members(at)
	return parts, true, err
}

// Item is an item of a list.
type Item struct {
	Pointer string
	Value   canon.Value
}

// errStop ends a walk through a list.
var errStop = errors.New("stop")

// Items yields the items of the list at a pointer. A too long item gives an error, and the
// list continues. An error of the source ends the list.
func (r Rules) Items(t *canon.Text, at canon.Extent, pointer string, opt Options) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		err := t.Items(at, func(i int, _ canon.Extent, raw []byte) error {
			it, err := Item{Pointer: pointer + "/" + strconv.Itoa(i)}, error(nil)
			if raw == nil {
				err = r.Violation(r.Limit, it.Pointer, fmt.Errorf("longer than %d bytes; split it, or raise the limit", opt.Limits.Record))
			} else if it.Value, err = canon.Parse(raw, opt.json()); err != nil {
				err = r.parseError(it.Pointer, err)
			}
			if !yield(it, err) {
				return errStop
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStop) {
			yield(Item{}, fmt.Errorf("read the list: %w", err))
		}
	}
}
