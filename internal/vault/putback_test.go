package vault_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// rows are rows of a table that a condition chooses.
type rows struct{ table, where string }

// copied keeps rows as they are, with their seals, and returns what puts them back in
// place of those that are there then, as a partial restore does.
func (h *house) copied(all ...rows) (putBack func()) {
	h.T.Helper()
	if h.Path == "" {
		return h.copiedInDatabase(all)
	}
	kept := filepath.Join(h.T.TempDir(), "kept.db")
	run := func(statements ...string) {
		h.T.Helper()
		db, err := sql.Open("sqlite", h.Path)
		if err != nil {
			h.T.Fatal(err)
		}
		defer db.Close()
		db.SetMaxOpenConns(1)
		for _, s := range append([]string{"PRAGMA busy_timeout = 5000", "ATTACH '" + kept + "' AS kept"}, statements...) {
			if _, err := db.Exec(s); err != nil {
				h.T.Fatalf("%s: %v", s, err)
			}
		}
	}
	var back []string
	for i, r := range all {
		run(fmt.Sprintf("CREATE TABLE kept.t%d AS SELECT * FROM main.%s WHERE %s", i, r.table, r.where))
		back = append(back, fmt.Sprintf("DELETE FROM main.%s WHERE %s", r.table, r.where),
			fmt.Sprintf("INSERT INTO main.%s SELECT * FROM kept.t%d", r.table, i))
	}
	return func() { h.T.Helper(); run(back...) }
}

func (h *house) copiedInDatabase(all []rows) (putBack func()) {
	h.T.Helper()
	ask := func(query string) []string { h.T.Helper(); return pgtest.Query(h.T, h.URL, query) }
	ask("CREATE SCHEMA IF NOT EXISTS kept")
	var back []string
	for _, r := range all {
		columns := ask(`SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
			WHERE attrelid = 'satchel.` + r.table + `'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`)[0]
		name := "kept." + r.table + ask(`SELECT count(*)::text FROM pg_class`)[0]
		ask(fmt.Sprintf("CREATE TABLE %s AS SELECT %s FROM satchel.%s WHERE %s", name, columns, r.table, r.where))
		back = append(back, fmt.Sprintf("DELETE FROM satchel.%s WHERE %s", r.table, r.where),
			fmt.Sprintf("INSERT INTO satchel.%s (%s) SELECT * FROM %s", r.table, columns, name))
	}
	return func() {
		h.T.Helper()
		for _, statement := range back {
			ask(statement)
		}
	}
}

// readings are all ways to read records, as text.
func (h *house) readings(c memory.Caller, word string, id memory.ID) map[string]any {
	read := map[string]any{}
	note := func(path string, said any, err error) {
		text, _ := json.Marshal(said)
		read[path] = fmt.Sprint(string(text), " ", err)
	}
	for _, view := range []memory.View{memory.CurrentView, memory.OriginView} {
		rec, err := h.Get(h.Ctx, c, id, view)
		note("get "+string(view), rec, err)
	}
	versions, err := h.History(h.Ctx, c, id)
	note("history", versions, err)
	page, err := h.List(h.Ctx, c, vault.ListQuery{Statuses: []memory.Status{memory.Active, memory.Tombstoned, memory.Candidate}})
	note("list", page, err)
	read["total"] = page.Total
	hits, err := h.Recall(h.Ctx, c, memory.Query{Text: word + " what do you know"})
	note("recall", hits, err)
	frame, err := h.Rehydrate(h.Ctx, c, memory.Query{Text: word})
	note("context", frame, err)
	b, err := h.Brief(h.Ctx, c, vault.BriefQuery{Project: "quinceproject"})
	note("brief", b, err)
	projects, err := h.Projects(h.Ctx, c, time.Time{})
	note("projects", projects, err)
	events, _, err := h.Changes(h.Ctx, c, memory.Subscription{})
	note("changes", events, err)
	if c.Role != memory.Owner {
		return read
	}
	var out []memory.Record
	_, err = h.Export(h.Ctx, c, vault.ExportQuery{}, func(rec memory.Record) error { out = append(out, rec); return nil })
	note("export", out, err)
	bundle, err := h.Bundle(c, aimem.Export{})
	note("aimem", bundle.Text, err)
	view, err := h.Context(h.Ctx, c, engram.Query{})
	note("engram", view, err)
	return read
}

// TestErasedAndPutBack puts the rows of an erased memory back with their seals. Nothing
// serves or counts it, doctor and verify name it, and it can be erased again.
func TestErasedAndPutBack(t *testing.T) { onEach(t, testErasedAndPutBack) }

