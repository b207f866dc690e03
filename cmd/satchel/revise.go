package main

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

type reviseCmd struct {
	ID        string `arg:"" help:"The ID, or the beginning of it."`
	Text      string `help:"What is true now; - reads standard input." placeholder:"TEXT"`
	ValidFrom when   `help:"Since when. Default: now." placeholder:"TIME"`
	Fork      bool   `help:"Revise an old version, beside the newer one."`
	Patch     string `help:"A JSON merge patch on the record, instead of --text; - reads standard input." placeholder:"JSON"`
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
		newest, err := o.newest(a.ctx, id)
		if err != nil {
			return err
		}
		if newest != id && !c.Fork {
			return refusedf("a newer version of it exists, %s: revise that one, or say --fork", newest)
		}
		done, err := o.Revise(a.ctx, o.owner(), memory.Revision{ID: id, Patch: patch})
		if err != nil {
			return err
		}
		if a.json {
			return a.emit(map[string]any{"id": done.ID, "supersedes": done.Supersedes})
		}
		a.print("%s", done.ID)
		return nil
	})
}

// patch builds the merge patch that the flags stand for.
func (c *reviseCmd) patch(a *app) (json.RawMessage, error) {
	if c.Patch != "" {
		if c.Text != "" || !c.ValidFrom.IsZero() {
			return nil, usagef("--patch says everything; give it alone")
		}
		text, err := a.text(c.Patch, maxText)
		if err == nil && !json.Valid([]byte(text)) {
			err = invalidf("the patch is not JSON")
		}
		return json.RawMessage(text), err
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
	if len(patch) == 0 {
		return nil, usagef("say what changes: --text, --valid-from or --patch")
	}
	return json.Marshal(patch)
}
