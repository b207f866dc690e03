package ump_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// redactedOf redacts vaultNote with another structured body, and returns the
// names that are left in it.
func redactedOf(t *testing.T, structured string, paths ...string) map[string]bool {
	t.Helper()
	r := mustDecode(t, vaultNote)
	r.Consent, r.Origin, r.Body.Structured = &memory.Consent{Redact: paths}, nil, []byte(structured)
	r, err := ump.Author(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r, err = ump.Redact(r, nil); err != nil {
		t.Fatal(err)
	}
	left := map[string]bool{}
	for _, m := range parse(t, r.Current).Get("body").Get("structured").Members() {
		left[m.Name] = true
	}
	return left
}

func TestRedactCopies(t *testing.T) {
	const residue = `"aimem":{"h":"sha256:00"},"engram":{"n":7},"aicf":{"row":"v"},"mcpmemory":{"entityType":"place"},` +
		`"claudecode":{"file":"a.md"},"paste":{"section":"Home"},"satchel":{"forgotten":{"note":"moved"}}`
	t.Run("UMP-2.7-7 residue of every format goes with what is not structured", func(t *testing.T) {
		for _, path := range []string{"body.text", "relations[0]", "relations[0].target", "provenance.source.ref", "scope.project", "time.observed"} {
			if left := redactedOf(t, `{"own":"kept",`+residue+`}`, path); len(left) != 1 || !left["own"] {
				t.Errorf("%s leaves %v", path, left)
			}
		}
	})
	t.Run("UMP-2.7-7 also where something structured goes with it", func(t *testing.T) {
		if left := redactedOf(t, `{"own":"kept","token":"t-1234567",`+residue+`}`, "body.text", "body.structured.token"); len(left) != 1 || !left["own"] {
			t.Errorf("%v is left", left)
		}
	})
	t.Run("UMP-2.7-7 residue that repeats nothing stays with what is structured", func(t *testing.T) {
		if left := redactedOf(t, `{"token":"t-1234567",`+residue+`}`, "body.structured.token"); len(left) != strings.Count(residue, `":{`)-1 || left["token"] {
			t.Errorf("%v is left", left)
		}
	})
	for _, c := range []struct{ name, structured string }{
		{"in residue", `{"secret":"Elm Street 12","paste":{"section":"x","was":["at Elm Street 12"]}}`},
		{"a part, in residue", `{"secret":"Elm Street 12","claudecode":{"block":"Elm Street"}}`},
		{"as a name", `{"secret":"Elm Street 12","copy":{"Elm Street 12":true}}`},
		{"in other letters", `{"secret":"Elm Street 12","copy":"ELM  street\n12"}`},
		{"a number", `{"secret":481516,"copy":[481516.0]}`},
		{"a number in words", `{"secret":481516,"copy":"it is 481516"}`},
		{"words as a number", `{"secret":{"pin":"481516"},"copy":481516}`},
		{"the name of an entity", `{"secret":"entity:Elm Street 12","copy":"Elm Street 12"}`},
	} {
		t.Run("UMP-2.7-7 a copy goes: "+c.name, func(t *testing.T) {
			if left := redactedOf(t, c.structured, "body.structured.secret"); len(left) > 0 {
				t.Errorf("%v is left", left)
			}
		})
	}
	t.Run("UMP-2.7-4 what only looks alike stays", func(t *testing.T) {
		const alike = `{"secret":{"a":"Elm Street 12","b":true,"c":null,"d":"","e":"1"},"part":"Elm Street","flag":true,"none":null,"empty":"","ten":10,"row":{"1":2}}`
		if left := redactedOf(t, alike, "body.structured.secret"); len(left) != 6 {
			t.Errorf("%v is left", left)
		}
	})
}
