package codec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

var errUndated = errors.New("nothing dates it; read it from a file, or give a date")

// JSONReader turns a JSON document into drafts, piece by piece.
type JSONReader struct {
	Rules   Rules
	Owned   string  // the rule that records have an owner and a date
	Options Options // with every limit filled in
	File    string  // the document's path in a folder, for its faults; empty: the source is the file
	Text    *canon.Text
	Lost    LossList // the losses so far
	salvage Salvage
	broken  bool // the rest of the document cannot be read
	when    time.Time
	count   int
}

// JSONReader opens a document. owned is the rule that records have an owner and a date.
func (r Rules) JSONReader(src Source, opt Options, owned string) (*JSONReader, error) {
	in, err := r.Begin(src, opt, owned)
	if err == nil {
		err = in.Take(src)
	}
	return in, err
}

// Take makes a JSON file the document, and reports what it mended in the file.
func (in *JSONReader) Take(src Source) (err error) {
	if in.Text, err = in.Rules.Text(src, in.Options); err == nil {
		in.Lost.Add(MendedLosses("", in.Text.Repairs())...)
	}
	return err
}

// Begin is JSONReader for a document that is not one JSON text, but lines of JSON or
// several files.
func (r Rules) Begin(src Source, opt Options, owned string) (*JSONReader, error) {
	opt.Limits = opt.Limits.Filled()
	in := &JSONReader{Rules: r, Owned: owned, Options: opt, when: Dated(src.Modified)}
	if in.when.IsZero() && opt.Now != nil {
		in.when = opt.Now().UTC()
	}
	if opt.Owner == "" {
		return in, r.Violation(owned, "", errors.New("names no owner; say whose memories these are"))
	}
	return in, nil
}

// Members returns the members of the document, which must be an object. shape is the rule
// that says so.
func (in *JSONReader) Members(shape string) ([]canon.Part, error) {
	parts, ok, err := in.Rules.Members(in.Text, in.Text.Root())
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, in.Rules.Violation(shape, "", errors.New("an object is wanted"))
	case len(parts) > in.Options.Limits.Items:
		return nil, in.Rules.Violation(in.Rules.Limit, "", fmt.Errorf("more than %d members; raise the limit", in.Options.Limits.Items))
	}
	return parts, nil
}

// Member reads a member that describes the whole document. It returns the undefined value
// if the member is absent or longer than a record may be.
func (in *JSONReader) Member(parts map[string]canon.Part, name string) (canon.Value, error) {
	p, ok := parts[name]
	if !ok {
		return canon.Value{}, nil
	}
	v, _, err := in.Short(p.At)
	return v, err
}

// Edition refuses a document whose edition does not begin with major, such as "2.". pointer
// says where the document states its edition.
func (in *JSONReader) Edition(rule, pointer string, stated canon.Value, major string) error {
	switch {
	case stated.Type() != canon.TypeString:
		return in.Rules.Violation(rule, pointer, errors.New("missing, or no string; it says of which edition the document is"))
	case !strings.HasPrefix(stated.Text(), major):
		p := in.Rules.Violation(rule, pointer, fmt.Errorf("another edition than %sx; have it exported as that", major))
		p.Kind = memory.Unsupported
		return p
	}
	return nil
}

// List reports whether a member is a list. It returns a violation for any other value but
// null.
func (in *JSONReader) List(shape, pointer string, at canon.Extent) (bool, error) {
	switch c, err := in.Text.Opening(at); {
	case err != nil || c == '[':
		return err == nil, err
	case c == 'n':
		return false, nil
	}
	return false, in.Rules.Violation(shape, pointer, errors.New("a list is wanted"))
}

// Items yields the items of a list of the document.
func (in *JSONReader) Items(at canon.Extent, pointer string) iter.Seq2[Item, error] {
	return in.Rules.Items(in.Text, at, pointer, in.Options)
}

