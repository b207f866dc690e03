package main

import (
	"encoding/json"

	"github.com/satchel-memory/satchel/internal/vault"
)

type briefCmd struct {
	projectFlags
	Budget int    `default:"800" help:"Most tokens of text." placeholder:"TOKENS"`
	Format string `default:"text" enum:"text,json,framed" help:"text, json, or framed: marked as untrusted data, for a model." placeholder:"F"`
}

// Run shows what a new session should know.
func (c *briefCmd) Run(a *app) error {
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
			for _, rec := range section.Records {
				a.print("  %s  %s", shortID(rec.ID), oneLine(rec.Body.Text, 0))
			}
		}
		if len(brief.Sections) == 0 {
			if err := a.sayEmpty(o); err != nil {
				return err
			}
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
	return a.emit(map[string]any{"sections": out, "omitted": brief.Omitted})
}

// sayEmpty says what to do first, where nothing is kept yet.
func (a *app) sayEmpty(o *opened) error {
	page, err := o.List(a.ctx, o.owner(), vault.ListQuery{Limit: 1})
	if err != nil {
		return err
	}
	if len(page.Records) == 0 {
		a.say("nothing is kept here yet: satchel remember TEXT, or satchel import FILE")
	} else {
		a.say("nothing of what is kept here is for every session; satchel list shows all of it")
	}
	return nil
}
