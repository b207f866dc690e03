package beliefs

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/cli"
)

// BeliefCmd is the command satchel belief.
type BeliefCmd struct {
	List    beliefListCmd    `cmd:"" default:"withargs" help:"List beliefs in every state, with proposed corrections."`
	Add     beliefAddCmd     `cmd:"" help:"Add a belief."`
	Correct beliefCorrectCmd `cmd:"" help:"Give a belief another value. The history keeps the old value."`
	Confirm beliefConfirmCmd `cmd:"" help:"Confirm that a belief still holds."`
	Archive beliefArchiveCmd `cmd:"" help:"Archive a belief. Correcting or confirming brings it back."`
	Delete  beliefDeleteCmd  `cmd:"" help:"Delete a belief and its history. Assistants learn that it is gone."`
}

// beliefRef names a belief on the command line.
type beliefRef struct {
	ID string `arg:"" name:"id|key" help:"The belief: its id, the first characters of it, or its key if no other belief has that key."`
}

// whole is the owner's complete view of the memory in Engram's terms.
func whole(o *cli.Session, a *cli.App) (engram.View, error) {
	return o.Beliefs().Context(a.Ctx, o.Caller(), engram.Query{})
}

// find returns the ID of the named belief.
func (r beliefRef) find(a *cli.App, o *cli.Session) (string, error) {
	if engram.IsID(r.ID) {
		return r.ID, nil // the vault also knows beliefs that must not leave
	}
	v, err := whole(o, a)
	if err != nil {
		return "", err
	}
	named := matches(v.Beliefs, r.ID)
	switch len(named) {
	case 1:
		return named[0].ID, nil
	case 0:
		return "", &engram.Fault{Code: engram.BeliefNotFound, Rule: "ENGRAM-3.9-ERR-12", Detail: fmt.Sprintf("no belief has the key %q, or an ID that begins so; satchel belief list shows them", cli.Clean(r.ID))}
	}
	return "", several(r.ID, named)
}

// matches are the beliefs with a key, or, without one, those whose IDs begin with arg.
func matches(beliefs []engram.Belief, arg string) []engram.Belief {
	var named, begun []engram.Belief
	for _, b := range beliefs {
		switch {
		case b.Status != engram.Deleted && strings.EqualFold(b.Key, arg):
			named = append(named, b)
		case len(arg) >= cli.LeastPrefix && strings.HasPrefix(b.ID, strings.ToLower(arg)):
			begun = append(begun, b)
		}
	}
	if len(named) > 0 {
		return named
	}
	return begun
}

// several lists the beliefs that an argument matches.
func several(arg string, found []engram.Belief) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%q means several beliefs; give the ID of the one you mean:", cli.Clean(arg))
	for i, belief := range found {
		if i == cli.MostShown {
			b.WriteString("\n  …")
			break
		}
		fmt.Fprintf(&b, "\n  %s  %s", belief.ID, beliefLine(belief))
	}
	return &cli.Failure{Status: cli.ExitFailed, Err: errors.New(b.String())}
}

// beliefLine is a belief in one line.
func beliefLine(b engram.Belief) string {
	return fmt.Sprintf("%s (%s): %s", cli.OneLine(b.Key, 40), cli.OneLine(string(b.Category), 40), cli.OneLine(b.Text, 60))
}

// wired is one of Engram's objects for machines, as in exports.
func wired(v canon.Value) json.RawMessage { return v.Append(nil) }

// wires is [wired] for a list.
func wires[T interface{ Wire() canon.Value }](list []T) []json.RawMessage {
	out := make([]json.RawMessage, len(list))
	for i, item := range list {
		out[i] = wired(item.Wire())
	}
	return out
}

// checkCategory refuses a category outside the standard, unless --category-ext is set.
func checkCategory(c engram.Category, ext bool) error {
	if c.Standard() || ext && strings.TrimSpace(string(c)) != "" {
		return nil
	}
	return cli.Usagef("%q is no category of the standard; those are %s. --category-ext takes another all the same", cli.Clean(string(c)), categoryNames())
}

func categoryNames() string {
	all := engram.Categories()
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = string(c)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// stands shows a belief after a change.
func stands(a *cli.App, b engram.Belief) error {
	if a.JSON {
		return a.Emit(wired(b.Wire()))
	}
	a.PrintStoredPart(b.ID)
	a.Say("%s [%s]", beliefLine(b), b.Status)
	return nil
}
