package documents

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"regexp"
	"slices"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/aicf/distill"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
	chat "github.com/satchel-memory/satchel/text/conversation"
)

// DistillCmd is the command satchel distill.
type DistillCmd struct {
	In           string   `arg:"" optional:"" help:"An export of ChatGPT, Claude.ai or Gemini (file, folder or archive), a context file with a transcript, or - for standard input."`
	Out          string   `short:"o" default:"-" help:"The context file to write, or - for standard output." placeholder:"FILE"`
	Conversation string   `help:"Only the conversation with this id." placeholder:"ID"`
	All          bool     `help:"All conversations, in one file."`
	NoRedact     bool     `help:"Keep mail addresses, telephone numbers and secrets as they are."`
	Keep         []string `help:"Do not redact these: email, phone, ssn, secret." placeholder:"TYPE"`
	Pattern      []string `name:"redact-pattern" sep:"none" help:"Redact matches of this regular expression too." placeholder:"REGEXP"`
	Questions    string   `help:"Ask the conversation and the file the questions of a JSON file, [{\"question\", \"answer\"}], and report the loss." placeholder:"FILE"`
	proposeFlags
	distillModel
}

// distillOut is the result, for machines.
type distillOut struct {
	File          string                 `json:"file"`
	Source        string                 `json:"source"`
	Losses        []codec.Loss           `json:"losses"`
	Comprehension *distill.Comprehension `json:"comprehension,omitempty"`
	distill.Report
}

// Run writes a context file from conversations.
func (c *DistillCmd) Run(a *cli.App) error {
	o, err := c.options(a)
	if err != nil {
		return err
	}
	questions, err := c.questions()
	if err != nil {
		return err
	}
	if c.Propose {
		return c.propose(a, o)
	}
	in, err := a.Source(c.In)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := c.choose(in.Source); err != nil {
		return err
	}
	name, r, err := Conversations(in.Source)
	if err != nil {
		return cli.WithStatus(cli.ExitInvalid, err)
	}
	defer r.Close()
	run := distillRun{cmd: c, distiller: distill.New(o), asked: len(questions) > 0, shown: a.ProgressIn("distilled", "conversations")}
	defer run.shown.End()
	if err := run.all(a.Ctx, r); err != nil {
		return err
	}
	run.shown.End()
	contents, report, err := run.distiller.Finish()
	if err != nil {
		return cli.WithStatus(cli.ExitInvalid, err)
	}
	if err := a.Place(c.Out, func(w io.Writer) error {
		_, err := aicf.EncodeTo(w, contents, aicf.WriteOptions{})
		return err
	}); err != nil {
		return err
	}
	out := distillOut{File: c.Out, Source: name, Losses: append([]codec.Loss{}, r.Losses()...), Report: report}
	if run.asked {
		found := distill.Comprehend(questions, run.said, distill.Passages(contents.Entries))
		out.Comprehension = &found
	}
	return out.tell(a)
}

// options collects the redactions and the model.
func (c *DistillCmd) options(a *cli.App) (distill.Options, error) {
	o := distill.Options{Verbatim: c.NoRedact, Now: a.Now}
	if err := c.proposeFlags.fit(c); err != nil {
		return o, err
	}
	switch {
	case a.JSON && cli.IsStdout(c.Out) && !c.Propose:
		return o, cli.Usagef("with --json, name the file to write: -o FILE")
	case c.All && c.Conversation != "":
		return o, cli.Usagef("say --all or --conversation, not both")
	case c.NoRedact && len(c.Keep)+len(c.Pattern) > 0:
		return o, cli.Usagef("--no-redact replaces nothing; leave it out, or --keep and --redact-pattern")
	}
	for _, kind := range c.Keep {
		keep := map[string]*bool{"email": &o.Redactor.KeepEmails, "phone": &o.Redactor.KeepPhones, "ssn": &o.Redactor.KeepSSNs, "secret": &o.Redactor.KeepSecrets}[kind]
		if keep == nil {
			return o, cli.Usagef("--keep takes email, phone, ssn and secret, not %s", cli.Clean(kind))
		}
		*keep = true
	}
	for _, pattern := range c.Pattern {
		compiled, err := regexp.Compile(pattern)
		if err != nil {
			return o, cli.Usagef("--redact-pattern: %v", err)
		}
		o.Redactor.Patterns = append(o.Redactor.Patterns, aicf.Pattern{Regexp: compiled})
	}
	var err error
	o.Propose, err = c.proposer(a)
	return o, err
}

// mostQuestions is the most bytes of a file of questions.
const mostQuestions = 1 << 20

func (c *DistillCmd) questions() ([]distill.Question, error) {
	if c.Questions == "" {
		return nil, nil
	}
	f, err := os.Open(c.Questions)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var questions []distill.Question
	if err := json.NewDecoder(io.LimitReader(f, mostQuestions)).Decode(&questions); err != nil || len(questions) == 0 || slices.ContainsFunc(questions, func(q distill.Question) bool { return q.Question == "" || q.Answer == "" }) {
		return nil, cli.Invalidf(`%s: expected [{"question": "…", "answer": "words of it"}]`, c.Questions)
	}
	return questions, nil
}

// distillRun is one run over an export.
type distillRun struct {
	cmd       *DistillCmd
	distiller *distill.Distiller
	asked     bool
	said      []string // texts against which questions are checked
	found     bool
	shown     *cli.Progress
}

// all distils the chosen conversations, one by one.
func (d *distillRun) all(ctx context.Context, r chat.Reader) error {
	for {
		one, err := r.Next()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return cli.WithStatus(cli.ExitInvalid, err)
		}
		if d.cmd.Conversation != "" && one.ID != d.cmd.Conversation {
			continue
		}
		d.found = true
		if d.asked {
			d.said = append(d.said, distill.Sentences(distill.Transcript(one))...)
		}
		if err := d.distiller.Add(one); err != nil {
			return err
		}
		d.shown.Reached(d.shown.Done + 1)
	}
	if !d.found && d.cmd.Conversation != "" {
		return cli.Invalidf("no conversation has the id %s", cli.Clean(d.cmd.Conversation))
	}
	return nil
}

// tell reports the result.
func (o *distillOut) tell(a *cli.App) error {
	TellLost(a, o.Losses)
	if a.JSON {
		return a.Emit(o)
	}
	a.Say("distilled %s of %d turns: %s, %s, %s", cli.Plural(o.Conversations, "conversation", "conversations"), o.Turns,
		cli.Plural(o.Decisions, "decision", "decisions"), cli.Plural(o.Insights-o.Open, "insight", "insights"), cli.Plural(o.Open, "open end", "open ends"))
	a.Say("tokens %d -> %d, ratio %.3f (1 - after/before), estimated without a tokeniser (%s); %.1f %% of the words are left", o.TokensBefore, o.TokensAfter, o.Ratio, o.Estimate, 100*o.WordsKept)
	if o.Proposed+o.Dropped > 0 {
		a.Say("of what the model proposed, %d were taken and %d dropped", o.Proposed, o.Dropped)
	}
	if o.Undated > 0 {
		a.Say("%s had no date and got that of now", cli.Plural(o.Undated, "conversation", "conversations"))
	}
	if c := o.Comprehension; c != nil {
		a.Say("of %d questions the conversation answers %d, the file %d of those: %.1f %% lost", c.Questions, c.Original, c.Context, c.Loss)
	}
	TellRedacted(a, o.Redacted)
	return nil
}