func testErasedAndPutBack(t *testing.T, open opener) {
	h := open(t)
	h.Tell("the lamp is green")
	id := h.Tell("the quincevault opens with quincecode", `"scope":{"project":"quinceproject","visibility":"shared"}`)
	of := func(who memory.Caller) map[string]any { return h.readings(who, "quincevault", id) }
	for path, said := range of(h.Me()) {
		if text, ok := said.(string); ok && !strings.Contains(text, "quince") {
			t.Fatalf("%s does not know it before: %s", path, text)
		}
	}
	byID := fmt.Sprintf("id = '%s'", id)
	record := h.copied(rows{"records", byID})
	tables := []rows{{"records", byID}, {"postings", "true"}}
	if h.Path == "" {
		tables = append(tables, rows{"terms", "true"})
	}
	withIndex := h.copied(tables...)
	h.erase(id)
	for name, putBack := range map[string]func(){"the row": record, "the row and the index": withIndex} {
		putBack()
		for _, s := range []*house{h, h.server()} {
			for _, c := range []memory.Caller{h.Me(), h.Agent(), h.Peer()} {
				for path, said := range s.readings(c, "quincevault", id) {
					if text, ok := said.(string); ok && strings.Contains(text, "quince") {
						t.Errorf("%s, %v, %s: %s", name, c.Role, path, text)
					}
				}
			}
			if total := s.readings(h.Me(), "x", id)["total"]; total != 1 {
				t.Errorf("%s: %d are counted", name, total)
			}
			if why, err := s.Examine(h.Ctx, h.Me(), id); err != nil || !strings.Contains(why, "erased") {
				t.Errorf("%s: verify says %q, %v", name, why, err)
			}
		}
		if _, err := h.Call("revise", h.Me(), `{"id":"`+string(id)+`","patch":{"body":{"text":"x"}}}`); memory.KindOf(err) != memory.SignatureInvalid {
			t.Errorf("%s: revise: %v", name, err)
		}
		if found := h.named(); !slices.ContainsFunc(found, func(f string) bool { return strings.Contains(f, string(id)) && strings.Contains(f, "was erased") }) {
			t.Errorf("%s: found %q", name, found)
		}
		h.unwhole(string(id))
		h.erase(id)
		h.Healthy()
	}
}

// TestAllErasedAndPutBack puts rows back after everything of the owner was erased, the
// list of changes with it. Nothing serves or counts them, and what came later stays.
func TestAllErasedAndPutBack(t *testing.T) { onEach(t, testAllErasedAndPutBack) }

func testAllErasedAndPutBack(t *testing.T, open opener) {
	h := open(t)
	id := h.Tell("the quincevault opens with quincecode", `"scope":{"project":"quinceproject","visibility":"shared"}`)
	h.Tell("the quincelamp is green")
	putBack := h.copied(rows{"records", "true"})
	if _, err := h.EraseOwner(h.Ctx, h.Me()); err != nil {
		t.Fatal(err)
	}
	h.Healthy()
	putBack()
	later := h.Tell("the pear is ripe")
	for _, s := range []*house{h, h.server()} {
		for _, c := range []memory.Caller{h.Me(), h.Agent()} {
			read := s.readings(c, "quincevault", id)
			for path, said := range read {
				if text, ok := said.(string); ok && strings.Contains(text, "quince") {
					t.Errorf("%v, %s: %s", c.Role, path, text)
				}
			}
			if total := read["total"]; total != 1 {
				t.Errorf("%v: %d are counted", c.Role, total)
			}
		}
		if got := s.MustGet(later); got.Body.Text != "the pear is ripe" {
			t.Errorf("what came later says %q", got.Body.Text)
		}
	}
	h.unwhole(string(id))
	h.erase(id)
}

func (h *house) erase(id memory.ID) {
	h.T.Helper()
	if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: id, Reason: memory.OtherReason, Hard: true}); err != nil {
		h.T.Fatal(err)
	}
}

// TestReplacedAndPutBack puts a version back that was replaced, as it was while it was
// current: with its seal, and signed. There are not two answers.
func TestReplacedAndPutBack(t *testing.T) { onEach(t, testReplacedAndPutBack) }

func testReplacedAndPutBack(t *testing.T, open opener) {
	h := open(t)
	id := h.Tell("the quincegate is red")
	putBack := h.copied(rows{"records", fmt.Sprintf("id = '%s'", id)})
	next := h.Change(id, `{"body":{"text":"the quincegate is blue"}}`)
	h.Healthy()
	putBack()
	h.unwhole(string(id))
	for _, s := range []*house{h, h.server()} {
		for _, c := range []memory.Caller{h.Me(), h.Agent()} {
			for path, said := range s.readings(c, "quincegate", id) {
				if text, ok := said.(string); ok && strings.Contains(text, "is red") {
					t.Errorf("%v, %s: %s", c.Role, path, text)
				}
			}
		}
		vaulttest.WantSet(t, s.Texts(memory.Query{Text: "quincegate blue"}), "the quincegate is blue")
		if got := s.MustGet(next); got.Body.Text != "the quincegate is blue" {
			t.Errorf("the successor says %q", got.Body.Text)
		}
		if why, err := s.Examine(h.Ctx, h.Me(), id); err != nil || !strings.Contains(why, "put back") {
			t.Errorf("verify says %q, %v", why, err)
		}
	}
}

