package aaiftest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// Tree reads the JSON of a document, or of a part of one. It panics where that is none.
func Tree(raw string) canon.Value {
	v, err := aaif.FromJSON([]byte(raw), aaif.ReadOptions{})
	if err != nil {
		panic(fmt.Sprintf("%v: %s", err, raw))
	}
	return v
}

// Set returns v with another value at a pointer. An undefined value removes the member or
// the item. Set makes the objects that are missing on the way, and panics where the
// pointer names an item of a list by something else than a number.
func Set(v canon.Value, pointer string, val canon.Value) canon.Value {
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
		return v.WithItem(i, Set(old, rest, val))
	}
	return v.With(name, Set(v.Get(name), rest, val))
}

// Show returns violations as lines of text, each with its code.
func Show(found []*codec.ParseError) string {
	var lines []string
	for _, p := range found {
		lines = append(lines, string(aaif.CodeOf(p))+" "+p.Error())
	}
	return "\n" + strings.Join(lines, "\n")
}
