package server_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/conformance"
	engramsuite "github.com/satchel-memory/satchel/conformance/engram"
	"github.com/satchel-memory/satchel/internal/racing"
)

// put sets what is at a pointer of a context to a JSON text, or takes it away.
func put(v canon.Value, pointer, raw string) canon.Value {
	name, rest, deeper := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	item := v.Get(name)
	at, err := strconv.Atoi(name)
	if err == nil {
		if at >= v.Len() {
			return v
		}
		item = v.Items()[at]
	}
	if deeper {
		item = put(item, rest, raw)
	} else if raw != "" {
		item, _ = canon.Parse([]byte(raw), canon.Options{})
	}
	switch {
	case err == nil:
		return v.WithItem(at, item)
	case !deeper && raw == "":
		return v.Without(name)
	}
	return v.With(name, item)
}

// engramMutants are contexts with one thing wrong, by pointer and JSON text.
func engramMutants() []struct{ name, pointer, raw string } {
	return []struct{ name, pointer, raw string }{
		{"ENGRAM-3.1-1 there is no evolution", "/evolution", ""},
		{"ENGRAM-3.1-2 corrections are null", "/corrections", "null"},
		{"ENGRAM-3.2-1 another version", "/engram_version", `"0.7"`},
		{"ENGRAM-3.2-2 schema is a number", "/schema", "1"},
		{"ENGRAM-3.2-3 issued_at is a day", "/issued_at", `"yesterday"`},
		{"ENGRAM-3.2-4 no expiry", "/expires_at", ""},
		{"ENGRAM-3.2-5 it lives for years", "/expires_at", `"2099-01-01T00:00:00Z"`},
		{"ENGRAM-3.2-7 it ends before it begins", "/expires_at", `"2020-01-01T00:00:00Z"`},
		{"ENGRAM-3.2-8 expiry is null", "/expires_at", "null"},
		{"ENGRAM-3.2-10 no kid", "/kid", ""},
		{"ENGRAM-3.2-12 the issuer has no name", "/issuer/name", ""},
		{"ENGRAM-3.2-13 the issuer has no scheme", "/issuer/url", `"memory.example"`},
		{"ENGRAM-3.2-14 a DID that is none", "/issuer/did", `"web:x"`},
		{"ENGRAM-3.2-16 the subject has a number", "/subject/id", `"42"`},
		{"ENGRAM-3.2-18 the subject is an address", "/subject/id", `"mailto:a@b.example"`},
		{"ENGRAM-3.2-19 the name of the subject is a number", "/subject/display_name", "5"},
		{"ENGRAM-3.2-20 a scope that there is not", "/scope", `"work"`},
		{"ENGRAM-3.2-21 a short signature", "/signature", `"AAAA"`},
		{"ENGRAM-3.2-22 a time of elsewhere", "/issued_at", `"2026-06-01T10:00:00+02:00"`},
		{"ENGRAM-3.3-1 nobody has a name", "/identity/display_name", ""},
		{"ENGRAM-3.3-2 a time zone that is none", "/identity/timezone", `"SGT+8"`},
		{"ENGRAM-3.3-3 a locale that is none", "/identity/locale", `"en_SG!"`},
		{"ENGRAM-3.3-4 the role is a number", "/identity/role", "5"},
		{"ENGRAM-3.3-5 domains are a text", "/identity/domains", `"AI"`},
		{"ENGRAM-3.3-6 the bio is a list", "/identity/bio", "[]"},
		{"ENGRAM-3.3-7 created_at is a day", "/identity/created_at", `"monday"`},
		{"ENGRAM-3.3-8 no identity", "/identity", ""},
		{"ENGRAM-3.4-1 an id that is none", "/beliefs/0/id", `"b1"`},
		{"ENGRAM-3.4-4 no category", "/beliefs/0/category", ""},
		{"ENGRAM-3.4-5 no key", "/beliefs/0/key", ""},
		{"ENGRAM-3.4-6 a value that is no text", "/beliefs/0/value", "42"},
		{"ENGRAM-3.4-7 a type that there is not", "/beliefs/0/value_type", `"date"`},
		{"ENGRAM-3.4-9 more than certain", "/beliefs/0/confidence", "1.5"},
		{"ENGRAM-3.4-11 a source that there is not", "/beliefs/0/source", `"guess"`},
		{"ENGRAM-3.4-12 a status that there is not", "/beliefs/0/status", `"pending"`},
		{"ENGRAM-3.4-18 never created", "/beliefs/0/created_at", ""},
		{"ENGRAM-3.4-19 confirmed once", "/beliefs/0/last_confirmed", `"once"`},
		{"ENGRAM-3.4-20 stale after half a day", "/beliefs/0/stale_after_days", "0.5"},
		{"ENGRAM-3.4-28 tags are a text", "/beliefs/0/tags", `"a"`},
		{"ENGRAM-3.5-1 a change without id", "/evolution/0/id", ""},
		{"ENGRAM-3.5-2 a change of nothing", "/evolution/0/belief_id", `"nothing"`},
		{"ENGRAM-3.5-3 no old value", "/evolution/0/old_value", ""},
		{"ENGRAM-3.5-4 no new value", "/evolution/0/new_value", ""},
		{"ENGRAM-3.5-5 changed at no time", "/evolution/0/changed_at", ""},
		{"ENGRAM-3.5-6 a trigger that there is not", "/evolution/0/trigger", `"manual"`},
		{"ENGRAM-3.5-7 the context is a number", "/evolution/0/context", "5"},
		{"ENGRAM-3.5-8 the note is a number", "/evolution/0/note", "5"},
		{"ENGRAM-3.6-1 a correction without id", "/corrections/0/id", ""},
		{"ENGRAM-3.6-2 a correction of nothing", "/corrections/0/belief_id", `"nothing"`},
		{"ENGRAM-3.6-3 corrected by somebody", "/corrections/0/corrected_by", `"admin"`},
		{"ENGRAM-3.6-4 corrected at no time", "/corrections/0/corrected_at", ""},
		{"ENGRAM-3.6-5 nothing was wrong", "/corrections/0/old_value", "null"},
		{"ENGRAM-3.6-6 nothing is right", "/corrections/0/new_value", ""},
		{"ENGRAM-3.6-7 a method that there is not", "/corrections/0/method", `"magic"`},
		{"ENGRAM-3.6-9 the note is a number", "/corrections/0/note", "5"},
		{"ENGRAM-3.7-1 the definition is a text", "/scope_definition", `"all"`},
		{"ENGRAM-3.7-3 what is included is a text", "/scope_definition", `{"included_categories":"health"}`},
		{"ENGRAM-3.7-4 what is excluded is a text", "/scope_definition", `{"included_categories":[],"excluded_categories":"health"}`},
		{"ENGRAM-3.7-5 the purpose is a number", "/scope_definition", `{"included_categories":[],"purpose":5}`},
		{"ENGRAM-3.7-7 issued to a name", "/scope_definition", `{"included_categories":[],"issued_to":"An Accountant"}`},
		{"ENGRAM-3.8-1 ENGRAM-3.8-2 ENGRAM-3.8-3 what is signed is changed", "/beliefs/0/value", `"other"`},
		{"ENGRAM-3.8-5 numbers have zeros", "/beliefs/0/confidence", "0.70"},
		{"ENGRAM-3.9-SCOPE-1 ENGRAM-3.9-CTX-1 every scope is custom", "/scope", `"custom"`},
		{"ENGRAM-12.6-4 nothing is signed", "/signature", `"unsigned-v1"`},
		{"ENGRAM-3.7-19 the role is told to all", "/identity/role", `"Pilot"`},
		{"ENGRAM-3.4-31 finances are in every scope", "/beliefs/0/category", `"financial"`},
	}
}

