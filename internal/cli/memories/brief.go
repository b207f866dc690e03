package memories

import (
	"encoding/json"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/vault"
)

// BriefCmd is the command satchel brief.
type BriefCmd struct {
	cli.ProjectFlags
	Budget int    `default:"800" help:"The most tokens of text." placeholder:"TOKENS"`
	Format string `default:"text" enum:"text,json,framed,hook" help:"text, json, framed: marked as untrusted data, for a model; or hook: framed, as hosts read it from a hook for the start of a session." placeholder:"F"`
}

// Run shows a brief for a new session.
func (c *BriefCmd) Run(a *cli.App) error {
	if c.Format == "hook" {
		return c.hook(a)
	}
	project, err := c.ProjectName(a)
	if err != nil {
		return err
	}
	if c.Budget < 1 {
		return cli.Usagef("--budget must be at least 1")
	}
	return a.With(cli.Reading, func(o *cli.Session) error {
		brief, err := o.Brief(a.Ctx, o.Caller(), vault.BriefQuery{Project: project, Budget: c.Budget})
		if err != nil {
			return err
		}
		switch {
		case a.JSON || c.Format == "json":
			return emitBrief(a, brief)
		case c.Format == "framed":
			a.Print("%s", brief.Text)
			return nil
		}
		for i, section := range brief.Sections {
			if i > 0 {
				a.Print("")
			}
			a.Print("%s", section.Title)
			short := a.Shortener(o, section.Records)
			for _, rec := range section.Records {
				a.Print("  %s  %s", short(rec.ID), cli.OneLine(rec.Body.Text, 0))
			}
		}
		if len(brief.Sections) == 0 {
			explainEmpty(a, brief.Elsewhere)
		}
		if brief.Omitted > 0 {
			a.Say("%d more did not fit; raise --budget", brief.Omitted)
		}
		return nil
	})
}

func emitBrief(a *cli.App, brief vault.Brief) error {
	type section struct {
		Title   string            `json:"title"`
		Records []json.RawMessage `json:"records"`
	}
	out := []section{}
	for _, s := range brief.Sections {
		records, err := cli.RawRecords(s.Records)
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
	return a.Emit(map[string]any{"sections": out, "omitted": brief.Omitted, "elsewhere": kept})
}

// explainEmpty names the first step if there is no memory yet, and otherwise lists what
// there is.
func explainEmpty(a *cli.App, kept []vault.ProjectInfo) {
	if len(kept) == 0 {
		a.Say("nothing is kept here yet: satchel remember TEXT, or satchel import FILE")
		return
	}
	a.Say("nothing here is for every session. Kept memories:")
	for _, p := range kept {
		name := cli.Clean(p.Name)
		if name == "" {
			name = "no project"
		}
		a.Say("  %d of %s", p.Records, name)
	}
	a.Say("satchel brief --project NAME tells those of a project; satchel recall QUESTION asks all of them")
}
