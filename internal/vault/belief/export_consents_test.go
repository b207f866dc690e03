package belief_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// exported returns what an export of a caller says.
func (h *house) exported(c memory.Caller, q engram.Query) (view engram.View) {
	h.T.Helper()
	if err := h.ExportContext(h.Ctx, c, q, func(v engram.View) error { view = v; return nil }); err != nil {
		h.T.Fatal(err)
	}
	return view
}

func TestConsentsInExports(t *testing.T) { onEach(t, testConsentsInExports) }

func testConsentsInExports(t *testing.T, open opener) {
	h := open(t)
	if got := h.exported(h.Me(), engram.Query{}).Consents; got != nil {
		t.Fatalf("consents of nothing: %+v", got)
	}
	granted := h.Now
	h.Bearer(vault.TokenOrder{Verbs: []memory.Verb{memory.ReadVerb}}) // no context
	tax, _ := h.Bearer(vault.TokenOrder{Runtime: &memory.Runtime{Name: "tax", Categories: []string{"health", "values"}, Purpose: "this year", IssuedTo: "https://tax.example"}})
	h.Pass(time.Minute)
	work, _ := h.Bearer(vault.TokenOrder{Runtime: &memory.Runtime{Name: "work", Scope: "professional"}})
	h.Pass(time.Minute)
	if err := h.RevokeToken(h.Ctx, h.Me(), tax.Grant.ID); err != nil {
		t.Fatal(err)
	}
	t.Run("ENGRAM-12.1-4 the owner's full export lists what assistants were granted", func(t *testing.T) {
		want := []engram.Consent{
			{ID: tax.Grant.ID, GrantedTo: "https://tax.example", Name: "tax", Scope: engram.Custom, Categories: []engram.Category{"health", "values"}, Purpose: "this year",
				GrantedAt: granted, ExpiresAt: tax.Grant.Expires, RevokedAt: granted.Add(2 * time.Minute)},
			{ID: work.Grant.ID, Name: "work", Scope: engram.Professional, GrantedAt: granted.Add(time.Minute), ExpiresAt: work.Grant.Expires},
		}
		got := h.exported(h.Me(), engram.Query{}).Consents
		same := func(a, b engram.Consent) bool { return string(a.Wire().Append(nil)) == string(b.Wire().Append(nil)) }
		if !slices.EqualFunc(got, want, same) {
			t.Errorf("%+v\nwant %+v", got, want)
		}
	})
	t.Run("ENGRAM-12.1-4 nobody else's export does, nor a part, nor the past", func(t *testing.T) {
		for name, got := range map[string]engram.View{
			"the owner's agent": h.exported(h.Agent(), engram.Query{}), "a scope": h.exported(h.Me(), engram.Query{Scope: engram.Personal}),
			"categories": h.exported(h.Me(), engram.Query{Categories: []engram.Category{engram.Health}}), "the past": h.exported(h.Me(), engram.Query{AsOf: h.Now}),
		} {
			if got.Consents != nil {
				t.Errorf("%s: %+v", name, got.Consents)
			}
		}
	})
	t.Run("ENGRAM-12.1-4 an import grants nothing, and says so", func(t *testing.T) {
		there := open(t)
		d := passportOfElsewhere()
		d.Consents = h.exported(h.Me(), engram.Query{}).Consents
		raw, err := engram.Encode(d)
		if err != nil {
			t.Fatal(err)
		}
		read, _, err := engram.Parse(raw, engram.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		done := there.takesInDocument(read)
		if done.Added != 2 || !slices.ContainsFunc(done.Warnings, func(w string) bool { return strings.Contains(w, "/consents") }) {
			t.Errorf("%+v", done)
		}
		if list, err := there.Tokens(there.Ctx, there.Me()); err != nil || len(list) != 0 {
			t.Errorf("%+v %v", list, err)
		}
	})
}
