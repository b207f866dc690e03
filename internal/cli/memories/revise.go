package memories

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// ReviseCmd is the command satchel revise.
type ReviseCmd struct {
	ID         string            `arg:"" help:"The id, or its first characters."`
	Words      []string          `arg:"" optional:"" name:"text" help:"The new text. - reads standard input."`
	Text       string            `help:"The new text, as a flag." placeholder:"TEXT"`
	ValidFrom  cli.When          `help:"True since this time. Default: now." placeholder:"TIME"`
	ValidTo    cli.When          `help:"True until this time. Without a new text or --valid-from the memory begins when it began." placeholder:"TIME"`
	Visibility memory.Visibility `default:"" enum:",private,shared,public" help:"Who may read it: private, shared (holders of a token) or public." placeholder:"V"`
	Patch      string            `help:"A JSON merge patch on the record, instead of the other flags. - reads standard input." placeholder:"JSON"`
	cli.SecretFlag
	Force bool `help:"Accept a patch with members that UMP does not name."`
}

// Run makes a successor.
func (c *ReviseCmd) Run(a *cli.App) error {
	if err := c.oneText(); err != nil {
		return err
	}
	ends := c.Text == "" && c.Patch == "" && c.ValidFrom.IsZero() && !c.ValidTo.IsZero()
	var patch json.RawMessage
	if !ends {
		var err error
		if patch, err = c.patch(a); err != nil {
			return err
		}
	}
	return a.With(cli.Writing, func(o *cli.Session) error {
		id, err := o.FindID(a.Ctx, c.ID)
		if err != nil {
			return err
		}
		if ends {
			if patch, err = c.end(a, o, id); err != nil {
				return err
			}
		}
		done, err := c.revise(a, o, id, patch, ends)
		if err != nil {
			return err
		}
		if a.JSON {
			return a.Emit(withWarnings(map[string]any{"id": done.ID, "supersedes": done.Supersedes}, done.Warnings))
		}
		a.PrintStored(o, done.ID)
		return nil
	})
}

// revise makes the successor, unless it would change nothing.
func (c *ReviseCmd) revise(a *cli.App, o *cli.Session, id memory.ID, patch json.RawMessage, ends bool) (memory.RevisionResult, error) {
	rec, err := o.Get(a.Ctx, o.Caller(), id, memory.CurrentView)
	if err != nil {
		return memory.RevisionResult{}, err
	}
	if c.Visibility != "" && c.Text == "" && c.ValidFrom.IsZero() && c.ValidTo.IsZero() {
		if visibilityOf(rec) == c.Visibility && rec.Lifecycle.Status.Or() == memory.Active {
			a.Say("it is %s already", c.Visibility)
			return memory.RevisionResult{ID: id, Supersedes: []memory.ID{}}, nil
		}
	}
	done, err := o.Revise(a.Ctx, o.Caller(), memory.Revision{ID: id, Patch: patch, KeepSecrets: c.KeepSecrets})
	if err != nil {
		return done, err
	}
	warnAll(a, done.Warnings)
	if !ends {
		if err := warnGaps(o, a, rec, done.ID); err != nil {
			return done, err
		}
	}
	return done, tellWider(o, a, done.ID)
}

// end builds the patch that ends a memory's validity and changes nothing else: the
// beginning stays.
func (c *ReviseCmd) end(a *cli.App, o *cli.Session, id memory.ID) (json.RawMessage, error) {
	rec, err := o.Get(a.Ctx, o.Caller(), id, memory.CurrentView)
	if err != nil {
		return nil, err
	}
	c.ValidFrom = cli.When{Time: rec.Time.From()}
	return c.patch(a)
}

// oneText takes the new text from the argument or the flag, whichever is given.
func (c *ReviseCmd) oneText() error {
	if len(c.Words) == 0 {
		return nil
	}
	if c.Text != "" {
		return cli.Usagef("the new text is given twice: as an argument and with --text")
	}
	if c.Text = strings.Join(c.Words, " "); strings.TrimSpace(c.Text) == "" {
		return cli.Usagef("the new text is empty; to forget a memory use satchel forget")
	}
	return nil
}