// Lines yields the values of a stream that has one on each line. A line that is no value,
// or that is too long, gives an error, and the stream continues.
func (in *JSONReader) Lines(r io.Reader) iter.Seq2[Item, error] {
	limits := in.Options.Limits
	lines := NewLineScanner(r, limits.Record)
	return func(yield func(Item, error) bool) {
		for index := 0; ; {
			raw, err := lines.Next()
			switch {
			case errors.Is(err, io.EOF):
				return
			case err == nil && len(bytes.TrimSpace(raw)) == 0:
				continue
			}
			it := Item{Pointer: "/" + strconv.Itoa(index)}
			index++
			last := false
			if errors.Is(err, ErrLongLine) {
				err = in.Rules.Violation(in.Rules.Limit, it.Pointer, fmt.Errorf("line %d is longer than %d bytes; split it, or raise the limit", lines.Line(), limits.Record))
			} else if err != nil {
				err, last, in.broken = in.Rules.parseError("the lines", err), true, true
			} else {
				err = in.line(&it, raw)
			}
			if !yield(it, err) || last {
				return
			}
		}
	}
}

// line reads an item from a line.
func (in *JSONReader) line(it *Item, raw []byte) error {
	v, mended, err := in.Options.JSON(raw, in.Options.Limits.Record)
	if refused, ok := errors.AsType[*canon.Error](err); ok {
		refused.Pointer = it.Pointer + refused.Pointer
		return in.Rules.parseError("the lines", refused)
	}
	it.Value = v
	in.Lost.Add(MendedLosses(it.Pointer, mended)...)
	return err
}

// Each yields the records that read makes from each item, and the item's faults. With
// Options.Mend it leaves out items with faults. It returns false if the caller wants no more.
func (in *JSONReader) Each(items iter.Seq2[Item, error], read func(*Checker) []memory.Record, yield func(memory.Record, error) bool) bool {
	for it, err := range items {
		if err != nil {
			if !in.leave(it, err) && !yield(memory.Record{}, err) {
				return false
			}
			continue
		}
		var found []*ParseError
		before := in.Lost
		in.Lost = LossList{}
		records := read(&Checker{JSONReader: in, Item: it, found: &found})
		ofItem := in.Lost
		if in.Lost = before; len(found) > 0 {
			records = nil
		} else {
			in.Lost.Add(ofItem.All()...)
			in.salvage.Take()
		}
		if len(found) > 0 && in.leave(it, found[0]) {
			continue
		}
		for _, p := range found {
			if !yield(memory.Record{}, p) {
				return false
			}
		}
		if !in.Hand(it.Pointer, records, yield) {
			return false
		}
	}
	return true
}

// leave leaves out an item, and reports whether it may do so for its fault. Without a date
// for records nothing can be read.
func (in *JSONReader) leave(it Item, err error) bool {
	p, ok := errors.AsType[*ParseError](err)
	if !ok || !in.Options.Mend || in.broken || p.Rule == in.Owned {
		return false
	}
	if p.File == "" {
		p.File = in.File
	}
	in.Leave(PartName("an entry", it.Value), p)
	return true
}

// Part reads a part of the document that what names. With Options.Mend it leaves out a part
// with a fault, and what was lost in it.
func (in *JSONReader) Part(what string, read func() error) error {
	before := in.Lost
	in.Lost = LossList{}
	err := read()
	of := in.Lost
	in.Lost = before
	if p, ok := errors.AsType[*ParseError](err); ok && in.Options.Mend && !in.broken {
		in.Leave(what, p)
		return nil
	}
	in.Lost.Add(of.All()...)
	return err
}

// Leave leaves out a part of the document that what names: p is its fault.
func (in *JSONReader) Leave(what string, p *ParseError) {
	in.Lost.Add(in.salvage.Leave(what, p, in.Options.LeftOut))
}

// Salvaged returns a walk that ends in the fault of the document's first entry if none
// could be read.
func (in *JSONReader) Salvaged(walk Walk) Walk {
	return func(yield func(memory.Record, error) bool) {
		more := true
		walk(func(r memory.Record, err error) bool {
			more = yield(r, err)
			return more
		})
		if refused := in.salvage.Refusal(); more && refused != nil {
			yield(memory.Record{}, refused)
		}
	}
}

