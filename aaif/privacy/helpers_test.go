package privacy_test

import (
	"errors"
	"os"
	"sync"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/aaiftest"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// samples holds what sample has read.
var samples sync.Map

// sample returns a document of the test data of package aaif.
func sample(t testing.TB, name string) aaif.Document {
	t.Helper()
	if d, ok := samples.Load(name); ok {
		return d.(aaif.Document)
	}
	raw, err := os.ReadFile("../testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	d, err := aaif.Read(raw, aaif.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	samples.Store(name, d)
	return d
}

func tree(_ testing.TB, raw string) canon.Value { return aaiftest.Tree(raw) }

func set(v canon.Value, pointer string, val canon.Value) canon.Value {
	return aaiftest.Set(v, pointer, val)
}

func show(found []*codec.ParseError) string { return aaiftest.Show(found) }

// pathOf returns where an error is.
func pathOf(err error) string {
	if p, ok := errors.AsType[*codec.ParseError](err); ok {
		return p.Path
	}
	return ""
}

func expect[T comparable](t *testing.T, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func same(t *testing.T, want, got canon.Value) {
	t.Helper()
	if string(got.Append(nil)) != string(want.Append(nil)) {
		t.Fatalf("got %s, want %s", got.Append(nil), want.Append(nil))
	}
}
