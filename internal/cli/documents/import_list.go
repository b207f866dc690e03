package documents

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// undo undoes an import, or with -n shows what that would remove.
func (c *ImportCmd) undo(a *cli.App) error {
	if c.DryRun {
		return c.wouldUndo(a)
	}
	return a.With(cli.Writing, func(o *cli.Session) error {
		done, err := c.takeBack(a, o)
		if err != nil {
			return err
		}
		if a.JSON {
			return a.Emit(map[string]any{"removed": done.Removed, "kept": done.Kept, "proposals": done.Proposals, "again": append([]string{}, done.Again...)})
		}
		a.Print("import %d taken back: %d removed, %d kept because they were changed, or something was built on them, since", c.Undo, done.Removed, done.Kept)
		if done.Proposals > 0 {
			a.Say("%s that waited for you went with it", cli.Plural(done.Proposals, "proposal", "proposals"))
		}
		if len(done.Again) > 0 {
			a.Say("later imports may have brought some of it too: %s. Importing those again adds what is missing", cli.Clean(strings.Join(done.Again, ", ")))
		}
		if done.Kept > 0 {
			a.Say("satchel list --import %d shows those, satchel forget ID takes one away", c.Undo)
		}
		return nil
	})
}

// takeBack undoes an import and shows its progress. If it is cancelled, it says so,
// and how to continue.
func (c *ImportCmd) takeBack(a *cli.App, o *cli.Session) (vault.UndoReport, error) {
	brought := 0
	if of, err := Imported(o, a, c.Undo); err == nil {
		brought = of.Created
	}
	p := a.ProgressOf("taken back", "memories", brought)
	done, err := o.UndoTelling(a.Ctx, o.Caller(), c.Undo, func(r vault.UndoReport) { p.Reached(r.Removed + r.Kept) })
	p.End()
	if err != nil && a.Ctx.Err() != nil {
		a.Warn("taking import %d back was cut off: %s gone, the rest is here still. satchel import --undo %[1]d goes on", c.Undo, cli.Plural(done.Removed, "memory is", "memories are"))
	}
	return done, err
}

// wouldUndo shows the present memories of an import, and changes nothing.
func (c *ImportCmd) wouldUndo(a *cli.App) error {
	return a.With(cli.Reading, func(o *cli.Session) error {
		of, err := Imported(o, a, c.Undo)
		if err != nil {
			return err
		}
		if of.State == store.TakenBack {
			return &memory.Error{Kind: memory.NotFound, Op: "undo", Message: "it was taken back before"}
		}
		page, err := o.List(a.Ctx, o.Caller(), vault.ListQuery{Import: of.Number, Newest: true, Limit: someOf})
		if err != nil {
			return err
		}
		if a.JSON {
			return a.Emit(map[string]any{"dry_run": true, "here": page.Total})
		}
		a.Print("would take back import %d, %s (%s): %s; those that were changed, or that something was built on, would stay",
			of.Number, cli.Clean(of.Name), of.Format, cli.Plural(page.Total, "memory", "memories"))
		short := a.Shortener(o, page.Records)
		for _, rec := range page.Records {
			a.Print("  %s  %s  %s", short(rec.ID), rec.Kind, cli.OneLine(rec.Body.Text, 80))
		}
		if page.Next != "" {
			a.Print("  … and %d more; satchel list --import %d shows them", page.Total-len(page.Records), of.Number)
		}
		return nil
	})
}

// someOf is how many memories of an import appear before it is undone.
const someOf = 5

// Imported returns the import with this number.
func Imported(o *cli.Session, a *cli.App, number int64) (store.Import, error) {
	imports, err := o.Imports(a.Ctx, o.Caller())
	if err != nil {
		return store.Import{}, err
	}
	for _, i := range imports {
		if i.Number == number {
			return i, nil
		}
	}
	return store.Import{}, &memory.Error{Kind: memory.NotFound, Op: "import", Message: "no such import; import --list shows them"}
}

// importRow is an import for machines.
type importRow struct {
	Number  int64  `json:"number"`
	At      string `json:"at"`
	Format  string `json:"format"`
	Name    string `json:"name"`
	State   string `json:"state"`
	Created int    `json:"created"`
	Merged  int    `json:"merged"`
	Units   int    `json:"units,omitempty"` // of an archive: conversations that are done
}

func (c *ImportCmd) list(a *cli.App) error {
	return a.With(cli.Reading, func(o *cli.Session) error {
		imports, err := o.Imports(a.Ctx, o.Caller())
		if err != nil {
			return err
		}
		out := []importRow{}
		w := tabwriter.NewWriter(a.Out, 0, 4, 2, ' ', 0)
		for _, i := range imports {
			state := importState(i, a.Now())
			out = append(out, importRow{i.Number, i.At.Format(time.RFC3339), i.Format, i.Name, state, i.Created, i.Merged, i.Units})
			if state == string(vault.ImportWorking) {
				state += ", or cut off just now"
			}
			if i.State == store.Partial && i.Units > 0 {
				state += fmt.Sprintf(" (%s of it done)", cli.Plural(i.Units, "conversation", "conversations"))
			}
			if state == string(store.Published) {
				state = "imported"
			}
			if !a.JSON {
				fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%d new\t%s\n", i.Number, cli.Local(i.At), i.Format, state, i.Created, cli.Clean(i.Name))
			}
		}
		if a.JSON {
			return a.Emit(map[string]any{"imports": out})
		}
		if len(out) == 0 {
			a.Say("nothing was imported yet: satchel import FILE")
		}
		return w.Flush()
	})
}

// importState names an import's progress. An interrupted import leaves nothing behind,
// except an archive's, which continues with the next import.
func importState(i store.Import, now time.Time) string {
	switch status := vault.ImportStatusOf(i, now); status {
	case vault.ImportInPart:
		return string(vault.ImportNothing)
	case vault.ImportWhole:
		return string(store.Published)
	default:
		return string(status)
	}
}
