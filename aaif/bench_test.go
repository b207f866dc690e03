package aaif_test

import (
	"bytes"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/privacy"
)

// Reading and judging a definition, against what the library of schemas costs alone.
func BenchmarkValidate(b *testing.B) {
	raw := sample(b, "agent").Value.Append(nil)
	v := validator(b)
	source, err := jsonschema.UnmarshalJSON(bytes.NewReader(aaif.Schema(aaif.AgentKind)))
	if err != nil {
		b.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", source); err != nil {
		b.Fatal(err)
	}
	schema, err := c.Compile("schema.json")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("library", func(b *testing.B) {
		b.SetBytes(int64(len(raw)))
		for b.Loop() {
			tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
			if err != nil || schema.Validate(tree) != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("room", func(b *testing.B) {
		b.SetBytes(int64(len(raw)))
		for b.Loop() {
			d, err := aaif.Read(raw, aaif.ReadOptions{})
			if err != nil || aaif.HasErrors(v.Validate(d)) {
				b.Fatal(err)
			}
		}
	})
	b.Run("secrets", func(b *testing.B) {
		d := doc(b, string(raw))
		for b.Loop() {
			if len(privacy.Secrets(d, privacy.SecretOptions{})) > 0 {
				b.Fatal("found a secret")
			}
		}
	})
}
