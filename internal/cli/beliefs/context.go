package beliefs

import (
	"crypto/rand"
	"encoding/json"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/documents"
)

// ContextCmd is the command satchel context.
type ContextCmd struct {
	File           string            `arg:"" optional:"" help:"A signed export, or - for standard input. Default: the store."`
	Framed         bool              `help:"Frame the text as data that the model must not obey."`
	ApplyStaleness bool              `help:"Lower the confidence of beliefs that are overdue for confirmation."`
	Base           string            `help:"A system prompt to print before it." placeholder:"TEXT"`
	Runtime        string            `help:"The URI of the assistant. An export for another assistant is refused, and rules for others are left out." placeholder:"URI"`
	Scope          engram.Scope      `enum:",full,professional,personal,financial,minimal" default:"" help:"From the store: full, professional, personal, financial or minimal." placeholder:"S"`
	Category       []engram.Category `help:"From the store: only this category. May be repeated." placeholder:"C"`
	Issuer         string            `help:"For an export: the address of the required issuer. Default: any trusted issuer." placeholder:"URL"`
	Key            []string          `help:"For an export: a file or URL with the issuer's keys. Default: the keys that satchel trust knows." placeholder:"KEYS"`
	AllowUnsigned  bool              `help:"For an export: accept one without a signature."`
}

// Run prints the text that an assistant starts from, and nothing else, on standard output.
func (c *ContextCmd) Run(a *cli.App) error {
	d, err := c.document(a)
	if err != nil {
		return err
	}
	p, err := engram.Render(d, engram.PromptOptions{
		Now: a.Now(), Base: c.Base, Framed: c.Framed, Nonce: rand.Text(), ApplyStaleness: c.ApplyStaleness, Runtime: c.Runtime,
	})
	if err != nil {
		return cli.WithStatus(cli.ExitRefused, err)
	}
	if a.JSON {
		return a.Emit(promptOutOf(p))
	}
	told := documents.CountsOf(d.Memory).Beliefs[engram.Active] - len(p.Unsure)
	a.Say("with %s and %s; %d too uncertain to be said unasked, %s waiting for you",
		cli.Plural(told, "belief", "beliefs"), cli.Plural(len(p.Rules), "rule", "rules"), len(p.Unsure), cli.Plural(len(p.Proposed), "correction", "corrections"))
	_, err = a.Out.Write([]byte(p.System))
	return err
}

// promptOut is a prompt for machines, with the data that its text leaves out.
type promptOut struct {
	System   string            `json:"system"`
	Rules    []json.RawMessage `json:"rules"`
	Unsure   []json.RawMessage `json:"uncertain"`
	Proposed []json.RawMessage `json:"pending"`
}

func promptOutOf(p engram.Prompt) promptOut {
	return promptOut{p.System, wires(p.Rules), wires(p.Unsure), wires(p.Proposed)}
}

// document is the source of the text: a trustworthy export, or the store.
func (c *ContextCmd) document(a *cli.App) (engram.Document, error) {
	if c.Runtime != "" && !engram.IsRuntimeURI(c.Runtime) {
		return engram.Document{}, cli.Usagef("--runtime is the URI of an assistant: https://…, did:… or urn:…")
	}
	if c.File == "" {
		if c.Issuer != "" || len(c.Key) > 0 || c.AllowUnsigned {
			return engram.Document{}, cli.Usagef("--issuer, --key and --allow-unsigned go with an export")
		}
		return c.own(a)
	}
	if c.Scope != "" || len(c.Category) > 0 {
		return engram.Document{}, cli.Usagef("an export is of the scope that it is of; leave --scope and --category out")
	}
	return c.received(a)
}

// own is the store's present state.
func (c *ContextCmd) own(a *cli.App) (d engram.Document, err error) {
	err = a.With(cli.Reading, func(o *cli.Session) error {
		v, err := o.Beliefs().Context(a.Ctx, o.Caller(), engram.Query{Scope: c.Scope, Categories: c.Category})
		now := a.Now().UTC().Truncate(time.Second)
		d = engram.Document{Version: engram.Version, IssuedAt: now, ExpiresAt: now.Add(engram.DefaultLifetime), Scope: v.Scope, Memory: v.Memory}
		return err
	})
	return d, err
}

// received is a trustworthy export.
func (c *ContextCmd) received(a *cli.App) (engram.Document, error) {
	in, err := documents.ReadDocument(a, c.File, engram.Name)
	if err != nil {
		return engram.Document{}, err
	}
	defer in.Close()
	raw, err := in.Export()
	if err != nil {
		return engram.Document{}, err
	}
	how, err := documents.JudgeFlags{Issuer: c.Issuer, Audience: c.Runtime}.Judging(a, c.Key)
	if err != nil {
		return engram.Document{}, err
	}
	j, err := documents.Judge(a, raw, how)
	if err != nil {
		return engram.Document{}, err
	}
	if status := j.Status(c.AllowUnsigned); status != cli.ExitDone {
		j.Advise(a)
		return engram.Document{}, cli.WithStatus(status, errNotUsed{j})
	}
	return j.Doc, nil
}

// errNotUsed says why the command does not use an export.
type errNotUsed struct{ documents.ExportVerdict }

// Error says what is wrong with the export.
func (e errNotUsed) Error() string { return e.Words() }

// Unwrap returns the reason of a refusal, if there was one.
func (e errNotUsed) Unwrap() error {
	if e.Refusal == nil {
		return nil
	}
	return e.Refusal
}
