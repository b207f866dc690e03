package cli

import (
	"github.com/satchel-memory/satchel/memory"
)

// Shortener returns a function that prints ids: eight characters, more if other memories
// begin with them, and the whole id with -q.
func (a *App) Shortener(o *Session, recs []memory.Record) func(memory.ID) string {
	if a.Quiet {
		return func(id memory.ID) string { return string(id) }
	}
	ids := make([]memory.ID, len(recs))
	for i, rec := range recs {
		ids[i] = rec.ID
	}
	short, err := o.ShortIDs(a.Ctx, o.Caller(), ids)
	return func(id memory.ID) string {
		if s := short[id]; s != "" && err == nil {
			return s
		}
		return string(id)
	}
}

// PrintStored prints the id of a new record: short for a person, whole for a program, which
// may keep it until other ids begin alike.
func (a *App) PrintStored(o *Session, id memory.ID) {
	if !IsTerminal(a.Out) {
		a.Print("%s", id)
		return
	}
	a.Print("%s", a.Shortener(o, []memory.Record{{ID: id}})(id))
}

// PrintStoredPart prints the id of a new belief or rule, as [App.PrintStored] does for a
// record.
func (a *App) PrintStoredPart(id string) {
	if !IsTerminal(a.Out) {
		a.Print("%s", id)
		return
	}
	a.Print("%s", a.ShownPart(id))
}

// ShownPart returns the printed form of the id of a belief or a rule.
func (a *App) ShownPart(id string) string {
	if a.Quiet {
		return Clean(id)
	}
	return ShortPartID(id)
}
