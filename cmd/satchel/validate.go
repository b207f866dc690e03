package main

import (
	"github.com/satchel-memory/satchel/codec"
)

type validateCmd struct {
	File   string `arg:"" help:"A file, a folder, or - for standard input."`
	From   string `name:"format" help:"The format. Default: detected." placeholder:"FORMAT"`
	Strict bool   `help:"Report unknown members too."`
}

// violation is one finding for machines.
type violation struct {
	File    string `json:"file,omitempty"`
	Path    string `json:"path,omitempty"`
	Rule    string `json:"rule,omitempty"`
	Message string `json:"message"`
}

// Run prints every violation; a document with any ends with status 3.
func (c *validateCmd) Run(a *app) error {
	d, err := a.document(c.File, c.From)
	if err != nil {
		return err
	}
	defer d.Close()
	found := []violation{}
	err = d.Validate(d.Source, codec.Options{Strict: c.Strict, Now: a.now, Owner: inspected}, func(e *codec.ParseError) {
		found = append(found, violation{e.File, e.Path, e.Rule, e.Err.Error()})
		if !a.json {
			a.print("%s", clean(e.Error()))
		}
	})
	if err != nil {
		return err
	}
	out := map[string]any{"format": d.Format.Name, "valid": len(found) == 0, "violations": found}
	if d.isBundle() && len(found) == 0 {
		s, err := a.sumUp(d, c.File)
		if err != nil {
			return err
		}
		out["bundle"] = s
		s.warn(a)
	}
	if d.isExport() && len(found) == 0 {
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
	if len(found) > 0 {
		a.say("%s: %s", clean(d.Source.Name), plural(len(found), "violation", "violations"))
		return silent(exitInvalid)
	}
	a.say("%s: valid %s", clean(d.Source.Name), d.Format.Name)
	return nil
}
