package graphiti

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// requestLines returns the lines of a file with one request on each; nil: the file is one
// text. It parses a line only in a file with several: a whole document on one line would take
// a hundred times its size.
func requestLines(src codec.Source, limits codec.Limits) io.Reader {
	if src.File == nil || src.Size > limits.Document {
		return nil
	}
	lines := codec.NewLineScanner(io.NewSectionReader(src.File, 0, src.Size), limits.Record)
	first, err := lines.Next()
	if err != nil {
		return nil
	}
	first = bytes.Clone(first)
	for more, err := lines.Next(); len(bytes.TrimSpace(more)) == 0 && !errors.Is(err, codec.ErrLongLine); more, err = lines.Next() {
		if err != nil {
			return nil
		}
	}
	v, err := canon.Parse(first, canon.Options{Bytes: limits.Record, Depth: limits.Depth, Mend: true})
	if err != nil || v.Type() != canon.TypeObject {
		return nil
	}
	return io.NewSectionReader(src.File, 0, src.Size)
}

// parts is an episode that comes in several parts, as far as they have come.
type parts struct {
	record   memory.Record
	text     strings.Builder
	next, of int // of is 0: there is none
	pointer  string
}

// request makes a record of an episode as Zep takes it (GRAPHITI-2). An episode that is one
// of several parts makes a record when it is the last.
func (d *document) request(c *codec.Checker) (memory.Record, bool) {
	text, kind := c.Text(ruleItem, "data"), c.Name(ruleItem, requestType(c.Value))
	meta := c.Value.Get("metadata")
	at, of := part(meta)
	r := d.requested(c, kind, text, meta)
	switch {
	case of > 1 && at == 1:
		d.unfinished()
		d.part = parts{record: r, next: 2, of: of, pointer: c.Pointer}
		d.part.text.WriteString(text)
		return r, false
	case of > 1:
		return d.joined(c, r, text, at, of)
	case blank(text):
		c.Drop("", lossBlank)
	}
	return r, !blank(text)
}

// joined adds a part to the parts before it.
func (d *document) joined(c *codec.Checker, r memory.Record, text string, at, of int) (memory.Record, bool) {
	p := &d.part
	switch {
	case p.of != of || p.next != at || p.record.Provenance.Source.Ref != r.Provenance.Source.Ref:
		c.Fault(ruleItem, "/metadata/part", errors.New("the parts before this one are missing"))
		return r, false
	case p.text.Len()+len(text) > c.Options.Limits.Text:
		c.Fault(ruleLimit, "/data", fmt.Errorf("the parts are longer than %d bytes; raise the limit", c.Options.Limits.Text))
		d.part = parts{}
		return r, false
	}
	p.text.WriteString(text)
	if p.next++; at < of {
		return r, false
	}
	r = p.record
	r.Body.Text = p.text.String()
	d.part = parts{}
	return r, !blank(r.Body.Text)
}

// unfinished reports the parts of an episode whose last part never came.
func (d *document) unfinished() {
	if d.part.of > 0 {
		d.Lose(d.part.pointer, lossPart)
	}
	d.part = parts{}
}

// part returns which part of how many an episode is; 0 of 0: it is whole.
func part(meta canon.Value) (at, of int) {
	first, last, ok := strings.Cut(meta.Get(metaPart).Text(), "/")
	at, err := strconv.Atoi(first)
	of, bad := strconv.Atoi(last)
	if !ok || err != nil || bad != nil || at < 1 || at > of {
		return 0, 0
	}
	return at, of
}

// requestType is the member that says what the data of an episode is.
func requestType(v canon.Value) string {
	if v.Has("data_type") {
		return "data_type"
	}
	return "type"
}

// The members of an episode's metadata that the writer makes.
const (
	metaID, metaKind, metaFrom, metaTo, metaTags, metaAbout = "id", "kind", "valid_from", "valid_to", "tags", "about"
	metaUser, metaAgent, metaSession, metaProject, metaPart = "user", "agent", "session", "project", "part"
	refPrefix                                               = zepName + "/"
)

// requested makes a record of an episode and its metadata. Metadata that others gave in
// other types are only residue.
func (d *document) requested(c *codec.Checker, kind, text string, meta canon.Value) memory.Record {
	word := func(name string) string {
		s := meta.Get(name).Text()
		if most := c.Options.Limits.Name; len(s) > most {
			c.Fault(ruleLimit, "/metadata/"+name, fmt.Errorf("longer than %d bytes; shorten it, or raise the limit", most))
		}
		return s
	}
	words := func(name string) (all []string) {
		for _, v := range meta.Get(name).Items() {
			if s := v.Text(); s != "" && len(s) <= c.Options.Limits.Name {
				all = append(all, s)
			}
		}
		return all
	}
	moment := func(name string) time.Time {
		t, _ := codec.Instant(word(name))
		return t
	}
	ref := d.name + "#" + c.Pointer
	if id := word(metaID); !blank(id) {
		ref = refPrefix + id
	}
	is := usual(kind)
	if said := memory.Kind(word(metaKind)); said.Valid() {
		is = said
	}
	r := d.Draft(is, text, d.Rules.Format, ref)
	r.Time = memory.Times{ValidFrom: moment(metaFrom), ValidTo: moment(metaTo), Created: c.Date(c.Instant(ruleDate, "created_at"))}
	if r.Time.ValidFrom.After(r.Time.ValidTo) && !r.Time.ValidTo.IsZero() {
		r.Time.ValidFrom = time.Time{}
	}
	r.Scope.User, r.Scope.Agent, r.Scope.Session = word(metaUser), word(metaAgent), word(metaSession)
	if project := word(metaProject); project != "" {
		r.Scope.Project = project
	}
	codec.Tag(&r, words(metaTags)...)
	codec.About(&r, words(metaAbout)...)
	whole := c.Value
	if _, of := part(meta); of > 1 {
		whole = whole.With("metadata", meta.Without(metaPart))
	}
	if canon.Identical(show(r), whole) {
		return r
	}
	return codec.WithResidue(r, d.Rules.Format, whole.Without("data"))
}

// usual returns the kind of memory that an episode of a type is.
func usual(kind string) memory.Kind {
	if kind == "message" {
		return memory.Episodic
	}
	return memory.Semantic
}
