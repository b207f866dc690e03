package beliefs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/waiting"
	"github.com/satchel-memory/satchel/memory"
)

// decideFlags name the proposals to decide.
type decideFlags struct {
	ID   []string `arg:"" optional:"" help:"An id that corrections list shows, or its first characters."`
	All  bool     `help:"Everything that waits. The list is shown and you are asked, unless --yes is given."`
	Yes  bool     `short:"y" help:"With --all: do not ask."`
	Note string   `help:"The reason, kept with the decision." placeholder:"TEXT"`
	cli.SecretFlag
}

type correctionsConfirmCmd struct{ decideFlags }

// Run confirms proposals.
func (c *correctionsConfirmCmd) Run(a *cli.App) error { return c.decide(a, true) }

type correctionsRejectCmd struct{ decideFlags }

// Run rejects proposals.
func (c *correctionsRejectCmd) Run(a *cli.App) error { return c.decide(a, false) }

// decide decides one proposal after the other. Decisions before a failure stay.
func (f decideFlags) decide(a *cli.App, confirm bool) error {
	if f.All == (len(f.ID) > 0) {
		return cli.Usagef("name what to decide, or say --all")
	}
	f.Mask(a, &f.Note)
	return a.With(cli.Writing, func(o *cli.Session) error {
		list, err := f.meant(a, o, confirm)
		if err != nil {
			return err
		}
		out := []json.RawMessage{}
		ctx := vault.WithUndoName(a.Ctx, vault.NewUndoName()) // satchel undo takes all of them back
		for _, w := range list {
			done, err := f.one(ctx, a, o, w, confirm)
			if err != nil {
				decidedSoFar(a, len(out), len(list), confirm)
				return err
			}
			out = append(out, done)
		}
		switch {
		case a.JSON && len(out) == 1 && !f.All:
			return a.Emit(out[0])
		case a.JSON:
			return a.Emit(map[string]any{"decided": out})
		}
		sayUndo(a, list)
		return nil
	})
}

// sayUndo says how decisions are taken back. Those about rules and versions cannot be.
func sayUndo(a *cli.App, list []waiting.Item) {
	rules := 0
	for _, i := range list {
		if i.Rule != nil || i.Version != nil {
			rules++
		}
	}
	switch {
	case rules == len(list):
	case len(list) == 1:
		a.Say("satchel undo lets it wait again, for half an hour")
	case rules > 0:
		a.Say("satchel undo lets all of them wait again but the rules, for half an hour")
	default:
		a.Say("satchel undo lets all of them wait again, for half an hour")
	}
}

// decidedSoFar says, after a failure, which proposals were decided and which still wait.
func decidedSoFar(a *cli.App, done, all int, confirm bool) {
	if all < 2 {
		return
	}
	verb := "confirmed"
	if !confirm {
		verb = "rejected"
	}
	a.Warn("broken off: %d of %d %s, and %d still wait; satchel corrections list shows them, the same command goes on", done, all, verb, all-done)
}

// meant lists the proposals to decide.
func (f decideFlags) meant(a *cli.App, o *cli.Session, confirm bool) ([]waiting.Item, error) {
	if f.All {
		return f.everything(a, o, confirm)
	}
	var list []waiting.Item
	for _, id := range f.ID {
		w, err := findWaiting(a, o, id)
		if err != nil {
			return nil, err
		}
		list = append(list, w)
	}
	return list, nil
}

// everything lists all proposals. Without --yes it shows them and asks.
func (f decideFlags) everything(a *cli.App, o *cli.Session, confirm bool) ([]waiting.Item, error) {
	list, err := waiting.New(o.Vault).List(a.Ctx, o.Caller(), false)
	if err != nil {
		return nil, err
	}
	waits := len(list)
	list = slices.DeleteFunc(list, func(i waiting.Item) bool { return i.Version != nil }) // one of several has to be chosen
	for _, i := range list {
		if !a.JSON && !f.Yes {
			showItem(a, i)
		}
	}
	switch {
	case waits == 0:
		a.Say("nothing waits for you")
	case waits > len(list):
		a.Say("of versions made apart you decide each by its ID: satchel corrections list")
	}
	if len(list) == 0 {
		return nil, nil
	}
	if f.Yes {
		return list, nil
	}
	if !a.Interactive() {
		return nil, cli.Usagef("there is nobody to ask here; look at satchel corrections list, and say --yes")
	}
	question := "Let all of it hold?"
	if !confirm {
		question = "Reject all of it?"
	}
	agreed, err := a.Confirm(question)
	if err == nil && !agreed {
		err = cli.Refusedf("nothing was decided")
	}
	return list, err
}

