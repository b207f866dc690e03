package vaulttest

import (
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// Everywhere returns what each surface states as fact, by the surface's name.
func (h *House) Everywhere() map[string]string {
	h.T.Helper()
	var out strings.Builder
	if _, err := h.Export(h.Ctx, h.Me(), vault.ExportQuery{}, func(r memory.Record) error {
		out.Write(r.Form())
		return nil
	}); err != nil {
		h.T.Fatal(err)
	}
	page, err := h.List(h.Ctx, h.Me(), vault.ListQuery{ValidAt: h.Now, Limit: 1000})
	if err != nil {
		h.T.Fatal(err)
	}
	framed, err := h.Rehydrate(h.Ctx, h.Me(), memory.Query{Text: "email style"})
	if err != nil {
		h.T.Fatal(err)
	}
	view, err := h.Context(h.Ctx, h.Granted(memory.Grant{
		ID: "assistant", Verbs: []memory.Verb{memory.ReadVerb, memory.WriteVerb},
		Runtime: &memory.Runtime{Name: "Open Claw", Scope: string(engram.Full)}, Expires: h.Now.Add(time.Hour),
	}), engram.Query{})
	if err != nil {
		h.T.Fatal(err)
	}
	prompt, err := engram.Render(engram.Document{Memory: view.Memory, ExpiresAt: h.Now.Add(time.Hour)}, engram.PromptOptions{Now: h.Now})
	if err != nil {
		h.T.Fatal(err)
	}
	return map[string]string{
		"UMP recall":   fmt.Sprint(h.Texts(memory.Query{Text: "email style longer short"})),
		"UMP context":  fmt.Sprint(framed),
		"UMP list":     fmt.Sprint(TextsOf(page.Records)),
		"UMP export":   out.String(),
		"AIMEM export": h.Left(aimem.Export{}).Text,
		"Engram":       fmt.Sprint(view.Beliefs, view.Evolution),
		"prompt":       prompt.System,
	}
}

// TextsOf returns the texts of records.
func TextsOf(list []memory.Record) (texts []string) {
	for _, r := range list {
		texts = append(texts, r.Body.Text)
	}
	return texts
}

// Edit changes the database directly, outside of the vault.
func (h *House) Edit(query string, args ...any) {
	h.T.Helper()
	db, err := sql.Open("sqlite", h.Path)
	if err != nil {
		h.T.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("PRAGMA busy_timeout = 5000"); err != nil {
		h.T.Fatal(err)
	}
	r, err := db.Exec(query, args...)
	if err != nil {
		h.T.Fatal(err)
	}
	if n, _ := r.RowsAffected(); n == 0 {
		h.T.Fatalf("%s changed nothing", query)
	}
}

// Bearer mints a token and returns the caller that it admits, and the token.
func (h *House) Bearer(o vault.TokenOrder) (memory.Caller, string) {
	h.T.Helper()
	if o.Expires.IsZero() {
		o.Expires = h.Now.Add(24 * time.Hour)
	}
	if o.Verbs == nil {
		o.Verbs = []memory.Verb{memory.ReadVerb}
	}
	token, g, err := h.MintToken(h.Ctx, h.Me(), o)
	if err != nil {
		h.T.Fatal(err)
	}
	c, err := h.Admit(h.Ctx, token)
	if err != nil {
		h.T.Fatal(err)
	}
	if g.ID == "" || c.Owner != h.Key.DID() {
		h.T.Fatalf("grant %+v lets in %+v", g, c)
	}
	return c, token
}

// Change revises a record and returns the id of the new version.
func (h *House) Change(id memory.ID, patch string) memory.ID {
	h.T.Helper()
	v := h.Must(ump.OpRevise, `{"id":"`+string(id)+`","patch":`+patch+`}`)
	return memory.ID(v["id"].(string))
}

// Logged returns the last audit entry of an act.
func (h *House) Logged(act audit.Act) (last audit.Entry) {
	h.T.Helper()
	h.Flush(h.Ctx)
	all, err := h.Audit(h.Ctx, h.Me(), 0, 1000)
	if err != nil {
		h.T.Fatal(err)
	}
	for _, e := range all {
		if e.Act == act {
			last = e
		}
	}
	return last
}
