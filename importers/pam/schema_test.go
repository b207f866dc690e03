package pam_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/importers/importtest"
	"github.com/satchel-memory/satchel/importers/pam"
)

// TestSchema checks written documents against the published schema.
func TestSchema(t *testing.T) {
	root := os.Getenv("SATCHEL_SHARED")
	if root == "" {
		t.Skip("skipped: SATCHEL_SHARED not set")
	}
	compiler := jsonschema.NewCompiler()
	schema, err := compiler.Compile(filepath.Join(root, "data/formats/pam/portable-ai-memory.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	valid := func(text string) {
		t.Helper()
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err == nil {
			err = schema.Validate(v)
		}
		if err != nil {
			t.Errorf("%v\n%s", err, text)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		text, _ := write(t, importtest.Records(rt)...)
		valid(text)
	})
	src := importtest.Shared(t, "data/formats/pam/example-memory-store.json")
	records, losses, err := importtest.Check(t, pam.Format(), src, importtest.Options())
	if err != nil || len(records) != 5 || pam.Format().Detect(src) != codec.Certain {
		t.Fatal(err, len(records))
	}
	if diff := cmp.Diff(1, len(losses)); diff != "" { // its signature is only an example
		t.Errorf("losses are %v", losses)
	}
	text, _ := write(t, records...)
	valid(text)
	raw := make([]byte, src.Size)
	if _, err := src.File.ReadAt(raw, 0); err != nil {
		t.Fatal(err)
	}
	if !canon.Equal(parsed(t, text), parsed(t, string(raw))) {
		t.Errorf("it comes back as\n%s", text)
	}
	talk := importtest.Shared(t, "data/formats/pam/example-conversation.json")
	if records, _, err := importtest.Check(t, pam.Format(), talk, importtest.Options()); err != nil || len(records) != 2 || pam.Format().Detect(talk) != codec.Certain {
		t.Errorf("%v, %d records", err, len(records))
	}
}