// engramMemberMutants break single members of contexts. The runs have no hands.
func engramMemberMutants() []engramMutant {
	var all []engramMutant
	for _, m := range engramMutants() {
		all = append(all, engramMutant{
			name: m.name, does: tellsOf(func(v canon.Value) canon.Value { return put(v, m.pointer, m.raw) }),
			hands: func(engramsuite.Hands) engramsuite.Hands { return nil },
		})
	}
	return all
}

// TestEngramMutants breaks one rule after another, and wants its rows to fail: every
// row that can be tried has to be able to.
func TestEngramMutants(t *testing.T) {
	racing.Skip(t)
	t.Parallel()
	broken := map[string]bool{} // by row
	for _, mutants := range engramGroups(t) {
		for _, m := range mutants(engramsuite.Target{}) {
			for _, id := range m.rows() {
				broken[id] = true
			}
		}
	}
	t.Run("each", func(t *testing.T) {
		for name, mutants := range engramGroups(t) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				target, store := lived(t)
				for _, m := range mutants(target) {
					t.Run(m.name, func(t *testing.T) {
						if m.waits {
							t.Parallel()
						}
						if failed := m.failing(t, target, store); !slices.Equal(failed, m.rows()) {
							t.Errorf("%v fail", failed)
						}
					})
				}
			})
		}
	})
	for _, r := range engramsuite.Rows() {
		if !broken[r.ID] && r.Outcome != conformance.NotApplicable {
			t.Errorf("no mutant breaks %s", r.ID)
		}
	}
}
