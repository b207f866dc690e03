package main

import (
	"encoding/json"
	"strings"

	"github.com/satchel-memory/satchel/memory"
)

type rememberCmd struct {
	Text []string `arg:"" help:"What to remember. - reads standard input."`
	projectFlags
	Kind      memory.Kind `default:"semantic" enum:"semantic,episodic,procedural,working,identity" help:"semantic: a fact or preference; episodic: an event; procedural: a rule; working: of the task at hand; identity: who somebody is." placeholder:"K"`
	Tag       []string    `help:"A tag. May be repeated." placeholder:"T"`
	ValidFrom when        `help:"True since this time. Default: now." placeholder:"TIME"`
	ValidTo   when        `help:"True until this time. Default: no end." placeholder:"TIME"`
	Retention span        `help:"Keep it this long: 30d, 6w, 1y, or an ISO 8601 duration such as P1Y6M." placeholder:"TIME"`
	NoExport  bool        `help:"Keep it in this store: exports leave it out."`
	secretFlag
	Redact     []string          `help:"Remove this part from every copy that leaves the store, such as body.structured.tags. May be repeated." placeholder:"PATH"`
	Visibility memory.Visibility `default:"private" enum:"private,shared,public" help:"Who may read it: private, shared or public." placeholder:"V"`
}

// maxText is the most bytes of a text that standard input is read for; the
// store's own limit is lower and tells what is wrong.
const maxText = 2 << 20

// Run stores the text as the owner's own word.
func (c *rememberCmd) Run(a *app) error {
	text, err := a.text(strings.Join(c.Text, " "), maxText)
	if err != nil {
		return err
	}
	if strings.TrimSpace(text) == "" {
		return usagef("there is nothing to remember: the text is empty")
	}
	project, err := c.name(a)
	if err != nil {
		return err
	}
	if err := checkValidity(c.ValidFrom, c.ValidTo, when{a.now()}); err != nil {
		return err
	}
	return a.with(writing, func(o *opened) error {
		done, err := o.Remember(a.ctx, o.owner(), memory.Draft{Record: c.record(o.Owner, project, text), KeepSecrets: c.KeepSecrets})
		if memory.KindOf(err) == memory.InvalidRecord {
			return as(exitUsage, err) // all of it came from the command line
		}
		if err != nil {
			return err
		}
		a.warnAll(done.Warnings)
		if a.json {
			return a.emit(withWarnings(map[string]any{"id": done.ID, "result": done.Outcome}, done.Warnings))
		}
		if done.Outcome == memory.Merged {
			if have, err := o.Get(a.ctx, o.owner(), done.ID, memory.CurrentView); err == nil {
				a.say("this was remembered already as %s: %s", a.shortener(o, []memory.Record{have})(have.ID), oneLine(have.Body.Text, 200))
			}
		}
		a.stored(o, done.ID)
		return nil
	})
}

func (c *rememberCmd) record(owner memory.DID, project, text string) memory.Record {
	exportable := !c.NoExport
	rec := memory.Record{
		Kind:       c.Kind,
		Body:       memory.Body{Text: strings.TrimSuffix(text, "\n")},
		Scope:      memory.Scope{Owner: owner, Project: project, Visibility: c.Visibility},
		Time:       memory.Times{ValidFrom: c.ValidFrom.Time, ValidTo: c.ValidTo.Time},
		Provenance: &memory.Provenance{Actor: string(owner), ActorKind: memory.ByUser, Method: "remember"},
		Consent:    &memory.Consent{Exportable: &exportable, Retention: c.Retention.iso, Redact: c.Redact},
	}
	if len(c.Tag) > 0 {
		if tags, err := json.Marshal(map[string][]string{"tags": c.Tag}); err == nil {
			rec.Body.Structured = tags
		}
	}
	return rec
}
