package exchangetest

import (
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// Sample returns a definition with every member, from the test data of package aaif.
func Sample(t testing.TB) canon.Value {
	t.Helper()
	raw, err := os.ReadFile("../testdata/agent.json")
	if err != nil {
		t.Fatal(err)
	}
	return Tree(t, string(raw))
}

// Tree reads JSON.
func Tree(t testing.TB, raw string) canon.Value {
	t.Helper()
	v, err := aaif.FromJSON([]byte(raw), aaif.ReadOptions{})
	if err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return v
}

// fields returns the pointer of every field of definitions, and fails for a field without
// a value in the sample. In lists the first item with the field stands for all.
func fields(t testing.TB, v canon.Value) []string {
	t.Helper()
	var found []string
	wanted := map[string]bool{} // names, and whether the sample has them
	visit(reflect.TypeFor[aaif.Definition](), v, "", "", func(name, at string, there bool) {
		wanted[name] = wanted[name] || there
		if there {
			found = append(found, at)
		}
	})
	for name, there := range wanted {
		if !there && name != "/provenance/signature" { // it would sign the sample
			t.Errorf("the sample has no %s", name)
		}
	}
	return found
}

func visit(typ reflect.Type, v canon.Value, at, name string, yield func(name, at string, there bool)) {
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if typ.Kind() == reflect.Slice {
		for i, item := range v.Items() {
			visit(typ.Elem(), item, at+"/"+strconv.Itoa(i), name+"[]", yield)
		}
	}
	if typ.Kind() != reflect.Struct {
		return
	}
	for i := range typ.NumField() {
		tag, ok := typ.Field(i).Tag.Lookup("aaif")
		if !ok {
			continue
		}
		member, _, _ := strings.Cut(tag, "=")
		member = "/" + strings.TrimSuffix(member, "!")
		inner := v.Get(member[1:])
		yield(name+member, at+member, inner.Type() != canon.TypeUndefined)
		if inner.Type() != canon.TypeUndefined {
			visit(typ.Field(i).Type, inner, at+member, name+member, yield)
		}
	}
}

// leaves returns the pointers of all values without content of their own.
func leaves(v canon.Value, at string) (all []string) {
	for i, inner := range v.Items() {
		all = append(all, leaves(inner, at+"/"+strconv.Itoa(i))...)
	}
	for _, m := range v.Members() {
		all = append(all, leaves(m.Value, at+canon.Pointer(m.Name))...)
	}
	if all == nil {
		return []string{at}
	}
	return all
}

// set returns a tree with another value at a pointer. An undefined value removes it.
func set(v canon.Value, pointer string, val canon.Value) canon.Value {
	if pointer == "" {
		return val
	}
	name, rest, more := strings.Cut(pointer[1:], "/")
	if more {
		rest = "/" + rest
	}
	name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
	if v.Type() != canon.TypeArray {
		return v.With(name, set(v.Get(name), rest, val))
	}
	i, err := strconv.Atoi(name)
	if err != nil {
		panic(err)
	}
	if rest == "" && val.Type() == canon.TypeUndefined {
		return v.WithoutItem(i)
	}
	return v.WithItem(i, set(v.Items()[i], rest, val))
}