// warnGaps warns if the earlier version is never valid any more, and if the new version
// leaves a time without a valid one.
func warnGaps(o *cli.Session, a *cli.App, prior memory.Record, id memory.ID) error {
	next, err := o.Get(a.Ctx, o.Caller(), id, memory.CurrentView)
	if err != nil || next.ID == prior.ID {
		return err
	}
	was, is := prior.Time, next.Time
	if !is.From().After(was.From()) {
		a.Warn("the new version begins no later than the old one (%s): the old one is not true at any time now", cli.Local(was.From()))
	}
	if !was.ValidTo.IsZero() && is.From().After(was.ValidTo) {
		a.Warn("nothing is known from %s to %s: the old version ended before the new one begins; --valid-from moves the beginning", cli.Local(was.ValidTo), cli.Local(is.From()))
	}
	if !is.ValidTo.IsZero() && (was.ValidTo.IsZero() || was.ValidTo.After(is.ValidTo)) {
		until := ""
		if !was.ValidTo.IsZero() {
			until = " to " + cli.Local(was.ValidTo)
		}
		a.Warn("nothing is known from %s%s: the new version ends there, and the old one does not begin again", cli.Local(is.ValidTo), until)
	}
	return nil
}

// tellWider warns of earlier versions with more readers than this one: old versions stay as
// they were.
func tellWider(o *cli.Session, a *cli.App, id memory.ID) error {
	versions, err := o.History(a.Ctx, o.Caller(), id)
	if err != nil {
		return err
	}
	now := memory.Private
	for _, rec := range versions {
		if rec.ID == id {
			now = visibilityOf(rec)
		}
	}
	var open []string
	for _, rec := range versions {
		if rec.ID != id && visibilityOf(rec).WiderThan(now) && rec.Lifecycle.Status.Or() == memory.Active {
			open = append(open, string(rec.ID))
		}
	}
	if len(open) > 0 {
		a.Warn("%s can still be read by whom it was shown to; to end that: satchel forget %s",
			cli.Plural(len(open), "earlier version", "earlier versions"), strings.Join(open, " "))
	}
	return nil
}

// visibilityOf returns who may read a record.
func visibilityOf(rec memory.Record) memory.Visibility {
	if rec.Scope.Visibility == "" {
		return memory.Private
	}
	return rec.Scope.Visibility
}

// patch builds the merge patch of the flags.
func (c *ReviseCmd) patch(a *cli.App) (json.RawMessage, error) {
	if c.Patch != "" {
		return c.given(a)
	}
	if err := checkValidity(c.ValidFrom, c.ValidTo, cli.When{Time: a.Now()}); err != nil {
		return nil, err
	}
	patch := map[string]any{}
	if c.Text != "" {
		text, err := a.Text(c.Text, MaxText)
		if err != nil {
			return nil, err
		}
		if strings.TrimSpace(text) == "" {
			return nil, cli.Usagef("the new text is empty; to forget a memory use satchel forget")
		}
		patch["body"] = map[string]string{"text": text}
	}
	if times := c.times(); len(times) > 0 {
		patch["time"] = times
	}
	if c.Visibility != "" {
		patch["scope"] = map[string]memory.Visibility{"visibility": c.Visibility}
	}
	if len(patch) == 0 {
		return nil, cli.Usagef("say what changes: the new text, --valid-from, --valid-to, --visibility or --patch")
	}
	return json.Marshal(patch)
}

// times returns the validity of the new version, as far as the flags state it.
func (c *ReviseCmd) times() map[string]string {
	times := map[string]string{}
	for name, t := range map[string]cli.When{"valid_from": c.ValidFrom, "valid_to": c.ValidTo} {
		if !t.IsZero() {
			times[name] = t.Format(time.RFC3339Nano)
		}
	}
	return times
}

// given returns the patch of the command line.
func (c *ReviseCmd) given(a *cli.App) (json.RawMessage, error) {
	if c.Text != "" || len(c.times()) > 0 || c.Visibility != "" {
		return nil, cli.Usagef("--patch says everything; give it alone")
	}
	text, err := a.Text(c.Patch, MaxText)
	if err != nil {
		return nil, err
	}
	if !json.Valid([]byte(text)) {
		return nil, cli.Invalidf("the patch is not JSON")
	}
	if c.Force {
		return json.RawMessage(text), nil
	}
	return knownPatch([]byte(text))
}

// knownPatch returns a patch as its author means it. It refuses a new member that UMP does
// not define, and says how to add one anyway.
func knownPatch(patch []byte) ([]byte, error) {
	meant, err := ump.AsPatch(patch)
	if e, ok := errors.AsType[*codec.ParseError](err); ok && e.Rule == "UMP-2-27" {
		return nil, cli.Refusedf("%s %s (--force adds it all the same, for programs that know it)", cli.OneLine(strings.TrimPrefix(e.Path, "/"), 60), e.Err)
	}
	return meant, err
}
