package documents

import (
	"encoding/json"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/vault"
)

// cutOff reports the state after a cancelled import.
func cutOff(a *cli.App, done importResult) {
	if a.Ctx.Err() == nil {
		return
	}
	r, ok := done.(takenRecords)
	switch {
	case ok && r.Number != 0 && !r.DryRun:
		a.Warn("the import was cut off: %s of it are imported and stay. The same command goes on from there, satchel import --undo %d takes them back",
			cli.Plural(r.Units+r.Before, "conversation", "conversations"), r.Number)
	case ok && r.DryRun:
		a.Warn("cut off: nothing was changed")
	default:
		a.Warn("the import was cut off: nothing of it was kept")
	}
}

// importOut is an import for machines.
type importOut struct {
	Number      int64             `json:"number,omitempty"`
	Format      string            `json:"format"`
	Name        string            `json:"name"`
	DryRun      bool              `json:"dry_run"`
	Known       bool              `json:"known"`
	Read        int               `json:"read"`
	Created     int               `json:"created"`
	Updated     int               `json:"updated"`
	Ended       int               `json:"ended,omitempty"`     // that have ended where they come from, and so here
	Narrowed    int               `json:"narrowed,omitempty"`  // that the document marks as shared, and are private here
	Foreign     int               `json:"foreign,omitempty"`   // that belong to other owners, and stay theirs
	Displaced   int               `json:"displaced,omitempty"` // whose id another owner's record had, which is gone
	Merged      int               `json:"merged"`
	Closed      int               `json:"closed"`
	Skipped     int               `json:"skipped"`
	Unreadable  int               `json:"unreadable"` // parts that break a rule; the losses name them
	Conflicting int               `json:"conflicting"`
	Skips       []vault.Passed    `json:"skips"`
	Conflicts   []vault.Passed    `json:"conflicts"`
	Units       int               `json:"units,omitempty"`  // of an archive: conversations imported now
	Before      int               `json:"before,omitempty"` // and those imported before
	Secrets     *secretsFound     `json:"secrets,omitempty"`
	Losses      []codec.Loss      `json:"losses"`
	Samples     []json.RawMessage `json:"samples"`
}

// allRead decides the exit status: a document with an unreadable part was not imported
// completely.
func allRead(a *cli.App, done importResult) error {
	r, ok := done.(takenRecords)
	if !ok {
		return nil
	}
	if r.changed {
		a.Warn("%s was changed while it was read, and what came in may be of both. Take it back with satchel import --undo %d, and import it again", cli.Clean(r.Name), r.Number)
		return cli.Silent(cli.ExitInvalid)
	}
	n := codec.LeftOutParts(r.Losses)
	if n == 0 {
		return nil
	}
	rest := "came in. From a better copy, import takes what is missing"
	if r.DryRun {
		rest = "would come in. satchel validate names every fault"
	}
	notWhole(a, r.Name, n, rest)
	return cli.Silent(cli.ExitInvalid)
}

// notWhole says that parts of a document were unreadable, and what became of the
// rest.
func notWhole(a *cli.App, name string, parts int, rest string) {
	a.Warn("%s is not whole: %s of it could not be read, and the rest %s", cli.Clean(name), cli.Plural(parts, "part", "parts"), rest)
}

// leftOutIn counts the unreadable parts of a document.
func leftOutIn(losses []LossOut) int {
	var read []codec.Loss
	for _, l := range losses {
		if l.Direction == OnReading {
			read = append(read, l.Loss)
		}
	}
	return codec.LeftOutParts(read)
}

// takenRecords is the result of a document that is no bundle.
type takenRecords struct {
	vault.ImportReport
	secrets *secretsFound // nil: there was no search
	talks   int           // conversations in the document
	changed bool          // it changed during the import
}

// none refuses a document without anything to import.
func (r takenRecords) none() error {
	if r.Known || r.Read+r.Before+r.Units > 0 || len(r.Losses) > 0 {
		return nil
	}
	return cli.Invalidf("%s holds no memories", cli.Clean(r.Name))
}

