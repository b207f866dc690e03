package aaif_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// Every file of testdata is valid, and the same after CBOR; there is one of each kind of
// document, and one of each form of conditions.
func TestVectors(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	had := map[string]bool{}
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		t.Run("AAIF-2-1 AAIF-4-1 AAIF-9-1 "+name, func(t *testing.T) {
			d := sample(t, name)
			had[string(d.Kind)] = true
			if found := aaif.Errors(validator(t).Lint(d)); len(found) > 0 {
				t.Error(show(found))
			}
			raw, err := aaif.ToCBOR(d.Value)
			if err != nil {
				t.Fatal(err)
			}
			back, err := aaif.Read(raw, aaif.ReadOptions{})
			if err != nil || back.Kind != d.Kind || !canon.Equal(back.Value, d.Value) {
				t.Errorf("another document after CBOR: %v", err)
			}
			form, ok := strings.CutPrefix(name, "condition-")
			if !ok {
				return
			}
			all := aaif.ReadDefinition(d.Value).Conditions()
			if len(all) != 1 || string(all[0].Condition.Lang) != form && (form != "words" || all[0].Condition.Hint == "") {
				t.Errorf("got %+v", all)
			}
			had[form] = true
			n := aaif.Negotiate(aaif.ReadDefinition(d.Value), aaif.Manifest{}, aaif.NegotiateOptions{})
			expect(t, slices.ContainsFunc(n.Needs, func(need aaif.Need) bool { return need.Capability == "condition."+form }), form != "words")
		})
	}
	for _, wanted := range []string{"agent", "agent-state", "platform-manifest", "conformance-report", "registry", "jsonpath", "jmespath", "cel", "jsonlogic", "always", "never", "words"} {
		if !had[wanted] {
			t.Errorf("no file of %s", wanted)
		}
	}
}
