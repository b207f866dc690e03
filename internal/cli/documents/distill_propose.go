package documents

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aicf/distill"
	"github.com/satchel-memory/satchel/importers/claudeai"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
	chat "github.com/satchel-memory/satchel/text/conversation"
)

// proposeFlags turn findings into proposals for the owner to decide.
type proposeFlags struct {
	Propose bool   `help:"Store the facts as proposals instead of writing a file. Confirm them with satchel corrections."`
	Session string `help:"With --propose: read the stored conversation with this session." placeholder:"ID"`
	Import  int64  `help:"With --propose: read the conversations of this import." placeholder:"N"`
	Project string `help:"With --propose: the project of the facts." placeholder:"P"`
	DryRun  bool   `short:"n" help:"With --propose: show the proposals and change nothing."`
}

// fit refuses flags that contradict each other.
func (f proposeFlags) fit(c *DistillCmd) error {
	kept := f.Session != "" || f.Import != 0
	switch {
	case !f.Propose && (kept || f.Project != "" || f.DryRun):
		return cli.Usagef("--session, --import, --project and --dry-run go with --propose")
	case c.In == "" && !kept:
		return cli.Usagef("name a transcript, or with --propose a conversation that is kept here: --session ID, or --import N")
	case c.In != "" && kept:
		return cli.Usagef("name a transcript, or --session or --import, not both")
	case f.Propose && (!cli.IsStdout(c.Out) || c.Questions != ""):
		return cli.Usagef("--propose writes no file and puts no questions; leave -o and --questions out")
	case kept && (c.All || c.Conversation != ""):
		return cli.Usagef("--all and --conversation are for transcripts; --session says which of an import is meant")
	}
	return nil
}

// proposedOut is the result of proposals, for machines.
type proposedOut struct {
	DryRun   bool              `json:"dry_run"`
	Proposed []json.RawMessage `json:"proposed"`
	Known    int               `json:"known"`    // that exist or wait already
	Rejected int               `json:"rejected"` // that were rejected or forgotten before
	distill.Report
}

// propose stores findings of conversations as candidates.
func (c *DistillCmd) propose(a *cli.App, how distill.Options) error {
	need := cli.Writing
	if c.DryRun {
		need = cli.Signing
	}
	return a.With(need, func(o *cli.Session) error {
		run := proposalRun{distillRun: distillRun{cmd: c, distiller: distill.New(how), shown: a.ProgressIn("distilled", "conversations")}, heads: map[string]memory.ID{}}
		err := run.read(a, o)
		run.shown.End()
		if err != nil {
			return err
		}
		_, report, err := run.distiller.Finish()
		if err != nil {
			return cli.WithStatus(cli.ExitInvalid, err)
		}
		done, err := o.Suggest(a.Ctx, o.Caller(), run.drafts(), c.DryRun)
		if err != nil {
			return err
		}
		return c.tellProposed(a, report, done)
	})
}

// proposalRun is one run that ends in proposals.
type proposalRun struct {
	distillRun
	provider string               // of the conversations
	heads    map[string]memory.ID // the records of the kept conversations, by session
}

// read distils the chosen conversations.
func (p *proposalRun) read(a *cli.App, o *cli.Session) error {
	if p.cmd.In == "" {
		return p.kept(a, o)
	}
	in, err := a.Source(p.cmd.In)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := p.cmd.choose(in.Source); err != nil {
		return err
	}
	name, r, err := Conversations(in.Source)
	if err != nil {
		return cli.WithStatus(cli.ExitInvalid, err)
	}
	defer r.Close()
	p.provider = name
	if name == claudeai.Name {
		p.provider = "claude.ai"
	}
	if err := p.all(a.Ctx, r); err != nil {
		return err
	}
	TellLost(a, r.Losses())
	return nil
}

// kept distils conversations that this store keeps.
func (p *proposalRun) kept(a *cli.App, o *cli.Session) error {
	q := vault.Sessions{Session: p.cmd.Session, Import: p.cmd.Import}
	err := o.Spoken(a.Ctx, o.Caller(), q, func(session string, records []memory.Record) error {
		one, head := chat.FromRecords(session, records)
		p.heads[session] = head
		if s := records[0].Provenance; s != nil && s.Source != nil {
			p.provider = s.Source.Provider
		}
		p.shown.Reached(p.shown.Done + 1)
		return p.distiller.Add(one)
	})
	if err == nil && len(p.heads) == 0 {
		err = &memory.Error{Kind: memory.NotFound, Op: "distill", Message: "no such conversation is kept here; satchel import --list shows the imports"}
	}
	return err
}

// drafts makes records from findings. It skips open ends, which are no facts.
func (p *proposalRun) drafts() []memory.Record {
	var drafts []memory.Record
	for _, f := range p.distiller.Findings() {
		if f.Kind == distill.Open {
			continue
		}
		drafts = append(drafts, p.draft(f))
	}
	return drafts
}

func (p *proposalRun) draft(f distill.Finding) memory.Record {
	rec := memory.Record{
		Kind: memory.Semantic, Body: memory.Body{Text: f.Text}, Scope: memory.Scope{Project: p.cmd.Project},
		Time:       memory.Times{Observed: f.At.UTC()},
		Provenance: &memory.Provenance{Actor: "satchel distill", ActorKind: memory.ByScan, Method: vault.Found, Source: &memory.Source{Provider: p.provider, Ref: chat.Ref(f.Conversation)}},
	}
	if f.Kind == distill.Instruction {
		rec.Kind = memory.Procedural
	}
	if f.Rationale != "" {
		rec.Body.Text += "\n\nWhy: " + f.Rationale
	}
	if f.Model {
		rec.Provenance.Actor, rec.Provenance.ActorKind = p.cmd.Model, memory.ByModel
	}
	for _, turn := range f.Turns {
		rec.Provenance.Evidence = append(rec.Provenance.Evidence, memory.Evidence{Ref: chat.Ref(f.Conversation) + "/" + turn})
	}
	if head := p.heads[f.Conversation]; head != "" {
		rec.Relations = []memory.Relation{{Type: memory.DerivedFrom, Target: string(head)}}
	}
	return rec
}

// tellProposed reports the proposals that wait now.
func (c *DistillCmd) tellProposed(a *cli.App, report distill.Report, done vault.Suggested) error {
	if a.JSON {
		records, err := cli.RawRecords(done.Waiting)
		if err != nil {
			return err
		}
		return a.Emit(proposedOut{c.DryRun, records, done.Known, done.Declined, report})
	}
	for _, rec := range done.Waiting {
		cli.ShowProposed(a, rec)
	}
	verb := "proposed"
	if c.DryRun {
		verb = "would propose"
	}
	a.Say("%s %s of %s: %d known already, %d rejected before, %s left out", verb, cli.Plural(len(done.Waiting), "fact", "facts"),
		cli.Plural(report.Conversations, "conversation", "conversations"), done.Known, done.Declined, cli.Plural(report.Open, "open end", "open ends"))
	if len(done.Waiting) > 0 && !c.DryRun {
		a.Say("they hold when you confirm them: satchel corrections list, confirm and reject")
	}
	if slices.ContainsFunc(done.Waiting, func(rec memory.Record) bool { return strings.Contains(rec.Body.Text, "REDACTED]") }) {
		TellRedacted(a, report.Redacted)
	}
	return nil
}