func (r takenRecords) machineReadable() (any, error) {
	shown, err := cli.RawRecords(r.Samples)
	return importOut{
		r.Number, r.Format, r.Name, r.DryRun, r.Known, r.Read, r.Created, r.Updated, r.Ended, r.Narrowed, r.Foreign, r.Displaced, r.Merged, r.Closed, r.Skipped, codec.LeftOutParts(r.Losses), r.Conflicting,
		append([]vault.Passed{}, r.Skips...), append([]vault.Passed{}, r.Conflicts...), r.Units, r.Before, r.secrets,
		append([]codec.Loss{}, r.Losses...), shown,
	}, err
}

func (r takenRecords) show(a *cli.App) {
	TellLost(a, r.Losses)
	if r.Known {
		a.Print("%s (%s) was imported before; nothing was added", cli.Clean(r.Name), r.Format)
		return
	}
	r.showPassed(a)
	r.secrets.show(a)
	verb := "imported"
	if r.DryRun {
		verb = "would import"
	}
	a.Print("%s %s (%s): %d read, %d new, %d known already, %d left out, %d in conflict", verb, cli.Clean(r.Name), r.Format,
		r.Read, r.Created, r.Merged, r.Skipped+codec.LeftOutParts(r.Losses), r.Conflicting)
	if r.Before > 0 {
		a.Print("  %s, after %d that were imported before", cli.Plural(r.Units, "conversation", "conversations"), r.Before)
	} else if r.talks > 0 {
		a.Print("  %s", cli.Plural(r.talks, "conversation", "conversations"))
	}
	if r.Updated > 0 {
		a.Print("  of those new, %d take the place of what was imported of the same thing earlier", r.Updated)
	}
	if r.Ended > 0 {
		a.Print("  of those new, %d had ended already, and are history: satchel list --all shows them", r.Ended)
	}
	if r.Foreign > 0 {
		a.Print("  of those new, %d belong to other owners and stay theirs: recall finds them, and nobody here can revise them", r.Foreign)
	}
	if r.Displaced > 0 {
		a.Print("  of those new, %d took their id back: another owner's record had it, and is gone", r.Displaced)
	}
	if r.Narrowed > 0 {
		verb := "are"
		if r.DryRun {
			verb = "would be"
		}
		a.Print("  of those new, %d %s private here, though the document shows them to others and your key has not signed that: satchel revise ID --visibility public publishes one", r.Narrowed, verb)
	}
	if r.Closed > 0 {
		a.Print("  of those known, %d ended their validity elsewhere, and so here", r.Closed)
	}
	if r.DryRun {
		r.showSamples(a)
	}
	if r.Number != 0 && r.Created > 0 && !r.DryRun {
		a.Say("to see it: satchel list --import %d; to take it back: satchel import --undo %d", r.Number, r.Number)
		if r.talks > 0 {
			a.Say("to find what you said about yourself in it: satchel distill --propose --import %d", r.Number)
		}
	}
}

func (r takenRecords) showSamples(a *cli.App) {
	for _, rec := range r.Samples {
		a.Print("  %s  %s", rec.Kind, cli.OneLine(rec.Body.Text, 100))
	}
	if r.Created > len(r.Samples) {
		a.Print("  … and %d more", r.Created-len(r.Samples))
	}
}

// showPassed says what was left out and why, and describes conflicts.
func (r takenRecords) showPassed(a *cli.App) {
	for _, p := range r.Skips {
		a.Warn("left out, %d×: %s", p.Count, p.Reason)
	}
	for _, p := range r.Conflicts {
		a.Warn("in conflict, %d×: %s", p.Count, p.Reason)
		for i, by := range p.Some {
			if i == told {
				break
			}
			a.Warn("  %s  %s", by.ID, cli.Clean(by.Ref))
		}
		if p.Count > told {
			a.Warn("  … and %d more; --json names the first %d", p.Count-told, len(p.Some))
		}
	}
}
