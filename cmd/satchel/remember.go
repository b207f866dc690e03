package main

import (
	"encoding/json"
	"strings"

	"github.com/satchel-memory/satchel/memory"
)

type rememberCmd struct {
	Text []string `arg:"" help:"What to remember; - reads standard input."`
	projectFlags
	Kind       memory.Kind       `default:"semantic" enum:"semantic,episodic,procedural,working,identity" help:"semantic: a fact or preference; episodic: an event; procedural: a rule; working: of the task at hand; identity: who somebody is." placeholder:"K"`
	Tag        []string          `help:"A tag; may be given more than once." placeholder:"T"`
	ValidFrom  when              `help:"Since when it is true. Default: now." placeholder:"TIME"`
	ValidTo    when              `help:"Until when it is true. Default: for ever." placeholder:"TIME"`
	Retention  string            `help:"How long it may be kept, such as P1Y or P90D." placeholder:"P"`
	NoExport   bool              `help:"It stays in this store: no export takes it along."`
	Redact     []string          `help:"Remove this part wherever it leaves, such as body.structured.tags; may be given more than once." placeholder:"PATH"`
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
	return a.with(writing, func(o *opened) error {
		done, err := o.Remember(a.ctx, o.owner(), memory.Draft{Record: c.record(o.Owner, project, text)})
		if memory.KindOf(err) == memory.InvalidRecord {
			return as(exitUsage, err) // all of it came from the command line
		}
		if err != nil {
			return err
		}
		if a.json {
			return a.emit(map[string]any{"id": done.ID, "result": done.Outcome})
		}
		if done.Outcome == memory.Merged {
			a.say("this was remembered already")
		}
		a.print("%s", done.ID)
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
		Consent:    &memory.Consent{Exportable: &exportable, Retention: c.Retention, Redact: c.Redact},
	}
	if len(c.Tag) > 0 {
		if tags, err := json.Marshal(map[string][]string{"tags": c.Tag}); err == nil {
			rec.Body.Structured = tags
		}
	}
	return rec
}
