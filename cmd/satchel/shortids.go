package main

import "github.com/satchel-memory/satchel/memory"

// shortener returns the form in which ids are printed: eight characters, more where
// other memories begin with these; whole with -q.
func (a *app) shortener(o *opened, recs []memory.Record) func(memory.ID) string {
	if a.quiet {
		return func(id memory.ID) string { return string(id) }
	}
	ids := make([]memory.ID, len(recs))
	for i, rec := range recs {
		ids[i] = rec.ID
	}
	short, err := o.ShortIDs(a.ctx, o.owner(), ids)
	return func(id memory.ID) string {
		if s := short[id]; s != "" && err == nil {
			return s
		}
		return string(id)
	}
}

// stored prints the id of a record that was just stored: short for a person, and whole
// for a program, which may keep it until other ids begin alike.
func (a *app) stored(o *opened, id memory.ID) {
	if !isTerminal(a.out) {
		a.print("%s", id)
		return
	}
	a.print("%s", a.shortener(o, []memory.Record{{ID: id}})(id))
}

// storedPart prints the id of a belief or a rule that was just stored, as stored does
// that of a record.
func (a *app) storedPart(id string) {
	if !isTerminal(a.out) {
		a.print("%s", id)
		return
	}
	a.print("%s", a.part(id))
}

// part returns the form in which the id of a belief or a rule is printed.
func (a *app) part(id string) string {
	if a.quiet {
		return clean(id)
	}
	return begins(id)
}