// One reads a value as an item, and returns its faults.
func (in *JSONReader) One(v canon.Value, read func(*Checker)) []*ParseError {
	var found []*ParseError
	read(&Checker{JSONReader: in, Item: Item{Value: v}, found: &found})
	return found
}

// Hand yields the records of one place, up to the limit of records. It returns false if the
// caller wants no more.
func (in *JSONReader) Hand(pointer string, records []memory.Record, yield func(memory.Record, error) bool) bool {
	for _, r := range records {
		limits := in.Options.Limits
		var too error
		switch in.count++; {
		case in.count > limits.Records:
			yield(memory.Record{}, in.Rules.Violation(in.Rules.Limit, pointer, fmt.Errorf("more than %d records; split the file, or raise the limit", limits.Records)))
			return false
		case len(r.Body.Text) > limits.Text:
			too = fmt.Errorf("makes a text of more than %d bytes; split it, or raise the limit", limits.Text)
		case r.Time.Created.IsZero():
			yield(memory.Record{}, in.Rules.Violation(in.Owned, pointer, errUndated))
			return false
		case int64(len(r.Body.Structured)) > limits.Record:
			too = fmt.Errorf("makes a record of more than %d bytes; raise the limit", limits.Record)
		}
		if too != nil {
			p := in.Rules.Violation(in.Rules.Limit, pointer, too)
			if r, too = (memory.Record{}), p; in.leave(Item{}, p) {
				if len(records) == 1 {
					in.salvage.GiveBack()
				}
				continue
			}
		}
		if !yield(r, too) {
			return false
		}
	}
	return true
}

// When is the date for records without one; zero: there is none.
func (in *JSONReader) When() time.Time { return in.when }

// Lose records a loss.
func (in *JSONReader) Lose(pointer, reason string) {
	in.Lost.Add(Loss{Pointer: pointer, Reason: reason})
}

// Losses returns the losses so far.
func (in *JSONReader) Losses() []Loss { return in.Lost.All() }

// Draft makes a record of data in another system: provider is the system, ref the place in
// it. The record has no date.
func (in *JSONReader) Draft(kind memory.Kind, text, provider, ref string) memory.Record {
	return memory.Record{
		Version: "0.1",
		Kind:    kind,
		Body:    memory.Body{Text: text},
		Scope:   memory.Scope{Owner: in.Options.Owner, Project: in.Options.Project, Visibility: memory.Private},
		Provenance: &memory.Provenance{
			Actor: string(in.Options.Owner), ActorKind: memory.ByImport, Method: in.Rules.Format,
			Source: &memory.Source{Provider: provider, Ref: ref},
		},
	}
}

// Short reads a value of the document. ok is false for a value that is longer than a record
// may be.
func (in *JSONReader) Short(at canon.Extent) (v canon.Value, ok bool, err error) {
	if at.Len() > in.Options.Limits.Record {
		return v, false, nil
	}
	v, err = in.Text.Value(at)
	return v, err == nil, err
}

// RefPart makes a name one part of a permanent reference, which has a "/" between its parts
// and no "#".
func RefPart(name string) string { return refParts.Replace(name) }

var refParts = strings.NewReplacer("%", "%25", "/", "%2F", "#", "%23")

// About relates a record to entities, once to each.
func About(r *memory.Record, names ...string) {
	for _, name := range names {
		to := memory.Relation{Type: memory.About, Target: "entity:" + name}
		if name != "" && !slices.Contains(r.Relations, to) {
			r.Relations = append(r.Relations, to)
		}
	}
}

// Tag adds tags to a record that has no structured body yet. Without tags it does nothing.
func Tag(r *memory.Record, tags ...string) {
	items := make([]canon.Value, 0, len(tags))
	for _, tag := range tags {
		items = append(items, canon.String(tag))
	}
	if len(items) > 0 {
		r.Body.Structured = canon.Object(canon.Member{Name: "tags", Value: canon.Array(items...)}).Append(nil)
	}
}
