package aaif_test

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
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

func tree(_ testing.TB, raw string) canon.Value {
	v, err := aaif.FromJSON([]byte(raw), aaif.ReadOptions{})
	if err != nil {
		panic(fmt.Sprintf("%v: %s", err, raw))
	}
	return v
}

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

// set returns v with what a pointer leads to set to a value; an undefined one removes
// it. Objects on the way are made.
func set(v canon.Value, pointer string, val canon.Value) canon.Value {
	if pointer == "" {
		return val
	}
	name, rest, more := strings.Cut(pointer[1:], "/")
	if more {
		rest = "/" + rest
	}
	if v.Type() == canon.TypeArray {
		i, err := strconv.Atoi(name)
		if err != nil {
			panic(err)
		}
		if rest == "" && val.Type() == canon.TypeUndefined {
			return v.WithoutItem(i)
		}
		var old canon.Value
		if i < v.Len() {
			old = v.Items()[i]
		}
		return v.WithItem(i, set(old, rest, val))
	}
	return v.With(name, set(v.Get(name), rest, val))
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

func show(found []*codec.ParseError) string {
	var lines []string
	for _, p := range found {
		lines = append(lines, string(aaif.CodeOf(p))+" "+p.Error())
	}
	return "\n" + strings.Join(lines, "\n")
}

// pathOf returns where an error is.
func pathOf(err error) string {
	if p, ok := errors.AsType[*codec.ParseError](err); ok {
		return p.Path
	}
	return ""
}
