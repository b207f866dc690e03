package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// undo takes an import back, or says with -n what that would be.
func (c *importCmd) undo(a *app) error {
	if c.DryRun {
		return c.wouldUndo(a)
	}
	return a.with(writing, func(o *opened) error {
		done, err := c.takeBack(a, o)
		if err != nil {
			return err
		}
		if a.json {
			return a.emit(map[string]any{"removed": done.Removed, "kept": done.Kept, "proposals": done.Proposals, "again": append([]string{}, done.Again...)})
		}
		a.print("import %d taken back: %d removed, %d kept because they were changed, or something was built on them, since", c.Undo, done.Removed, done.Kept)
		if done.Proposals > 0 {
			a.say("%s that waited for you went with it", plural(done.Proposals, "proposal", "proposals"))
		}
		if len(done.Again) > 0 {
			a.say("later imports may have brought some of it too: %s. Importing those again adds what is missing", clean(strings.Join(done.Again, ", ")))
		}
		if done.Kept > 0 {
			a.say("satchel list --import %d shows those, satchel forget ID takes one away", c.Undo)
		}
		return nil
	})
}

// takeBack takes an import back and shows how far it is. Where that is called off, it
// says so, and how to go on.
func (c *importCmd) takeBack(a *app, o *opened) (vault.UndoReport, error) {
	brought := 0
	if of, err := o.imported(a, c.Undo); err == nil {
		brought = of.Created
	}
	p := a.progressOf("taken back", "memories", brought)
	done, err := o.UndoTelling(a.ctx, o.owner(), c.Undo, func(r vault.UndoReport) { p.reached(r.Removed + r.Kept) })
	p.end()
	if err != nil && a.ctx.Err() != nil {
		a.warn("taking import %d back was cut off: %s gone, the rest is here still. satchel import --undo %[1]d goes on", c.Undo, plural(done.Removed, "memory is", "memories are"))
	}
	return done, err
}

// wouldUndo shows what an import brought that is here, and changes nothing.
func (c *importCmd) wouldUndo(a *app) error {
	return a.with(reading, func(o *opened) error {
		of, err := o.imported(a, c.Undo)
		if err != nil {
			return err
		}
		if of.State == store.TakenBack {
			return &memory.Error{Kind: memory.NotFound, Op: "undo", Message: "it was taken back before"}
		}
		page, err := o.List(a.ctx, o.owner(), vault.ListQuery{Import: of.Number, Newest: true, Limit: someOf})
		if err != nil {
			return err
		}
		if a.json {
			return a.emit(map[string]any{"dry_run": true, "here": page.Total})
		}
		a.print("would take back import %d, %s (%s): %s; those that were changed, or that something was built on, would stay",
			of.Number, clean(of.Name), of.Format, plural(page.Total, "memory", "memories"))
		short := a.shortener(o, page.Records)
		for _, rec := range page.Records {
			a.print("  %s  %s  %s", short(rec.ID), rec.Kind, oneLine(rec.Body.Text, 80))
		}
		if page.Next != "" {
			a.print("  … and %d more; satchel list --import %d shows them", page.Total-len(page.Records), of.Number)
		}
		return nil
	})
}

// someOf is how many memories of an import are shown before it is taken back.
const someOf = 5

// imported returns the import of a number.
func (o *opened) imported(a *app, number int64) (store.Import, error) {
	imports, err := o.Imports(a.ctx, o.owner())
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

// listed is an import for machines.
type listed struct {
	Number  int64  `json:"number"`
	At      string `json:"at"`
	Format  string `json:"format"`
	Name    string `json:"name"`
	State   string `json:"state"`
	Created int    `json:"created"`
	Merged  int    `json:"merged"`
	Units   int    `json:"units,omitempty"` // of an archive: conversations that are done
}

func (c *importCmd) list(a *app) error {
	return a.with(reading, func(o *opened) error {
		imports, err := o.Imports(a.ctx, o.owner())
		if err != nil {
			return err
		}
		out := []listed{}
		w := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
		for _, i := range imports {
			state := importState(i, a.now())
			out = append(out, listed{i.Number, i.At.Format(time.RFC3339), i.Format, i.Name, state, i.Created, i.Merged, i.Units})
			if state == atWork {
				state += ", or cut off just now"
			}
			if i.State == store.Partial {
				state += fmt.Sprintf(" (%s of it done)", plural(i.Units, "conversation", "conversations"))
			}
			if state == string(store.Published) {
				state = "imported"
			}
			if !a.json {
				fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%d new\t%s\n", i.Number, local(i.At), i.Format, state, i.Created, clean(i.Name))
			}
		}
		if a.json {
			return a.emit(map[string]any{"imports": out})
		}
		if len(out) == 0 {
			a.say("nothing was imported yet: satchel import FILE")
		}
		return w.Flush()
	})
}

// atWork is the state of an archive that was heard of a moment ago.
const atWork = "at work"

// importState says how far an import has come. One that is cut off leaves nothing behind, but
// for an archive, which goes on when it is imported again.
func importState(i store.Import, now time.Time) string {
	switch {
	case i.State == store.Staging && !i.Lease.After(now):
		return string(store.CutOff)
	case i.State == store.Staging:
		return atWork
	case i.State != store.Partial:
		return string(i.State)
	case i.Lease.IsZero():
		return "being taken back"
	case i.Lease.After(now):
		return atWork
	}
	return string(store.CutOff)
}
