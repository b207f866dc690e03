package bundle_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// secretBrain says the canary in every place where a bundle has room for a word.
var secretBrain = vaulttest.Bundle{
	More: vaulttest.Object{"embedding_model": "m", "embedding_dim": 2, "x_" + vaulttest.Canary: vaulttest.Canary},
	Chunks: []vaulttest.Object{
		vaulttest.Chunk(vaulttest.Canary, "the word is "+vaulttest.Canary, vaulttest.Object{"memory_type": "identity", "tags": []string{vaulttest.Canary}, "x_" + vaulttest.Canary: vaulttest.Canary, "embedding": "AACAPwAAAEA="}),
		vaulttest.Chunk("2", vaulttest.Canary+" again"),
	},
	Edges:    []vaulttest.Object{vaulttest.Edge(vaulttest.Canary, "2", vaulttest.Object{"edge_type": "x-" + vaulttest.Canary})},
	Entities: []vaulttest.Object{vaulttest.Entity("e-"+vaulttest.Canary, vaulttest.Canary), vaulttest.Entity("orphan", vaulttest.Canary+" alone")},
	Links:    []vaulttest.Object{vaulttest.Linked(vaulttest.Canary, "e-"+vaulttest.Canary)},
}

// confided lets a caller's memory say the canary in every way in which things are
// said, used and dropped.
func (h *house) confided(c memory.Caller) {
	h.T.Helper()
	h.TakesInAs(c, secretBrain, aimem.Import{Name: vaulttest.Canary + ".aimem.json"})
	id, err := h.Says(c, "natively "+vaulttest.Canary, `"relations":[{"type":"about","target":"entity:`+vaulttest.Canary+`"}]`, `"scope":{"project":"`+vaulttest.Canary+`"}`)
	if err == nil {
		_, err = h.Call(ump.OpRevise, c, `{"id":"`+string(id)+`","patch":{"body":{"text":"revised `+vaulttest.Canary+`"}}}`)
	}
	if err == nil {
		id, err = h.Says(c, "to be dropped "+vaulttest.Canary)
	}
	if err == nil {
		err = h.Feedback(h.Ctx, c, id, "followed", vaulttest.Canary)
	}
	if err == nil {
		_, err = h.Forget(h.Ctx, c, memory.ForgetRequest{ID: id, Reason: memory.UserRevoked, Note: vaulttest.Canary})
	}
	if err == nil {
		err = h.AliasProject(h.Ctx, c, vaulttest.Canary+"-alias", vaulttest.Canary)
	}
	if err == nil {
		_, _, err = h.MintToken(h.Ctx, c, vault.TokenOrder{Name: vaulttest.Canary, Verbs: []memory.Verb{memory.ReadVerb}, Expires: h.Now.Add(time.Hour)})
	}
	if err == nil {
		_, err = h.Recall(h.Ctx, c, memory.Query{Text: vaulttest.Canary})
	}
	if err != nil {
		h.T.Fatal(err)
	}
	h.Flush(h.Ctx)
}

// holding names the files, or tables, that hold a word.
func (h *house) holding(word string) (found []string) {
	h.T.Helper()
	if h.URL == "" {
		files, err := filepath.Glob(h.Path + "*")
		if err != nil || len(files) == 0 {
			h.T.Fatalf("no files: %v", err)
		}
		for _, f := range files {
			raw, err := os.ReadFile(f)
			if err != nil {
				h.T.Fatal(err)
			}
			if bytes.Contains(raw, []byte(word)) {
				found = append(found, filepath.Base(f))
			}
		}
		return found
	}
	for _, table := range pgtest.Query(h.T, h.URL, `SELECT oid::regclass::text FROM pg_class WHERE relkind = 'r' AND relnamespace::regnamespace::text NOT IN ('pg_catalog', 'information_schema')`) {
		for _, row := range pgtest.Query(h.T, h.URL, `SELECT t::text FROM `+table+` t`) {
			if strings.Contains(row, word) || strings.Contains(row, hex.EncodeToString([]byte(word))) {
				found = append(found, table)
				break
			}
		}
	}
	return found
}

func TestErasedForGood(t *testing.T) {
	racing.Skip(t)
	onEach(t, testErasedForGood)
}

