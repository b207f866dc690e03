package memories

import (
	"encoding/json"
	"strings"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/memory"
)

// RememberCmd is the command satchel remember.
type RememberCmd struct {
	Text []string `arg:"" help:"What to remember. - reads standard input."`
	cli.ProjectFlags
	Kind      memory.Kind `default:"semantic" enum:"semantic,episodic,procedural,working,identity" help:"semantic: a fact or preference; episodic: an event; procedural: a rule; working: of the task at hand; identity: who somebody is." placeholder:"K"`
	Tag       []string    `help:"A tag. May be repeated." placeholder:"T"`
	ValidFrom cli.When    `help:"True since this time. Default: now." placeholder:"TIME"`
	ValidTo   cli.When    `help:"True until this time. Default: no end." placeholder:"TIME"`
	Retention cli.Span    `help:"Keep it this long: 30d, 6w, 1y, or an ISO 8601 duration such as P1Y6M." placeholder:"TIME"`
	NoExport  bool        `help:"Keep it in this store: exports leave it out."`
	cli.SecretFlag
	Redact     []string          `help:"Remove this part from every copy that leaves the store, such as body.structured.tags. May be repeated." placeholder:"PATH"`
	Visibility memory.Visibility `default:"private" enum:"private,shared,public" help:"Who may read it: private, shared or public." placeholder:"V"`
}

// MaxText is the most bytes of a text from standard input; the store's own limit is lower,
// and its error says what is wrong.
const MaxText = 2 << 20

// Run stores the text as the owner's own word.
func (c *RememberCmd) Run(a *cli.App) error {
	text, err := a.Text(strings.Join(c.Text, " "), MaxText)
	if err != nil {
		return err
	}
	if strings.TrimSpace(text) == "" {
		return cli.Usagef("there is nothing to remember: the text is empty")
	}
	project, err := c.ProjectName(a)
	if err != nil {
		return err
	}
	if err := checkValidity(c.ValidFrom, c.ValidTo, cli.When{Time: a.Now()}); err != nil {
		return err
	}
	return a.With(cli.Writing, func(o *cli.Session) error {
		done, err := o.Remember(a.Ctx, o.Caller(), memory.Draft{Record: c.record(o.Owner, project, text), KeepSecrets: c.KeepSecrets})
		if memory.KindOf(err) == memory.InvalidRecord {
			return cli.WithStatus(cli.ExitUsage, err) // all of it came from the command line
		}
		if err != nil {
			return err
		}
		warnAll(a, done.Warnings)
		if a.JSON {
			return a.Emit(withWarnings(map[string]any{"id": done.ID, "result": done.Outcome}, done.Warnings))
		}
		if done.Outcome == memory.Merged {
			if have, err := o.Get(a.Ctx, o.Caller(), done.ID, memory.CurrentView); err == nil {
				a.Say("this was remembered already as %s: %s", a.Shortener(o, []memory.Record{have})(have.ID), cli.OneLine(have.Body.Text, 200))
			}
		}
		a.PrintStored(o, done.ID)
		return nil
	})
}

func (c *RememberCmd) record(owner memory.DID, project, text string) memory.Record {
	exportable := !c.NoExport
	rec := memory.Record{
		Kind:       c.Kind,
		Body:       memory.Body{Text: text},
		Scope:      memory.Scope{Owner: owner, Project: project, Visibility: c.Visibility},
		Time:       memory.Times{ValidFrom: c.ValidFrom.Time, ValidTo: c.ValidTo.Time},
		Provenance: &memory.Provenance{Actor: string(owner), ActorKind: memory.ByUser, Method: "remember"},
		Consent:    &memory.Consent{Exportable: &exportable, Retention: c.Retention.Iso, Redact: c.Redact},
	}
	if len(c.Tag) > 0 {
		if tags, err := json.Marshal(map[string][]string{"tags": c.Tag}); err == nil {
			rec.Body.Structured = tags
		}
	}
	return rec
}
