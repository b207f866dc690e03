package cli

import (
	"github.com/satchel-memory/satchel/memory"
)

// Shortener returns the form in which ids are printed: eight characters, more where
// other memories begin with these; whole with -q.
func (a *App) Shortener(o *Opened, recs []memory.Record) func(memory.ID) string {
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

// PrintStored prints the id of a record that was just stored: short for a person, and whole
// for a program, which may keep it until other ids begin alike.
func (a *App) PrintStored(o *Opened, id memory.ID) {
	if !IsTerminal(a.Out) {
		a.Print("%s", id)
		return
	}
	a.Print("%s", a.Shortener(o, []memory.Record{{ID: id}})(id))
}

// PrintStoredPart prints the id of a belief or a rule that was just stored, as stored does
// that of a record.
func (a *App) PrintStoredPart(id string) {
	if !IsTerminal(a.Out) {
		a.Print("%s", id)
		return
	}
	a.Print("%s", a.ShownPart(id))
}

// ShownPart returns the form in which the id of a belief or a rule is printed.
func (a *App) ShownPart(id string) string {
	if a.Quiet {
		return Clean(id)
	}
	return ShortPartID(id)
}
