package main

import (
	"encoding/json"

	"github.com/satchel-memory/satchel/internal/vault"
)

type briefCmd struct {
	projectFlags
	Budget int    `default:"800" help:"The most tokens of text." placeholder:"TOKENS"`
	Format string `default:"text" enum:"text,json,framed,hook" help:"text, json, framed: marked as untrusted data, for a model; or hook: framed, as hosts read it from a hook for the start of a session." placeholder:"F"`
}

// Run shows what a new session should know.
func (c *briefCmd) Run(a *app) error {
	if c.Format == "hook" {
		return c.hook(a)
	}
	project, err := c.name(a)
	if err != nil {
		return err
	}
	if c.Budget < 1 {
		return usagef("--budget must be at least 1")
	}
	return a.with(reading, func(o *opened) error {
		brief, err := o.Brief(a.ctx, o.owner(), vault.BriefQuery{Project: project, Budget: c.Budget})
		if err != nil {
			return err
		}
		switch {
		case a.json || c.Format == "json":
			return emitBrief(a, brief)
		case c.Format == "framed":
			a.print("%s", brief.Text)
			return nil
		}
		for i, section := range brief.Sections {
			if i > 0 {
				a.print("")
			}
			a.print("%s", section.Title)
			short := a.shortener(o, section.Records)
			for _, rec := range section.Records {
				a.print("  %s  %s", short(rec.ID), oneLine(rec.Body.Text, 0))
			}
		}
		if len(brief.Sections) == 0 {
			a.explainEmpty(brief.Elsewhere)
		}
		if brief.Omitted > 0 {
			a.say("%d more did not fit; raise --budget", brief.Omitted)
		}
		return nil
	})
}

func emitBrief(a *app, brief vault.Brief) error {
	type section struct {
		Title   string            `json:"title"`
		Records []json.RawMessage `json:"records"`
	}
	out := []section{}
	for _, s := range brief.Sections {
		records, err := raws(s.Records)
		if err != nil {
			return err
		}
		out = append(out, section{s.Title, records})
	}
	type elsewhere struct {
		Project  string `json:"project"`
		Memories int    `json:"memories"`
	}
	kept := []elsewhere{}
	for _, p := range brief.Elsewhere {
		kept = append(kept, elsewhere{p.Name, p.Records})
	}
	return a.emit(map[string]any{"sections": out, "omitted": brief.Omitted, "elsewhere": kept})
}

// explainEmpty says what to do first where nothing is kept yet, and otherwise what is kept.
func (a *app) explainEmpty(kept []vault.ProjectInfo) {
	if len(kept) == 0 {
		a.say("nothing is kept here yet: satchel remember TEXT, or satchel import FILE")
		return
	}
	a.say("nothing here is for every session. Kept memories:")
	for _, p := range kept {
		name := clean(p.Name)
		if name == "" {
			name = "no project"
		}
		a.say("  %d of %s", p.Records, name)
	}
	a.say("satchel brief --project NAME tells those of a project; satchel recall QUESTION asks all of them")
}
