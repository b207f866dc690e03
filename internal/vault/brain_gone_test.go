package vault_test

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
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// canary is a word that only what is to be erased says.
const canary = "zanzibarquince"

// secretBrain says the canary in every place where a bundle has room for a word.
var secretBrain = bundle{
	more: object{"embedding_model": "m", "embedding_dim": 2, "x_" + canary: canary},
	chunks: []object{
		chunk(canary, "the word is "+canary, object{"memory_type": "identity", "tags": []string{canary}, "x_" + canary: canary, "embedding": "AACAPwAAAEA="}),
		chunk("2", canary+" again"),
	},
	edges:    []object{edge(canary, "2", object{"edge_type": "x-" + canary})},
	entities: []object{entity("e-"+canary, canary), entity("orphan", canary+" alone")},
	links:    []object{linked(canary, "e-"+canary)},
}

// confided lets a caller's memory say the canary in every way in which things are
// said, used and dropped.
func (h *house) confided(c memory.Caller) {
	h.t.Helper()
	h.takesInAs(c, secretBrain, aimem.Import{Name: canary + ".aimem.json"})
	id, err := h.says(c, "natively "+canary, `"relations":[{"type":"about","target":"entity:`+canary+`"}]`, `"scope":{"project":"`+canary+`"}`)
	if err == nil {
		_, err = h.call(ump.OpRevise, c, `{"id":"`+string(id)+`","patch":{"body":{"text":"revised `+canary+`"}}}`)
	}
	if err == nil {
		id, err = h.says(c, "to be dropped "+canary)
	}
	if err == nil {
		err = h.Feedback(h.ctx, c, id, "followed", canary)
	}
	if err == nil {
		_, err = h.Forget(h.ctx, c, memory.Forgetting{ID: id, Reason: memory.UserRevoked, Note: canary})
	}
	if err == nil {
		err = h.AliasProject(h.ctx, c, canary+"-alias", canary)
	}
	if err == nil {
		_, _, err = h.MintToken(h.ctx, c, vault.TokenOrder{Name: canary, Verbs: []memory.Verb{memory.ReadVerb}, Expires: h.now.Add(time.Hour)})
	}
	if err == nil {
		_, err = h.Recall(h.ctx, c, memory.Query{Text: canary})
	}
	if err != nil {
		h.t.Fatal(err)
	}
	h.Flush(h.ctx)
}

// holding names the files, or tables, that hold a word.
func (h *house) holding(word string) (found []string) {
	h.t.Helper()
	if h.url == "" {
		files, err := filepath.Glob(h.path + "*")
		if err != nil || len(files) == 0 {
			h.t.Fatalf("no files: %v", err)
		}
		for _, f := range files {
			raw, err := os.ReadFile(f)
			if err != nil {
				h.t.Fatal(err)
			}
			if bytes.Contains(raw, []byte(word)) {
				found = append(found, filepath.Base(f))
			}
		}
		return found
	}
	for _, table := range pgtest.Query(h.t, h.url, `SELECT oid::regclass::text FROM pg_class WHERE relkind = 'r' AND relnamespace::regnamespace::text NOT IN ('pg_catalog', 'information_schema')`) {
		for _, row := range pgtest.Query(h.t, h.url, `SELECT t::text FROM `+table+` t`) {
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
	h.confided(h.owner())
	if len(h.holding(canary)) == 0 {
		t.Fatal("the word is nowhere to begin with")
	}
	if _, err := h.EraseBrain(h.ctx, h.owner()); err != nil {
		t.Fatal(err)
	}
	t.Run("AIMEM-5.2-2 nothing is left of what was derived from chunks", func(t *testing.T) {
		err := h.store.View(h.ctx, h.key.DID(), func(r store.Reader) error {
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
		if b := h.left(aimem.Export{History: true, Embeddings: true}); strings.Contains(b.text, canary) || b.Get("entities").Len() > 0 {
			t.Errorf("this leaves: %s", b.text)
		}
	})
	t.Run("AIMEM-0-4 AIMEM-5.2-2 no file and no table says a word of it", func(t *testing.T) {
		for _, word := range []string{canary, hashOf("the word is " + canary)[7:]} {
			if found := h.holding(word); len(found) > 0 {
				t.Errorf("%v say it still", found)
			}
		}
	})
	t.Run("AIMEM-5.2-7 the audit log says that it was, and not what", func(t *testing.T) {
		entries, err := h.Audit(h.ctx, h.owner(), 0, 1000)
		if err != nil || len(entries) < 2 {
			t.Fatalf("%d entries, %v", len(entries), err)
		}
		all := fmt.Sprintf("%+v", entries)
		for _, word := range []string{canary, "urn:", hashOf("the word is " + canary)[7:], string(h.key.DID()), "11111111-1111"} {
			if strings.Contains(all, word) {
				t.Errorf("it says %s", word)
			}
		}
		if !strings.Contains(all, "erase") {
			t.Errorf("it does not say that something was erased: %s", all)
		}
	})
	h.healthy()
}

// TestNothingIsPooled: two tenants say the same, and each has it alone.
func TestNothingIsPooled(t *testing.T) { onEach(t, testNothingIsPooled) }

func testNothingIsPooled(t *testing.T, open opener) {
	h := open.shared(t)
	ada, bob := seeded(t, 21), seeded(t, 22)
	h.add(ada, store.Quota{})
	h.add(bob, store.Quota{})
	for _, c := range []memory.Caller{h.admitted(ada), h.admitted(bob)} {
		h.confided(c)
	}
	t.Run("AIMEM-1.2-1 a bundle is of one tenant alone", func(t *testing.T) {
		if _, err := h.says(h.admitted(bob), "only bob says this"); err != nil {
			t.Fatal(err)
		}
		b, err := h.bundle(h.admitted(ada), aimem.Export{History: true})
		if err != nil || b.Get("tenant_id").Text() != string(ada.DID()) || b.Get("chunks").Len() != 3 ||
			strings.Contains(b.text, "only bob") || strings.Contains(b.text, string(bob.DID())) {
			t.Errorf("%v: %s", err, b.text)
		}
	})
	t.Run("AIMEM-5.2-3 what another tenant says too stays with that one, and goes with it", func(t *testing.T) {
		before := h.contentsOf(bob.DID())
		if _, err := h.EraseBrain(h.ctx, h.admitted(ada)); err != nil {
			t.Fatal(err)
		}
		if h.contentsOf(bob.DID()) != before {
			t.Error("something of another tenant's went too")
		}
		if len(h.holding(canary)) == 0 {
			t.Fatal("it is nowhere; the test could not fail")
		}
		if _, err := h.EraseBrain(h.ctx, h.admitted(bob)); err != nil {
			t.Fatal(err)
		}
		if found := h.holding(canary); len(found) > 0 {
			t.Errorf("%v say it still", found)
		}
	})
}

// contentsOf is everything that an owner has.
func (h *house) contentsOf(owner memory.DID) (text string) {
	h.t.Helper()
	err := h.store.View(h.ctx, owner, func(r store.Reader) error {
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
		h.t.Fatal(err)
	}
	return text
}
