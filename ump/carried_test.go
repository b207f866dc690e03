package ump_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

func TestConfidence(t *testing.T) {
	t.Run("UMP-2.4-3 confidence is carried where it is stated, and never made up", func(t *testing.T) {
		for draft, want := range map[string]string{
			`{"body":{"text":"x"},"lifecycle":{"confidence":0.35}}`: "0.35",
			`{"body":{"text":"x"},"lifecycle":{"salience":0.5}}`:    "",
			`{"body":{"text":"x"}}`:                                 "",
		} {
			born := mustAuthor(t, draft)
			bare := born
			bare.Origin, bare.Integrity = nil, nil // as a mapper from another format hands it over
			for _, r := range []memory.Record{born, bare} {
				for _, f := range []codec.Format{ump.Format(), ump.MarkdownFormat()} {
					got, _, err := readAll(t, f, fileOf(writeAll(t, f, codec.Options{}, r)), codec.Options{})
					if err != nil || len(got) != 1 {
						t.Fatalf("%s: %v", f.Name, err)
					}
					v, _ := parse(t, got[0].Origin).At("/lifecycle/confidence")
					if v.Spelling() != want || (got[0].Lifecycle.Confidence == nil) != (want == "") {
						t.Errorf("%s: %s has confidence %q in %s", f.Name, draft, v.Spelling(), got[0].Origin)
					}
				}
			}
		}
	})
}

func TestOwnMembers(t *testing.T) {
	r := mustDecode(t, vaultNote)
	weight, yes := 0.5, true
	r.Version, r.Body.Structured = ump.Edition, json.RawMessage(`{"a":1}`)
	r.Scope.User, r.Scope.Agent, r.Scope.Session = "u", "a", "s"
	r.Time.ValidFrom, r.Time.ValidTo = birthTime, birthTime
	r.Lifecycle = memory.Lifecycle{Confidence: &weight, Salience: &weight, Decay: "none", Status: memory.Candidate}
	r.Supersedes, r.SupersededBy = []memory.ID{"urn:ump:b"}, []memory.ID{"urn:ump:c"}
	r.Provenance.Source.Provider, r.Provenance.Evidence[0].Weight = "p", &weight
	r.Consent = &memory.Consent{Retention: "P1Y", Exportable: &yes, Redact: []string{"body.structured.a"}}
	r.Origin = nil
	t.Run("UMP-8-2 what is written has the members of section 2, and no vectors", func(t *testing.T) {
		born, err := ump.Author(r, ownerKey(t))
		if err != nil {
			t.Fatal(err)
		}
		if found := ump.Violations(born.Origin, codec.Options{Strict: true}); len(found) > 0 {
			t.Errorf("%v in %s", found, born.Origin)
		}
		if n := parse(t, born.Origin).Len(); n != 13 || strings.Contains(string(born.Origin), "[0.") {
			t.Errorf("%d members in %s", n, born.Origin)
		}
	})
}