// findWaiting finds a proposal by an ID or a prefix of it.
func findWaiting(a *cli.App, o *cli.Session, arg string) (waiting.Item, error) {
	all, err := waiting.New(o.Vault).List(a.Ctx, o.Caller(), true)
	if err != nil {
		return waiting.Item{}, err
	}
	arg = strings.TrimPrefix(strings.TrimSpace(arg), memory.IDPrefix)
	var found []waiting.Item
	for _, i := range all {
		id := strings.TrimPrefix(i.ID, memory.IDPrefix)
		if id == arg {
			return i, nil
		}
		if len(arg) >= cli.LeastPrefix && strings.HasPrefix(id, arg) {
			found = append(found, i)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		if as := confirmedAs(a, o, arg); as != "" {
			return waiting.Item{}, cli.Refusedf("%s is already confirmed as %s", cli.Clean(arg), cli.ShortID(as))
		}
		if wasRejected(a, o, arg) {
			return waiting.Item{}, cli.Refusedf("%s is already rejected; satchel remember TEXT keeps it all the same", cli.Clean(arg))
		}
		return waiting.Item{}, &memory.Error{Kind: memory.NotFound, Op: "resolve", Message: fmt.Sprintf("no correction has an ID that begins with %q; satchel corrections list shows those that wait", cli.Clean(arg))}
	}
	return waiting.Item{}, &cli.Failure{Status: cli.ExitFailed, Err: fmt.Errorf("%q is the beginning of several IDs; give more of the one you mean", cli.Clean(arg))}
}

// confirmedAs returns the successor of a confirmed fact, "" if there is none.
func confirmedAs(a *cli.App, o *cli.Session, arg string) memory.ID {
	rec, ok := proposal(a, o, arg)
	if !ok || len(rec.SupersededBy) == 0 {
		return ""
	}
	return rec.SupersededBy[0]
}

// wasRejected reports whether a proposed fact was rejected.
func wasRejected(a *cli.App, o *cli.Session, arg string) bool {
	rec, ok := proposal(a, o, arg)
	return ok && rec.Lifecycle.Status == memory.Tombstoned
}

// proposal finds a proposed fact by an ID or a prefix of it.
func proposal(a *cli.App, o *cli.Session, arg string) (memory.Record, bool) {
	id, err := o.FindID(a.Ctx, arg)
	if err != nil {
		return memory.Record{}, false
	}
	rec, err := o.Get(a.Ctx, o.Caller(), id, memory.CurrentView)
	return rec, err == nil && rec.Provenance != nil && rec.Provenance.Method == vault.Found
}

// one decides one proposal, and returns its new state.
func (f decideFlags) one(ctx context.Context, a *cli.App, o *cli.Session, i waiting.Item, confirm bool) (json.RawMessage, error) {
	var done waiting.Decision
	var err error
	if w, c := waiting.New(o.Vault), f.Owner(o); confirm {
		done, err = w.Confirm(ctx, c, i, "", f.Note)
	} else {
		done, err = w.Reject(ctx, c, i, f.Note)
	}
	if f, ok := errors.AsType[*engram.Fault](err); ok && f.Code == engram.InvalidRequest {
		return nil, cli.WithStatus(cli.ExitRefused, err) // it is decided already
	}
	if err != nil {
		return nil, err
	}
	return decisionOut(a, done)
}

// decisionOut says what became of a proposal, to people or for machines.
func decisionOut(a *cli.App, d waiting.Decision) (json.RawMessage, error) {
	say := func(format string, args ...any) {
		if !a.JSON {
			a.Print(format, args...)
		}
	}
	switch {
	case d.Correction != nil:
		k := *d.Correction
		say("%s %s: %s is %s", cli.ShortPartID(k.ID), k.Status, cli.OneLine(k.Key, 60), cli.OneLine(k.Now, 0))
		return caseOut(k), nil
	case d.Rule != nil:
		say("%s %s: %s", cli.ShortPartID(d.ID), cli.Clean(d.Rule.Status), cli.OneLine(d.Rule.Rule, 0))
		return wired(d.Rule.Wire()), nil
	case d.Version != nil && d.Confirmed:
		say("%s stands, as %s: %s", cli.ShortID(d.Version.ID), cli.ShortID(d.Record), cli.OneLine(d.Version.Body.Text, 80))
		return json.Marshal(map[string]any{"id": d.Record, "supersedes": d.Replaced, "status": "confirmed"})
	case d.Version != nil:
		say("all versions are kept: %s", cli.OneLine(d.Version.Body.Text, 80))
		return json.Marshal(map[string]any{"id": d.Version.ID, "status": "kept"})
	case d.Confirmed:
		say("%s confirmed as %s: %s", cli.ShortID(d.Fact.ID), cli.ShortID(d.Record), cli.OneLine(d.Fact.Body.Text, 80))
		return json.Marshal(map[string]any{"id": d.Record, "supersedes": d.Replaced, "status": "confirmed"})
	}
	say("%s rejected: %s", cli.ShortID(d.Fact.ID), cli.OneLine(d.Fact.Body.Text, 80))
	return json.Marshal(map[string]any{"id": d.Fact.ID, "status": "rejected"})
}
