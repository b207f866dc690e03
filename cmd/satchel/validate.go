package main

import (
	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/codec"
)

type validateCmd struct {
	File    string `arg:"" help:"A file, a folder, an archive, or - for standard input."`
	From    string `name:"format" aliases:"from" help:"The format. Default: detected." placeholder:"FORMAT"`
	Strict  bool   `help:"By the rules for what is written: report unknown members too, and what is only warned of. A warning does not make a document invalid, but for a context file, of which it then does."`
	Partial bool   `help:"Of a context file: it is a part, and needs no conversation."`
	Force   bool   `help:"Of a context file: judge one of a later major version too."`
}

// violation is one finding for machines.
type violation struct {
	File     string `json:"file,omitempty"`
	Path     string `json:"path,omitempty"`
	Rule     string `json:"rule,omitempty"`
	Message  string `json:"message"`
	Warning  bool   `json:"warning,omitempty"` // the document is valid all the same
	Line     int    `json:"line,omitempty"`    // this and what follows: of context files
	Section  string `json:"section,omitempty"`
	Code     string `json:"code,omitempty"`
	Severity string `json:"severity,omitempty"`

	text string // for people
}

func violationOf(e *codec.ParseError) violation {
	return violation{File: e.File, Path: e.Path, Rule: e.Rule, Message: e.Err.Error(), Warning: e.Warning, text: e.Error()}
}

// violations returns what is wrong with a document.
func (c *validateCmd) violations(a *app, d *document) ([]violation, error) {
	if d.isContextFile() {
		return c.findings(d)
	}
	if c.Partial || c.Force {
		return nil, usagef("--partial and --force are for context files; this is %s", d.Format.Name)
	}
	var found []violation
	err := d.Validate(d.Source, codec.Options{Strict: c.Strict, Now: a.now, Owner: inspected}, func(e *codec.ParseError) {
		found = append(found, violationOf(e))
	})
	return found, err
}

// show prints the violation for people.
func (v violation) show(a *app) {
	grade := ""
	switch {
	case v.Severity == aicf.Notice.String():
		grade = "notice: "
	case v.Warning:
		grade = "warning: "
	}
	a.print("%s%s", grade, clean(v.text))
}

// Run prints every violation; a document with any that is no warning ends with status 3.
func (c *validateCmd) Run(a *app) error {
	d, err := a.document(c.File, c.From)
	if err != nil {
		return err
	}
	defer d.Close()
	found, err := c.violations(a, d)
	if err != nil {
		return err
	}
	wrong := 0
	for _, v := range found {
		if !v.Warning {
			wrong++
		}
		if !a.json {
			v.show(a)
		}
	}
	out := map[string]any{"format": d.Format.Name, "valid": wrong == 0, "violations": append([]violation{}, found...)}
	if d.isBundle() && wrong == 0 {
		s, err := a.sumUp(d, c.File)
		if err != nil {
			return err
		}
		out["bundle"] = s
		s.warn(a)
	}
	if d.isExport() && wrong == 0 {
		s, err := a.sumUpExport(d)
		if err != nil {
			return err
		}
		out["export"] = s
		for _, w := range s.Judged.Warnings {
			a.warn("warning: %s", clean(w))
		}
		a.say("%s", s.Judged.words())
	}
	if a.json {
		if err := a.emit(out); err != nil {
			return err
		}
	}
	if wrong > 0 {
		a.say("%s: %s", clean(d.Source.Name), plural(wrong, "violation", "violations"))
		return silent(exitInvalid)
	}
	a.say("%s: valid %s", clean(d.Source.Name), d.Format.Name)
	return nil
}
