package vault_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// tellNothing are the methods that tell nothing of an owner, or are asked by the
// server itself, not for a caller.
var tellNothing = []string{
	"Open", "Admit", "Batch", "Capabilities", "Edition", "AuditMark", "Expired", "Take", "Metrics", "Reached", "Health", "HealthTelling", "Erasures", "Emit", "Pending",
	"Refused", "Flush", "Tidy", "TidyAll", "Sweep", "SweepAgreed", "SweepAll", "ReindexAll", "ReindexDue", "Held", "Subscribed", "Deliveries", "Delivered",
}

// forRuntimes are the methods that a token for a runtime is for.
var forRuntimes = []string{"State", "Context", "Diff", "Propose", "ProposeAll", "ProposeConstraint", "Subscribe", "Unsubscribe"}

func TestRuntimeTokens(t *testing.T) {
	h := open(t)
	all := &memory.Runtime{Name: "notes", Scope: "full"}
	t.Run("ENGRAM-3.9-AUTH-5 a token for a runtime opens the context and nothing else", func(t *testing.T) {
		id := h.stocked(h.Me(), "ada likes pears", "orchard")
		c, _ := h.Bearer(vault.TokenOrder{Verbs: memory.Verbs(), Runtime: all})
		w := &walled{house: h, key: h.Key, who: c, own: id, theirs: id, neighbour: h.Key.DID()}
		for _, v := range visits {
			if slices.Contains(tellNothing, v.name) || slices.Contains(forRuntimes, v.name) {
				continue
			}
			answer, err := v.call(w)
			if memory.KindOf(err) != memory.ForbiddenScope || strings.Contains(v.said(w), "pears") {
				t.Errorf("%s answers %+v, %v", v.name, answer, err)
			}
		}
	})
	t.Run("ENGRAM-3.9-AUTH-5 and of that no more than its verbs grant", func(t *testing.T) {
		id := h.stocked(h.Me(), "ada likes plums", "orchard")
		for verb, refused := range map[memory.Verb][]string{
			memory.WriteVerb: {"State", "Context", "Diff", "Subscribe", "Unsubscribe"},
			memory.ReadVerb:  {"Propose", "ProposeAll", "ProposeConstraint"},
		} {
			c, _ := h.Bearer(vault.TokenOrder{Verbs: []memory.Verb{verb}, Runtime: all})
			w := &walled{house: h, key: h.Key, who: c, own: id, theirs: id, neighbour: h.Key.DID()}
			for _, v := range visits {
				if !slices.Contains(refused, v.name) {
					continue
				}
				answer, err := v.call(w)
				if memory.KindOf(err) != memory.ForbiddenScope || strings.Contains(v.said(w), "plums") {
					t.Errorf("%s answers %+v, %v to a token that grants %s", v.name, answer, err, verb)
				}
			}
		}
	})
	t.Run("ENGRAM-3.9-AUTH-6 says whom it lets in, and for which part", func(t *testing.T) {
		c, _ := h.Bearer(vault.TokenOrder{Runtime: &memory.Runtime{Name: "notes", Categories: []string{"health"}, IssuedTo: "urn:x:notes"}})
		if c.Role != memory.Peer || c.Grant.Runtime == nil || c.Grant.Runtime.Name != "notes" || !slices.Equal(c.Grant.Runtime.Categories, []string{"health"}) {
			t.Errorf("it lets in %+v with %+v", c, c.Grant.Runtime)
		}
	})
	for name, r := range map[string]*memory.Runtime{
		"a scope that is none":       {Name: "notes", Scope: "work"},
		"custom, which is no name":   {Name: "notes", Scope: "custom"},
		"a category that is none":    {Name: "notes", Categories: []string{"health", "cars"}},
		"both":                       {Name: "notes", Scope: "full", Categories: []string{"health"}},
		"neither":                    {Name: "notes"},
		"no name":                    {Scope: "full"},
		"ENGRAM-3.7-7 free text":     {Name: "notes", Scope: "full", IssuedTo: "Notes"},
		"ENGRAM-3.7-7 http":          {Name: "notes", Scope: "full", IssuedTo: "http://x"},
		"ENGRAM-3.7-7 https nowhere": {Name: "notes", Scope: "full", IssuedTo: "https:x"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := h.MintToken(h.Ctx, h.Me(), vault.TokenOrder{Verbs: memory.Verbs(), Runtime: r, Expires: h.Now.AddDate(0, 0, 1)})
			if memory.KindOf(err) != memory.InvalidRecord {
				t.Errorf("minted: %v", err)
			}
		})
	}
}
