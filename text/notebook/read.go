package notebook

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/markdown"
)

// reader yields the records of a source, note by note.
type reader struct {
	shape  *Shape
	src    codec.Source
	opt    codec.Options
	paths  []string // paths of the notes to come; one empty path is the file itself
	ready  []memory.Record
	left   int   // number of records that may still come
	room   int64 // number of bytes that may still come
	losses codec.LossList
	kept   codec.Salvage
}

func (s *Shape) open(src codec.Source, opt codec.Options) (codec.Reader, error) {
	if opt.Owner == "" {
		return nil, s.violation(s.Rules.Draft, "", 0, errors.New("the notes name no owner; say whose memories these are"))
	}
	opt.Strict, opt.Mend = false, src.Tree != nil
	return s.reader(src, opt)
}

func (s *Shape) reader(src codec.Source, opt codec.Options) (*reader, error) {
	opt.Limits = opt.Limits.Filled()
	r := &reader{shape: s, src: src, opt: opt, left: opt.Limits.Records, room: opt.Limits.Document}
	switch {
	case src.Tree != nil:
		if err := r.find(); err != nil {
			return nil, err
		}
	case src.File == nil:
		return nil, s.violation(s.Rules.Source, "", 0, errors.New("neither a file nor a folder"))
	default:
		r.paths = []string{""}
	}
	return r, nil
}

// find lists the notes of a folder.
func (r *reader) find() error {
	s := r.shape
	if s.Find != nil {
		return r.list()
	}
	tree, err := markdown.Walk(r.src.Tree, r.opt.Limits)
	if fault, ok := errors.AsType[*markdown.Fault](err); ok {
		return s.violation(s.Rules.Limit, "", 0, fault.Err)
	}
	if err != nil {
		return fmt.Errorf("list %s: %w", r.src.Name, err)
	}
	r.reportSkipped(tree)
	leave := func(string) string { return "" }
	if s.Leave != nil {
		leave = s.Leave(r.src)
	}
	for _, name := range tree.Notes {
		reason := leave(name)
		if name == "CLAUDE.md" || name == "CLAUDE.local.md" || name == "AGENTS.md" {
			reason = lossRules
		}
		if reason != "" {
			r.lose(name, reason)
			continue
		}
		r.paths = append(r.paths, name)
	}
	if len(tree.Notes) == 0 && len(r.losses.All()) > 0 {
		return s.violation(s.Rules.Source, "", 0, errors.New("no notes in Markdown; name the folder that holds them"))
	}
	return nil
}

// list lists the notes of a folder that the shape finds itself.
func (r *reader) list() error {
	s := r.shape
	paths, others, err := s.Find(r.src)
	if err != nil {
		return fmt.Errorf("list %s: %w", r.src.Name, err)
	}
	for _, name := range others {
		r.lose(name, lossAside)
	}
	r.paths = paths
	switch most := r.opt.Limits.Files; {
	case len(r.paths) == 0 && !r.src.IsEmpty(): // an empty folder is one that no memory was written to
		return s.violation(s.Rules.Source, "", 0, errors.New("none of its files are here; name the folder that holds them"))
	case len(r.paths) > most:
		return s.violation(s.Rules.Limit, "", 0, fmt.Errorf("more than %d files; name a smaller folder, or raise the limit", most))
	}
	return nil
}

// reportSkipped reports the parts of a folder that are not notes.
func (r *reader) reportSkipped(tree markdown.Tree) {
	for _, name := range tree.Hidden {
		r.lose(name, lossHidden)
	}
	for _, name := range tree.Links {
		r.lose(name, lossLink)
	}
	for _, name := range tree.Closed {
		r.lose(name, lossClosed)
	}
	endings := make([]string, 0, len(tree.Others))
	for ending := range tree.Others {
		endings = append(endings, ending)
	}
	slices.Sort(endings)
	for _, ending := range endings {
		r.lose(tree.First[ending], fmt.Sprintf("%s%s %d", lossOther, cmp.Or(ending, "no ending"), tree.Others[ending]))
	}
}

func (r *reader) lose(where, reason string) {
	r.losses.Add(codec.Loss{Pointer: where, Reason: reason})
}

// Next returns the next record. It leaves out notes of a folder that break a rule.
func (r *reader) Next() (memory.Record, error) {
	for {
		record, ok, found, err := r.step()
		switch {
		case len(found) > 0 && (!r.opt.Mend || found[0].Rule == r.shape.Rules.Draft):
			return memory.Record{}, found[0]
		case len(found) > 0:
			r.losses.Add(r.kept.Leave("a note", found[0], r.opt.LeftOut))
			continue
		case err == io.EOF && r.kept.Refusal() != nil:
			return record, r.kept.Refusal()
		}
		if err != nil || ok {
			return record, err
		}
	}
}

// step yields a record, or reads a note.
func (r *reader) step() (record memory.Record, ok bool, found []*codec.ParseError, err error) {
	if len(r.ready) > 0 {
		record, r.ready = r.ready[0], r.ready[1:]
		if r.left--; r.left < 0 {
			limit := r.opt.Limits.Records
			err = r.shape.violation(r.shape.Rules.Limit, "", 0, fmt.Errorf("more than %d records; name a smaller folder, or raise the limit", limit))
		}
		return record, err == nil, nil, err
	}
	if len(r.paths) == 0 {
		return record, false, nil, io.EOF
	}
	next := r.paths[0]
	r.paths = r.paths[1:]
	found, err = r.note(next)
	return record, false, found, err
}

// note reads a note.
func (r *reader) note(name string) ([]*codec.ParseError, error) {
	s := r.shape
	f, err := markdown.Read(r.src, name, r.opt.Limits)
	if fault, ok := errors.AsType[*markdown.Fault](err); ok {
		rule := s.Rules.UTF8
		if fault.Limit {
			rule = s.Rules.Limit
		}
		return []*codec.ParseError{s.violation(rule, name, fault.Line, fault.Err)}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if r.room -= int64(len(f.Text)); r.room < 0 {
		return nil, s.violation(s.Rules.Limit, name, 0, fmt.Errorf("more than %d bytes in all; name a smaller folder, or raise the limit", r.opt.Limits.Document))
	}
	if name == "" {
		name = r.src.Name
	}
	n := s.read(name, f, r.src, r.opt)
	s.finish(n)
	r.ready = n.records
	if len(n.found) == 0 {
		r.losses.Add(n.losses...)
		r.kept.Take()
	}
	return n.found, nil
}

// finish makes the memories of a note. A note that breaks a rule gives none.
func (s *Shape) finish(n *Note) {
	if len(n.found) == 0 {
		s.Read(n)
	}
	if n.Times.Created.IsZero() && len(n.records) > 0 && n.opt.Owner != "" {
		n.refuse(s.Rules.Draft, 0, errors.New("nothing dates this; read it from a file, or give a date"))
	}
	if len(n.records) == 0 && len(n.found) == 0 {
		n.Lose(1, lossEmpty)
	}
	if len(n.found) > 0 {
		n.records = nil
	}
}

// Losses returns the losses so far.
func (r *reader) Losses() []codec.Loss { return r.losses.All() }

// Close does nothing: the source is the caller's.
func (r *reader) Close() error { return nil }

// validate reports every violation of a source.
func (s *Shape) validate(src codec.Source, opt codec.Options, report func(*codec.ParseError)) error {
	r, err := s.reader(src, opt)
	return codec.ValidateSteps(func() ([]*codec.ParseError, error) {
		_, _, found, err := r.step()
		return found, err
	}, err, report)
}