// TestRevokedAndPutBack puts a grant back as it was before it was revoked.
func TestRevokedAndPutBack(t *testing.T) { onEach(t, testRevokedAndPutBack) }

func testRevokedAndPutBack(t *testing.T, open opener) {
	h := open(t)
	shut, g, err := h.MintToken(h.Ctx, h.Me(), vault.TokenOrder{Name: "shut", Verbs: []memory.Verb{memory.ReadVerb}, Expires: vaulttest.Start().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	other, kept, err := h.MintToken(h.Ctx, h.Me(), vault.TokenOrder{Name: "kept", Verbs: []memory.Verb{memory.ReadVerb}, Expires: vaulttest.Start().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	putBack := h.copied(rows{"grants", fmt.Sprintf("id = '%s'", g.ID)})
	if err := h.RevokeToken(h.Ctx, h.Me(), g.ID); err != nil {
		t.Fatal(err)
	}
	putBack()
	h.unwhole(g.ID)
	for _, s := range []*house{h, h.server()} {
		for _, token := range []string{shut, other} { // as long as it cannot be known for certain which
			if _, err := s.Admit(h.Ctx, token); memory.KindOf(err) != memory.Unauthorized {
				t.Errorf("a token: %v", err)
			}
		}
		h.revoked(s, g.ID)
	}
	if err := h.RevokeToken(h.Ctx, h.Me(), g.ID); err != nil {
		t.Fatal(err)
	}
	h.revoked(h, g.ID)
	if _, err := h.Admit(h.Ctx, other); err != nil || kept.ID == g.ID {
		t.Errorf("the other token once it is revoked again: %v", err)
	}
	if _, err := h.Admit(h.Ctx, shut); memory.KindOf(err) != memory.Unauthorized {
		t.Errorf("the token that was revoked twice: %v", err)
	}
}

// TestManyRevokedAndPutBack puts two grants of three back, as they were before they were
// revoked: they are told apart from the one that is in force.
func TestManyRevokedAndPutBack(t *testing.T) { onEach(t, testManyRevokedAndPutBack) }

func testManyRevokedAndPutBack(t *testing.T, open opener) {
	h := open(t)
	var ids []string
	for _, name := range []string{"one", "two", "kept"} {
		_, g, err := h.MintToken(h.Ctx, h.Me(), vault.TokenOrder{Name: name, Verbs: []memory.Verb{memory.ReadVerb}, Expires: vaulttest.Start().Add(time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, g.ID)
	}
	putBack := h.copied(rows{"grants", "true"})
	for _, id := range ids[:2] {
		if err := h.RevokeToken(h.Ctx, h.Me(), id); err != nil {
			t.Fatal(err)
		}
	}
	putBack()
	for _, s := range []*house{h, h.server()} {
		list, err := s.Tokens(h.Ctx, h.Me())
		if err != nil || len(list) != 3 {
			t.Fatal(list, err)
		}
		for _, one := range list {
			if one.Revoked.IsZero() != (one.ID == ids[2]) {
				t.Errorf("token %s is revoked at %s", one.Name, one.Revoked)
			}
		}
	}
	for _, id := range ids[:2] {
		h.unwhole(id)
	}
}

// unwhole expects that the look at all of an owner's rows, which doctor and verify take
// without being asked for all owners, finds that some were put back, and names an id.
func (h *house) unwhole(named string) {
	h.T.Helper()
	var found []string
	if err := h.ExamineAll(h.Ctx, h.Me(), func(id memory.ID, why string) {
		if why != "" {
			found = append(found, string(id)+": "+why)
		}
	}); err != nil {
		h.T.Fatal(err)
	}
	all := strings.Join(found, "\n")
	if !strings.Contains(all, "\n: rows were removed, added or put back") || !strings.Contains(all, named) {
		h.T.Errorf("found %q", found)
	}
}

// revoked expects one token of those that a server lists to be revoked.
func (h *house) revoked(s *house, id string) {
	h.T.Helper()
	list, err := s.Tokens(h.Ctx, h.Me())
	if err != nil || len(list) != 2 {
		h.T.Fatal(list, err)
	}
	for _, one := range list {
		if one.Revoked.IsZero() == (one.ID == id) {
			h.T.Errorf("token %s is revoked at %s", one.Name, one.Revoked)
		}
	}
}
