package aaif_test

import (
	"errors"
	"os"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/aaiftest"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// sample reads a document of testdata.
func sample(t testing.TB, name string) aaif.Document {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return doc(t, string(raw))
}

func doc(t testing.TB, raw string) aaif.Document {
	t.Helper()
	d, err := aaif.Read([]byte(raw), aaif.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func tree(_ testing.TB, raw string) canon.Value { return aaiftest.Tree(raw) }

// minimal is the smallest definition (section 4).
const minimal = `{"sc_standard":"SC-006","agent":{"name":"Example Agent","goal":"Assist users with their enquiries."}}`

func validator(t testing.TB, others ...aaif.Registry) *aaif.Validator {
	t.Helper()
	var registries aaif.Registries // of the edition, whose validator is made once
	if len(others) > 0 {
		registries = aaif.StandardRegistries().With(others...)
	}
	v, err := aaif.NewValidator(registries)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func set(v canon.Value, pointer string, val canon.Value) canon.Value {
	return aaiftest.Set(v, pointer, val)
}

// changed returns a document with one edit; value "" removes.
func changed(t testing.TB, d aaif.Document, pointer, value string) aaif.Document {
	t.Helper()
	var val canon.Value
	if value != "" {
		val = tree(t, value)
	}
	d.Value = set(d.Value, pointer, val)
	return d
}

// refusals drops warnings.
func refusals(found []*codec.ParseError) []*codec.ParseError {
	var list []*codec.ParseError
	for _, p := range found {
		if !p.Warning {
			list = append(list, p)
		}
	}
	return list
}

func show(found []*codec.ParseError) string { return aaiftest.Show(found) }

// pathOf returns where an error is.
func pathOf(err error) string {
	if p, ok := errors.AsType[*codec.ParseError](err); ok {
		return p.Path
	}
	return ""
}
