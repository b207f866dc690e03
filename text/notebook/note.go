package notebook

import (
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/markdown"
)

// Note is a note that is being read.
type Note struct {
	Path   string // in its folder; the name of a source that is one file
	Name   string // of the file, without its ending
	File   markdown.File
	Raw    string      // the front matter as it stands, with the dashes; empty: none
	Front  canon.Value // what it says; an empty object where it says nothing
	Body   string
	Line   int // on which the body begins
	Own    bool
	Limits codec.Limits
	Times  memory.Times
	Dated  []string // the properties that Times are taken from

	shape   *Shape
	opt     codec.Options
	file    string // in messages; empty in a source that is one file
	ref     string
	records []memory.Record
	losses  []codec.Loss
	found   []*codec.ParseError
}

// take reads what every note has.
func (s *Shape) take(name string, f markdown.File, src codec.Source, opt codec.Options) *Note {
	n := &Note{
		Path: name, File: f, Limits: opt.Limits, Front: canon.Object(), Body: f.Text, Line: 1,
		Name: strings.TrimSuffix(path.Base(name), path.Ext(name)), shape: s, opt: opt, file: name, ref: name,
	}
	if src.Tree == nil && src.File != nil {
		n.file = ""
	} else if src.Name != "" && src.Name != "." {
		n.ref = src.Name + "/" + name
	}
	if front, body, found, closed := markdown.Split(f.Text); found && closed {
		n.Raw, n.Body = f.Text[:len(f.Text)-len(body)], body
		n.Line += strings.Count(n.Raw, "\n")
		n.front(front)
	}
	n.Own = strings.HasPrefix(n.Front.Get(markdown.WrittenBy).Text(), markdown.Satchel)
	n.date()
	n.Named(n.Name, 1)
	return n
}

// front reads the properties. Those that are no YAML are text: programs that keep notes
// live with them.
func (n *Note) front(text string) {
	front := markdown.FrontMatter(text, n.Limits)
	wrong := false
	for _, fault := range front.Faults {
		if fault.Limit {
			n.Refuse(n.shape.Rules.Limit, fault.Line, fault.Err)
			continue
		}
		wrong = true
		if n.opt.Strict {
			n.Refuse(n.shape.Rules.Front, fault.Line, fault.Err)
		}
	}
	switch {
	case wrong:
		n.Lose(1, lossFront)
	case len(front.Faults) == 0:
		n.Front = front.Value
	}
	for _, m := range n.Front.Members() {
		n.Named(m.Name, 1)
	}
}

// date finds out when a note was made and changed.
func (n *Note) date() {
	n.Times.Created = n.said(n.shape.Created)
	if changed := n.said(n.shape.Changed); changed.After(n.Times.Created) {
		n.Times.Observed = changed
	}
	if n.Times.Created.IsZero() {
		n.Times.Created = n.Times.Observed
		n.Times.Observed = time.Time{}
	}
	if n.Times.Created.IsZero() {
		n.Times.Created = n.File.Modified.UTC()
	}
	if n.Times.Created.IsZero() && n.opt.Now != nil {
		n.Times.Created = n.opt.Now().UTC()
	}
}

func (n *Note) said(names []string) time.Time {
	for _, name := range names {
		if at, ok := markdown.Date(n.Front.Get(name).Text()); ok {
			n.Dated = append(n.Dated, name)
			return at
		}
	}
	return time.Time{}
}

// Named holds a name to the limit on names.
func (n *Note) Named(name string, line int) {
	if len(name) > n.Limits.Name {
		n.Refuse(n.shape.Rules.Limit, line, fmt.Errorf("a name of more than %d bytes; shorten it, or raise the limit", n.Limits.Name))
	}
}

// Counted holds the length of a list to its limit.
func (n *Note) Counted(what string, count int) {
	if count > n.Limits.Items {
		n.Refuse(n.shape.Rules.Limit, 0, fmt.Errorf("more than %d %s; split the note, or raise the limit", n.Limits.Items, what))
	}
}

// Refuse notes what breaks a rule.
func (n *Note) Refuse(rule string, line int, err error) {
	n.found = append(n.found, n.shape.violation(rule, n.file, line, err))
}

// Lose notes what is not taken over.
func (n *Note) Lose(line int, reason string) {
	where := fmt.Sprintf("line:%d", line)
	if n.file != "" {
		where = n.file + " " + where
	}
	n.losses = append(n.losses, codec.Loss{Pointer: where, Reason: reason})
}

// Ref names the note so that it is known again when its text has changed, or by another
// name in the folder, such as a permanent link.
func (n *Note) Ref(name string) string {
	ref := n.ref
	if name != "" {
		ref = strings.TrimSuffix(ref, n.Path) + name
	}
	return strings.ReplaceAll(ref, "#", "%23")
}

// Add makes a memory of what stands on a line and after it; ref names it.
func (n *Note) Add(r memory.Record, ref string, line int) {
	if len(r.Body.Text) > n.Limits.Text {
		n.Refuse(n.shape.Rules.Limit, line, fmt.Errorf("a memory of more than %d bytes; split it, or raise the limit", n.Limits.Text))
		return
	}
	r.Version = "0.1"
	r.Scope = memory.Scope{Owner: n.opt.Owner, Project: r.Scope.Project, Visibility: memory.Private}
	if r.Scope.Project == "" {
		r.Scope.Project = n.opt.Project
	}
	if r.Time.Created.IsZero() {
		r.Time = n.Times
	}
	r.Provenance = &memory.Provenance{
		Actor: string(n.opt.Owner), ActorKind: memory.ByImport, Method: n.shape.Name,
		Source: &memory.Source{Provider: n.shape.Provider, Ref: ref},
	}
	n.records = append(n.records, r)
}
