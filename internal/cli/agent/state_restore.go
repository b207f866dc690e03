package agent

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/agentdoc"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

type agentStateRestoreCmd struct {
	ID      string `arg:"" help:"The id of a checkpoint in the store, or its first characters."`
	Session string `help:"Continue the session of the run with this run_id, and take its session memory too. Default: a new session." placeholder:"ID"`
	Clear   bool   `help:"Restore even if the agent's policy is encrypt. Memories in the store are not encrypted."`
	DryRun  bool   `short:"n" help:"Show the proposals and change nothing."`
}

// Run proposes the memories of a run. Another platform's memories are not known to be
// true here: they wait for the owner, like memories found in conversations.
func (c *agentStateRestoreCmd) Run(a *cli.App) error {
	need := cli.Writing
	if c.DryRun {
		need = cli.Signing
	}
	return withKeeper(a, need, func(o *cli.Session, s *agents.Service) error {
		l, err := stateKept(a, o, s, c.ID)
		if err != nil {
			return err
		}
		read, err := c.readable(a, o, s, l)
		if err != nil {
			return err
		}
		if err := c.sameSession(read); err != nil {
			return agentdoc.Refused(a, err, "nothing is proposed")
		}
		drafts, lost, err := agents.Memories(read, l.Received, aaif.MemoryOptions{Now: a.Now(), Owner: o.Owner, SameUser: true, Session: c.Session})
		if err != nil {
			return agentdoc.Refused(a, err, "nothing is proposed")
		}
		return c.propose(a, o, drafts, lost)
	})
}

// sameSession refuses another session than the checkpoint's: the memory of a session ends
// with it, and a checkpoint only names its run's (AAIF-8.2-9).
func (c *agentStateRestoreCmd) sameSession(read aaif.State) error {
	i := slices.IndexFunc(read.Memory, func(item aaif.MemoryItem) bool { return item.Scope == aaif.SessionScope })
	if c.Session == "" || i < 0 || c.Session == read.RunID {
		return nil
	}
	text := "memory of a session, and the checkpoint does not say of which: leave --session out, and it stays behind"
	if read.RunID != "" {
		text = "memory of the session of run " + aaif.Shown(read.RunID) + ", and not of the one that --session names"
	}
	return aaif.Violation("aaif", aaif.PrincipalMismatch, "8.2-9", "/memory_snapshot/"+strconv.Itoa(i), "%s", text)
}

// readable returns a checkpoint if its policy lets its memories be kept in the clear
// (AAIF-4.5-16, AAIF-12-10). It comes from the platform that issued its token.
func (c *agentStateRestoreCmd) readable(a *cli.App, o *cli.Session, s *agents.Service, l aaif.KeptState) (aaif.State, error) {
	definition, err := policyFlags{}.policy(a, o, s, l.Document)
	if err != nil {
		return aaif.State{}, err
	}
	pii := definition.Agent.Compliance.PII
	if pii == aaif.PIIEncrypt && !c.Clear {
		return aaif.State{}, sealRefusal("--clear proposes its memories all the same")
	}
	document, masked, err := agents.ByPolicy(l.Document, pii)
	if err != nil {
		return aaif.State{}, agentdoc.Refused(a, err, "nothing is proposed")
	}
	if masked != "" {
		a.Warn("%s", cli.Clean(masked))
	}
	read := aaif.ReadState(document)
	read.Provenance.SourcePlatform = l.Source
	return read, nil
}

// propose makes memories wait for the owner, and says which do.
func (c *agentStateRestoreCmd) propose(a *cli.App, o *cli.Session, drafts []memory.Record, lost []codec.Loss) error {
	waited, err := waitingAlready(a, o, drafts)
	if err != nil {
		return err
	}
	done, err := o.Suggest(a.Ctx, o.Caller(), drafts, c.DryRun)
	if err != nil {
		return err
	}
	done.Known = max(done.Known-waited, 0) // it counts them as known, too
	if a.JSON {
		return c.emit(a, done, waited, len(lost))
	}
	for _, rec := range done.Waiting {
		if c.DryRun {
			a.Print("%s, would wait for you\n  says      %s", rec.Kind, cli.OneLine(rec.Body.Text, 400))
			continue
		}
		cli.ShowProposed(a, rec)
	}
	for _, l := range lost {
		a.Warn("left out: %s", cli.Clean(strings.TrimSpace(l.Pointer+": "+l.Reason)))
	}
	waits := cli.Plural(waited+len(done.Waiting), "memory waits", "memories wait")
	if c.DryRun {
		waits = cli.Plural(len(done.Waiting), "memory would wait", "memories would wait") + ", beside " + strconv.Itoa(waited) + " that did before,"
	} else if waited > 0 {
		waits += ", " + strconv.Itoa(waited) + " of them from before,"
	}
	a.Say("%s for you to decide, %d known already, %d rejected before: satchel corrections list, confirm and reject", waits, done.Known, done.Declined)
	return nil
}

// emit prints the proposals as JSON.
func (c *agentStateRestoreCmd) emit(a *cli.App, done vault.Suggested, waited, lost int) error {
	records := []json.RawMessage{}
	for _, rec := range done.Waiting {
		one, err := cli.RawRecord(rec)
		if err == nil && c.DryRun {
			one, err = withoutID(one)
		}
		if err != nil {
			return err
		}
		records = append(records, one)
	}
	return a.Emit(map[string]any{"dry_run": c.DryRun, "proposed": records, "waiting": waited, "known": done.Known, "rejected": done.Declined, "left_out": lost})
}

// withoutID removes the id from a record that was not kept, which would get another.
func withoutID(record json.RawMessage) (json.RawMessage, error) {
	v, err := canon.Parse(record, canon.Options{})
	return agentdoc.RawValue(v.Without("id")), err
}

// waitingAlready counts the memories that already wait for the owner.
func waitingAlready(a *cli.App, o *cli.Session, drafts []memory.Record) (int, error) {
	list, err := o.Waiting(a.Ctx, o.Caller())
	if err != nil {
		return 0, err
	}
	texts := map[string]bool{}
	for _, rec := range list {
		texts[rec.Body.Text] = true
	}
	n := 0
	for _, rec := range drafts {
		if texts[rec.Body.Text] {
			n++
			delete(texts, rec.Body.Text)
		}
	}
	return n, nil
}
