package paste

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// reader yields one record per entry.
type reader struct {
	in   *scanner
	opt  codec.Options
	name string    // of the source
	when time.Time // dates entries without a date; zero: they are refused
	kept codec.Salvage
	left codec.LossList // what was left out
}

func open(src codec.Source, opt codec.Options) (codec.Reader, error) {
	opt.Limits = opt.Limits.Filled()
	opt.Strict = false
	if opt.Owner == "" {
		return nil, violation(ruleDraft, 0, errors.New("the text names no owner; say whose memories these are"))
	}
	in, err := newScanner(src, opt)
	if err != nil {
		return nil, err
	}
	r := &reader{in: in, opt: opt, name: src.Name, when: codec.Dated(src.Modified)}
	if src.Modified.IsZero() && opt.Now != nil {
		r.when = opt.Now().UTC()
	}
	return r, nil
}

// Next returns the record of the next entry. It leaves out those that break a rule.
func (r *reader) Next() (memory.Record, error) {
	e, found, err := r.in.next()
	for len(found) > 0 && found[0].Rule == ruleLimit {
		r.left.Add(r.kept.Leave("an entry", found[0], r.opt.LeftOut))
		e, found, err = r.in.next()
	}
	switch {
	case len(found) > 0:
		return memory.Record{}, found[0]
	case r.kept.Refusal() != nil && (err == io.EOF || memory.KindOf(err) == memory.InvalidRecord):
		return memory.Record{}, r.kept.Refusal()
	case err != nil:
		return memory.Record{}, err
	}
	r.kept.Take()
	when := e.when
	if when.IsZero() {
		when = r.when
	}
	if when.IsZero() {
		return memory.Record{}, violation(ruleDraft, e.line, errors.New("nothing dates this entry; read it from a file, or give a date"))
	}
	return r.draft(e, when), nil
}

func (r *reader) draft(e *entry, when time.Time) memory.Record {
	record := memory.Record{
		Version: "0.1",
		Kind:    e.kind(),
		Body:    memory.Body{Text: strings.TrimSpace(string(e.text))},
		Scope:   memory.Scope{Owner: r.opt.Owner, Project: r.opt.Project, Visibility: memory.Private},
		Time:    memory.Times{Created: when},
		Provenance: &memory.Provenance{
			Actor:     string(r.opt.Owner),
			ActorKind: memory.ByImport,
			Method:    formatName,
			Source:    &memory.Source{Provider: formatName, Ref: fmt.Sprintf("%s#L%d", r.name, e.line)},
		},
	}
	residue := canon.Object()
	if e.section != "" {
		residue = residue.With("section", canon.String(e.section))
	}
	if e.when.IsZero() && e.date != "" {
		residue = residue.With("date", canon.String(e.date))
	}
	if residue.Len() == 0 {
		return record
	}
	return codec.WithResidue(record, formatName, residue)
}

// kind returns the kind of an entry by its section, or because it gives a name.
func (e *entry) kind() memory.Kind {
	switch strings.ToLower(e.section) {
	case "identity":
		return memory.Identity
	case "instructions":
		return memory.Procedural
	}
	text := strings.ToLower(string(bytes.TrimSpace(e.text)))
	for _, start := range []string{"name: ", "my name is ", "user's name is ", "the user's name is ", "your name is "} {
		if strings.HasPrefix(text, start) {
			return memory.Identity
		}
	}
	return memory.Semantic
}

// Losses returns the losses so far.
func (r *reader) Losses() []codec.Loss { return append(r.in.blocks.losses.All(), r.left.All()...) }

// Close does nothing: the source is the caller's.
func (r *reader) Close() error { return nil }

// validate reports every violation of a text.
func validate(src codec.Source, opt codec.Options, report func(*codec.ParseError)) error {
	opt.Limits = opt.Limits.Filled()
	in, err := newScanner(src, opt)
	return codec.ValidateSteps(func() ([]*codec.ParseError, error) {
		_, found, err := in.next()
		return found, err
	}, err, report)
}
