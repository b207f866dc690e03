package main

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

type reviseCmd struct {
	ID         string            `arg:"" help:"The id, or its first characters."`
	Text       string            `help:"The new text. - reads standard input." placeholder:"TEXT"`
	ValidFrom  when              `help:"True since this time. Default: now." placeholder:"TIME"`
	Visibility memory.Visibility `default:"" enum:",private,shared,public" help:"Who may read it: private, shared (holders of a token) or public." placeholder:"V"`
	Patch      string            `help:"A JSON merge patch on the record, instead of the other flags. - reads standard input." placeholder:"JSON"`
	secretFlag
	Force bool `help:"Accept a patch with members that UMP does not name."`
}

// Run makes a successor.
func (c *reviseCmd) Run(a *app) error {
	patch, err := c.patch(a)
	if err != nil {
		return err
	}
	return a.with(writing, func(o *opened) error {
		id, err := o.resolve(a.ctx, c.ID)
		if err != nil {
			return err
		}
		done, err := c.revise(a, o, id, patch)
		if err != nil {
			return err
		}
		if a.json {
			return a.emit(withWarnings(map[string]any{"id": done.ID, "supersedes": done.Supersedes}, done.Warnings))
		}
		a.stored(o, done.ID)
		return nil
	})
}

// revise makes the successor, unless all that is asked for is so already.
func (c *reviseCmd) revise(a *app, o *opened, id memory.ID, patch json.RawMessage) (memory.Revised, error) {
	if c.Visibility != "" && c.Text == "" && c.ValidFrom.IsZero() {
		rec, err := o.Get(a.ctx, o.owner(), id, memory.CurrentView)
		if err != nil {
			return memory.Revised{}, err
		}
		if visibilityOf(rec) == c.Visibility && rec.Lifecycle.Status.Or() == memory.Active {
			a.say("it is %s already", c.Visibility)
			return memory.Revised{ID: id, Supersedes: []memory.ID{}}, nil
		}
	}
	done, err := o.Revise(a.ctx, o.owner(), memory.Revision{ID: id, Patch: patch, KeepSecrets: c.KeepSecrets})
	if err != nil {
		return done, err
	}
	a.warnAll(done.Warnings)
	return done, o.tellWider(a, done.ID)
}

// tellWider warns of earlier versions that others may read though they may not
// read this one: a version stays as it was.
func (o *opened) tellWider(a *app, id memory.ID) error {
	versions, err := o.History(a.ctx, o.owner(), id)
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
		a.warn("%s can still be read by whom it was shown to; to end that: satchel forget %s",
			plural(len(open), "earlier version", "earlier versions"), strings.Join(open, " "))
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

// patch builds the merge patch that the flags stand for.
func (c *reviseCmd) patch(a *app) (json.RawMessage, error) {
	if c.Patch != "" {
		return c.given(a)
	}
	patch := map[string]any{}
	if c.Text != "" {
		text, err := a.text(c.Text, maxText)
		if err != nil {
			return nil, err
		}
		if strings.TrimSpace(text) == "" {
			return nil, usagef("the new text is empty; to forget a memory use satchel forget")
		}
		patch["body"] = map[string]string{"text": strings.TrimSuffix(text, "\n")}
	}
	if !c.ValidFrom.IsZero() {
		patch["time"] = map[string]string{"valid_from": c.ValidFrom.Format(time.RFC3339Nano)}
	}
	if c.Visibility != "" {
		patch["scope"] = map[string]memory.Visibility{"visibility": c.Visibility}
	}
	if len(patch) == 0 {
		return nil, usagef("say what changes: --text, --valid-from, --visibility or --patch")
	}
	return json.Marshal(patch)
}

// given returns the patch of the command line.
func (c *reviseCmd) given(a *app) (json.RawMessage, error) {
	if c.Text != "" || !c.ValidFrom.IsZero() || c.Visibility != "" {
		return nil, usagef("--patch says everything; give it alone")
	}
	text, err := a.text(c.Patch, maxText)
	if err != nil {
		return nil, err
	}
	if !json.Valid([]byte(text)) {
		return nil, invalidf("the patch is not JSON")
	}
	if c.Force {
		return json.RawMessage(text), nil
	}
	return knownPatch([]byte(text))
}
