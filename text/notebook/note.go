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

// Note is a note while it is read.
type Note struct {
	Path   string // in its folder; or the name of a source that is one file
	Name   string // of the file, without its extension
	Folder string // the name of the source, if that is a folder
	File   markdown.File
	Raw    string      // the front matter as written, with the dashes; empty: none
	Front  canon.Value // the properties; an empty object if there are none
	Body   string
	Line   int // line on which the body begins
	Own    bool
	Limits codec.Limits
	Times  memory.Times
	Dated  []string // the properties that Times comes from

	shape   *Shape
	opt     codec.Options
	file    string // for messages; empty if the source is one file
	ref     string
	records []memory.Record
	losses  []codec.Loss
	found   []*codec.ParseError
}

// read reads the parts that every note has.
func (s *Shape) read(name string, f markdown.File, src codec.Source, opt codec.Options) *Note {
	n := &Note{
		Path: name, File: f, Limits: opt.Limits, Front: canon.Object(), Body: f.Text, Line: 1,
		Name: strings.TrimSuffix(path.Base(name), path.Ext(name)), shape: s, opt: opt, file: name, ref: name,
	}
	if src.Tree == nil && src.File != nil {
		n.file = ""
	} else if n.Folder = src.Name; src.Name != "" && src.Name != "." {
		n.ref = src.Name + "/" + name
	}
	if front, body, found, closed := markdown.Split(f.Text); found && closed {
		n.Raw, n.Body = f.Text[:len(f.Text)-len(body)], body
		n.Line += strings.Count(n.Raw, "\n")
		n.front(front)
	}
	n.Own = strings.HasPrefix(n.Front.Get(markdown.WrittenBy).Text(), markdown.Satchel)
	n.date()
	n.LimitName(n.Name, 1)
	return n
}

// front reads the properties. Properties that are not YAML become text, since programs that
// keep notes accept them.
func (n *Note) front(text string) {
	if n.shape.Spell != nil {
		text = n.shape.Spell(text)
	}
	front := markdown.FrontMatter(text, n.Limits)
	wrong := false
	for _, fault := range front.Faults {
		if fault.Limit {
			n.refuse(n.shape.Rules.Limit, fault.Line, fault.Err)
			continue
		}
		wrong = true
		if n.opt.Strict {
			n.refuse(n.shape.Rules.Front, fault.Line, fault.Err)
		}
	}
	switch {
	case wrong:
		n.Lose(1, lossFront)
	case len(front.Faults) == 0:
		n.Front = front.Value
	}
	for _, m := range n.Front.Members() {
		n.LimitName(m.Name, 1)
	}
}

// date finds the dates when a note was made and changed.
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

// LimitName checks a name against the limit on names.
func (n *Note) LimitName(name string, line int) {
	if len(name) > n.Limits.Name {
		n.refuse(n.shape.Rules.Limit, line, fmt.Errorf("a name of more than %d bytes; shorten it, or raise the limit", n.Limits.Name))
	}
}

// LimitCount checks the length of a list against its limit.
func (n *Note) LimitCount(what string, count int) {
	if count > n.Limits.Items {
		n.refuse(n.shape.Rules.Limit, 0, fmt.Errorf("more than %d %s; split the note, or raise the limit", n.Limits.Items, what))
	}
}

// refuse records the violation of a rule.
func (n *Note) refuse(rule string, line int, err error) {
	n.found = append(n.found, n.shape.violation(rule, n.file, line, err))
}

// Lose records a loss.
func (n *Note) Lose(line int, reason string) {
	where := fmt.Sprintf("line:%d", line)
	if n.file != "" {
		where = n.file + " " + where
	}
	n.losses = append(n.losses, codec.Loss{Pointer: where, Reason: reason})
}

// Ref names the note permanently: by its name in the folder, or by another name such as a
// permanent link. The name stays when the text changes.
func (n *Note) Ref(name string) string {
	ref := n.ref
	if name != "" {
		ref = strings.TrimSuffix(ref, n.Path) + name
	}
	return strings.ReplaceAll(ref, "#", "%23")
}

// Add makes a memory of the text from a line on; ref names it.
func (n *Note) Add(r memory.Record, ref string, line int) {
	if len(r.Body.Text) > n.Limits.Text {
		n.refuse(n.shape.Rules.Limit, line, fmt.Errorf("a memory of more than %d bytes; split it, or raise the limit", n.Limits.Text))
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
