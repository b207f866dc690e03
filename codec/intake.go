package codec

import (
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

// Intake turns a document of JSON, read piece by piece, into drafts.
type Intake struct {
	Rules   Rules
	Owned   string  // the rule that records have an owner and a date
	Options Options // with every limit filled in
	Text    *canon.Text
	Lost    LossList // so far
	when    time.Time
	count   int
}

// Intake opens a document. owned is the rule that records have an owner and a date.
func (r Rules) Intake(src Source, opt Options, owned string) (*Intake, error) {
	in, err := r.Begin(src, opt, owned)
	if err == nil {
		err = in.Take(src)
	}
	return in, err
}

// Take takes a file of JSON for the document, and tells what was mended in it.
func (in *Intake) Take(src Source) (err error) {
	if in.Text, err = in.Rules.Text(src, in.Options); err == nil {
		in.Lost.Add(MendedLosses("", in.Text.Mended())...)
	}
	return err
}

// Begin is Intake of a document that is no text of JSON, but lines of it, or several.
func (r Rules) Begin(src Source, opt Options, owned string) (*Intake, error) {
	opt.Limits = opt.Limits.Filled()
	in := &Intake{Rules: r, Owned: owned, Options: opt, when: src.Modified.UTC()}
	if in.when.IsZero() && opt.Now != nil {
		in.when = opt.Now().UTC()
	}
	if opt.Owner == "" {
		return in, r.Violation(owned, "", errors.New("names no owner; say whose memories these are"))
	}
	return in, nil
}

// Members returns the members of the document, which is an object. shape is the rule that
// says so.
func (in *Intake) Members(shape string) ([]canon.Part, error) {
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

// Member reads a member that says something of the whole document; the undefined value: it
// is not there, or longer than a record may be.
func (in *Intake) Member(parts map[string]canon.Part, name string) (canon.Value, error) {
	p, ok := parts[name]
	if !ok {
		return canon.Value{}, nil
	}
	v, _, err := in.Short(p.At)
	return v, err
}

// Edition holds the edition that a document states, at a pointer, to those that begin with
// major, such as "2.".
func (in *Intake) Edition(rule, pointer string, stated canon.Value, major string) error {
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

// List reports whether a member is a list, and refuses one that is neither that nor null.
func (in *Intake) List(shape, pointer string, at canon.Extent) (bool, error) {
	switch c, err := in.Text.Opening(at); {
	case err != nil || c == '[':
		return err == nil, err
	case c == 'n':
		return false, nil
	}
	return false, in.Rules.Violation(shape, pointer, errors.New("a list is wanted"))
}

// Items yields the items of a list of the document.
func (in *Intake) Items(at canon.Extent, pointer string) iter.Seq2[Item, error] {
	return in.Rules.Items(in.Text, at, pointer, in.Options)
}

// Lines yields the values of a stream of them. What is wrong with one ends it.
func (in *Intake) Lines(r io.Reader) iter.Seq2[Item, error] {
	values := canon.NewElements(r, in.Options.json())
	return func(yield func(Item, error) bool) {
		for {
			v, err := values.Value()
			if err == io.EOF {
				return
			}
			it := Item{Pointer: "/" + strconv.Itoa(values.Index()), Value: v}
			in.Lost.Add(MendedLosses(it.Pointer, values.Mended())...)
			if err != nil {
				yield(it, in.Rules.refused("the lines", err))
				return
			}
			if !yield(it, nil) {
				return
			}
		}
	}
}

// Each yields what read makes of each item, and what is wrong with it; false: enough.
func (in *Intake) Each(items iter.Seq2[Item, error], read func(*Checker) []memory.Record, yield func(memory.Record, error) bool) bool {
	for it, err := range items {
		if err != nil {
			if !yield(memory.Record{}, err) {
				return false
			}
			continue
		}
		var found []*ParseError
		before := in.Lost
		in.Lost = LossList{}
		records := read(&Checker{Intake: in, Item: it, found: &found})
		ofItem := in.Lost
		if in.Lost = before; len(found) > 0 {
			records = nil
		} else {
			in.Lost.Add(ofItem.All()...)
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

// One reads a value as an item, and returns what is wrong with it.
func (in *Intake) One(v canon.Value, read func(*Checker)) []*ParseError {
	var found []*ParseError
	read(&Checker{Intake: in, Item: Item{Value: v}, found: &found})
	return found
}

// Hand yields the records that were made at a place, as far as there may be any; false:
// enough.
func (in *Intake) Hand(pointer string, records []memory.Record, yield func(memory.Record, error) bool) bool {
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
			r, too = memory.Record{}, in.Rules.Violation(in.Rules.Limit, pointer, too)
		}
		if !yield(r, too) {
			return false
		}
	}
	return true
}

// When dates what has no date; zero: nothing does.
func (in *Intake) When() time.Time { return in.when }

// Lose notes that something is not taken over.
func (in *Intake) Lose(pointer, reason string) {
	in.Lost.Add(Loss{Pointer: pointer, Reason: reason})
}

// Losses returns what was not taken over.
func (in *Intake) Losses() []Loss { return in.Lost.All() }

// Draft is a record of what is said elsewhere: in the system provider, at ref. It has no
// date.
func (in *Intake) Draft(kind memory.Kind, text, provider, ref string) memory.Record {
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

// Short reads a value of the document; ok is false of one that is longer than a record
// may be.
func (in *Intake) Short(at canon.Extent) (v canon.Value, ok bool, err error) {
	if at.Len() > in.Options.Limits.Record {
		return v, false, nil
	}
	v, err = in.Text.Value(at)
	return v, err == nil, err
}

// RefPart makes a name one part of a reference to a thing that lasts, which has a "/"
// between its parts and no "#".
func RefPart(name string) string { return refParts.Replace(name) }

var refParts = strings.NewReplacer("%", "%25", "/", "%2F", "#", "%23")

// About relates a record to entities, to each once.
func About(r *memory.Record, names ...string) {
	for _, name := range names {
		to := memory.Relation{Type: memory.About, Target: "entity:" + name}
		if name != "" && !slices.Contains(r.Relations, to) {
			r.Relations = append(r.Relations, to)
		}
	}
}

// Tag gives a record, which has nothing structured yet, tags, if there are any.
func Tag(r *memory.Record, tags ...string) {
	items := make([]canon.Value, 0, len(tags))
	for _, tag := range tags {
		items = append(items, canon.String(tag))
	}
	if len(items) > 0 {
		r.Body.Structured = canon.Object(canon.Member{Name: "tags", Value: canon.Array(items...)}).Append(nil)
	}
}
