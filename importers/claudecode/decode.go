package claudecode

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// reader yields the records of a source, file by file.
type reader struct {
	folder  folder
	owner   memory.DID
	project string
	now     time.Time // dates records without a date; zero: they are refused
	strict  bool
	judging bool // for Validate: it makes no records, so they need no date
	left    int  // number of records that may still come

	documents []document // documents to come
	frames    []*frame   // files being read; each is imported by the one before
	read      map[string]bool
	below     []string                   // files of rules in the folders of the project, until they are told
	summaries map[string]summary         // the beginnings of notes, by path, for the index
	copies    map[[sha256.Size]byte]bool // digests of the texts of rules
	found     []*codec.ParseError
	losses    codec.LossList
	kept      codec.Salvage
	leftOut   func(codec.Loss) // of Options
}

// frame is a file of rules, or an index, while it is read.
type frame struct {
	doc    document
	file   file
	blocks []block
	titles int
	depth  int // number of imports between it and the first file
}

func newReader(src codec.Source, opt codec.Options) (*reader, error) {
	opt.Limits = opt.Limits.Filled()
	f := finder{folder: folder{src: src, limits: opt.Limits}}
	if err := f.find(); err != nil {
		return nil, err
	}
	r := &reader{
		summaries: map[string]summary{},
		folder:    f.folder,
		owner:     opt.Owner,
		project:   opt.Project,
		strict:    opt.Strict,
		left:      opt.Limits.Records,
		documents: f.documents,
		read:      map[string]bool{},
		copies:    map[[sha256.Size]byte]bool{},
		losses:    f.losses,
		leftOut:   opt.LeftOut,
	}
	r.below = r.folder.rulesBelow()
	if opt.Now != nil {
		r.now = opt.Now()
	}
	if opt.Project == "" || len(f.slugs) > 1 {
		for _, dir := range f.slugs {
			r.lose(dir, lossProject)
		}
	}
	return r, nil
}

// open finds the files to read (CLAUDE-8, CLAUDE-9).
func open(src codec.Source, opt codec.Options) (codec.Reader, error) {
	if opt.Owner == "" {
		return nil, violation(ruleDraft, "", 0, errors.New("the files name no owner; say whose memories these are"))
	}
	opt.Strict = false
	return newReader(src, opt)
}

// Next returns the record of the next note, bullet or paragraph. It leaves out those that
// break a rule.
func (r *reader) Next() (memory.Record, error) {
	for {
		record, ok, err := r.step()
		switch {
		case len(r.found) > 0 && isFatal(r.found[0]):
			return memory.Record{}, r.found[0]
		case len(r.found) > 0:
			r.losses.Add(r.kept.Leave("a note, a paragraph or the rest of a file", r.found[0], r.leftOut))
			r.found = nil
		case err == io.EOF && r.kept.Refusal() != nil:
			return record, r.kept.Refusal()
		case err != nil:
			return record, err
		case ok:
			r.kept.Take()
			return record, nil
		}
	}
}

// isFatal reports whether a fault is of the whole source.
func isFatal(p *codec.ParseError) bool { return p.Rule == ruleDraft || p.File == "" && p.Path == "" }

// step does the next piece of work, which may give a record; it puts violations into
// r.found. A ParseError concerns one file or block, and the next step continues.
func (r *reader) step() (memory.Record, bool, error) {
	var record memory.Record
	var ok bool
	var err error
	switch {
	case len(r.frames) > 0:
		record, ok, err = r.inFrame(r.frames[len(r.frames)-1])
	case len(r.documents) > 0:
		next := r.documents[0]
		r.documents = r.documents[1:]
		record, ok, err = r.document(next)
	default:
		r.tellBelow()
		return record, false, io.EOF
	}
	if ok && err == nil {
		if r.left--; r.left < 0 {
			r.frames, r.documents = nil, nil
			limit := r.folder.limits.Records
			err = violation(ruleLimit, "", 0, fmt.Errorf("more than %d records; name a smaller folder, or raise the limit", limit))
		}
	}
	if p, is := isViolation(err); is {
		r.found = append(r.found, p)
		err = nil
		ok = false
	}
	return record, ok, err
}

// inFrame reads the next block of a file.
func (r *reader) inFrame(at *frame) (memory.Record, bool, error) {
	if len(at.blocks) == 0 {
		r.frames = r.frames[:len(r.frames)-1]
		return memory.Record{}, false, nil
	}
	b := at.blocks[0]
	at.blocks = at.blocks[1:]
	if b.path != "" {
		return memory.Record{}, false, r.follow(b, at)
	}
	if p, ok := indexLine(b.text); ok && at.doc.notes[p.target] {
		if !p.covers(r.summaries[path.Join(path.Dir(at.file.path), p.target)]) {
			r.lose(pointer(at.file.path, b.line), lossHook)
		}
		return memory.Record{}, false, nil
	}
	record, err := r.block(b, at)
	return record, true, err
}

// document begins the next file.
func (r *reader) document(doc document) (memory.Record, bool, error) {
	if doc.role == aRules {
		return memory.Record{}, false, r.enter(doc, 0)
	}
	f, err := r.folder.read(doc.path)
	if err != nil {
		return memory.Record{}, false, err
	}
	if doc.role == anIndex {
		return memory.Record{}, false, r.push(doc, f, 0)
	}
	note, found := readNote(f, r.folder.limits, r.strict)
	r.found = append(r.found, found...)
	if len(found) > 0 {
		return memory.Record{}, false, nil
	}
	r.summaries[doc.path] = summaryOf(note, stem(doc.path))
	if note.text() == "" {
		r.lose(pointer(f.path, 1), lossEmpty)
		return memory.Record{}, false, nil
	}
	record, err := r.note(note, f)
	return record, true, err
}

func (r *reader) lose(where, reason string) {
	r.losses.Add(codec.Loss{Pointer: where, Reason: reason})
}

// Losses returns the losses so far.
func (r *reader) Losses() []codec.Loss { return r.losses.All() }

// Close does nothing: the source is the caller's.
func (r *reader) Close() error { return nil }

// validate reports every violation of a source.
func validate(src codec.Source, opt codec.Options, report func(*codec.ParseError)) error {
	r, err := newReader(src, opt)
	return codec.ValidateSteps(func() ([]*codec.ParseError, error) {
		r.judging, r.found = true, nil
		_, _, err := r.step()
		return r.found, err
	}, err, report)
}