func testErasedForGood(t *testing.T, open opener) {
	h := open(t)
	h.confided(h.Me())
	if len(h.holding(vaulttest.Canary)) == 0 {
		t.Fatal("the word is nowhere to begin with")
	}
	if _, err := h.EraseBrain(h.Ctx, h.Me()); err != nil {
		t.Fatal(err)
	}
	t.Run("AIMEM-5.2-2 nothing is left of what was derived from chunks", func(t *testing.T) {
		err := h.Store.View(h.Ctx, h.Key.DID(), func(r store.Reader) error {
			if spaces, err := r.Spaces(); err != nil || len(spaces) > 0 {
				t.Errorf("attachments of %q are left, %v", spaces, err)
			}
			if _, err := r.Alias("aimem", "urn:aimem:elsewhere:2"); err == nil {
				t.Error("a URN leads somewhere")
			}
			if n, err := r.Count(store.Filter{}); n != 0 || err != nil {
				t.Errorf("%d rows are left, %v", n, err)
			}
			if imports, err := r.Imports(); len(imports) != 0 || err != nil {
				t.Errorf("imports are left: %+v, %v", imports, err)
			}
			aliases, err := r.ProjectAliases()
			if len(aliases) > 0 {
				t.Errorf("names of projects are left: %v", aliases)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if b := h.Left(aimem.Export{History: true, Embeddings: true}); strings.Contains(b.Text, vaulttest.Canary) || b.Get("entities").Len() > 0 {
			t.Errorf("this leaves: %s", b.Text)
		}
	})
	t.Run("AIMEM-0-4 AIMEM-5.2-2 no file and no table says a word of it", func(t *testing.T) {
		for _, word := range []string{vaulttest.Canary, hashOf("the word is " + vaulttest.Canary)[7:]} {
			if found := h.holding(word); len(found) > 0 {
				t.Errorf("%v say it still", found)
			}
		}
	})
	t.Run("AIMEM-5.2-7 the audit log says that it was, and not what", func(t *testing.T) {
		entries, err := h.Audit(h.Ctx, h.Me(), 0, 1000)
		if err != nil || len(entries) < 2 {
			t.Fatalf("%d entries, %v", len(entries), err)
		}
		all := fmt.Sprintf("%+v", entries)
		for _, word := range []string{vaulttest.Canary, "urn:", hashOf("the word is " + vaulttest.Canary)[7:], string(h.Key.DID()), "11111111-1111"} {
			if strings.Contains(all, word) {
				t.Errorf("it says %s", word)
			}
		}
		if !strings.Contains(all, "erase") {
			t.Errorf("it does not say that something was erased: %s", all)
		}
	})
	h.Healthy()
}

// TestNothingIsPooled: two tenants say the same, and each has it alone.
func TestNothingIsPooled(t *testing.T) { onEach(t, testNothingIsPooled) }

func testNothingIsPooled(t *testing.T, open opener) {
	h := open.shared(t)
	ada, bob := vaulttest.Seeded(t, 21), vaulttest.Seeded(t, 22)
	h.Add(ada, store.Quota{})
	h.Add(bob, store.Quota{})
	for _, c := range []memory.Caller{h.Admitted(ada), h.Admitted(bob)} {
		h.confided(c)
	}
	t.Run("AIMEM-1.2-1 a bundle is of one tenant alone", func(t *testing.T) {
		if _, err := h.Says(h.Admitted(bob), "only bob says this"); err != nil {
			t.Fatal(err)
		}
		b, err := h.Bundle(h.Admitted(ada), aimem.Export{History: true})
		if err != nil || b.Get("tenant_id").Text() != string(ada.DID()) || b.Get("chunks").Len() != 3 ||
			strings.Contains(b.Text, "only bob") || strings.Contains(b.Text, string(bob.DID())) {
			t.Errorf("%v: %s", err, b.Text)
		}
	})
	t.Run("AIMEM-5.2-3 what another tenant says too stays with that one, and goes with it", func(t *testing.T) {
		before := h.contentsOf(bob.DID())
		if _, err := h.EraseBrain(h.Ctx, h.Admitted(ada)); err != nil {
			t.Fatal(err)
		}
		if h.contentsOf(bob.DID()) != before {
			t.Error("something of another tenant's went too")
		}
		if len(h.holding(vaulttest.Canary)) == 0 {
			t.Fatal("it is nowhere; the test could not fail")
		}
		if _, err := h.EraseBrain(h.Ctx, h.Admitted(bob)); err != nil {
			t.Fatal(err)
		}
		if found := h.holding(vaulttest.Canary); len(found) > 0 {
			t.Errorf("%v say it still", found)
		}
	})
}

// contentsOf is everything that an owner has.
func (h *house) contentsOf(owner memory.DID) (text string) {
	h.T.Helper()
	err := h.Store.View(h.Ctx, owner, func(r store.Reader) error {
		rows, err := r.Rows(store.Filter{}, store.Cursor{}, 1000)
		if err != nil {
			return err
		}
		text = fmt.Sprintf("%+v", rows)
		spaces, err := r.Spaces()
		if err != nil {
			return err
		}
		for _, space := range spaces {
			some, err := r.Attachments(store.AttachmentFilter{Space: space}, 0, 1000)
			if err != nil {
				return err
			}
			text += fmt.Sprintf("\n%+v", some)
		}
		return nil
	})
	if err != nil {
		h.T.Fatal(err)
	}
	return text
}
