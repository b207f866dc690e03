package codec_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

func tree(t testing.TB, text string) canon.Value {
	t.Helper()
	if text == "" {
		return canon.Value{}
	}
	v, err := canon.Parse([]byte(text), canon.Options{Inexact: true})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func spelled(v canon.Value) string { return string(v.Append(nil)) }

func TestReconcile(t *testing.T) {
	for _, test := range []struct {
		name                  string
		source, before, after string // "": undefined
		want                  string
		changed               string // pointers, joined by a blank
	}{
		{"nothing changed", `{"b":1.0,"a":2}`, `{"a":2,"b":1}`, `{"a":2,"b":1}`, `{"b":1.0,"a":2}`, ``},
		{"order alone is no change", `{"b":1,"a":2}`, `{"a":2,"b":1}`, `{"b":1,"a":2}`, `{"b":1,"a":2}`, ``},
		{"a member changed", `{"u":0,"a":1.0,"b":2.0}`, `{"a":1,"b":2}`, `{"a":1,"b":3}`, `{"u":0,"a":1.0,"b":3}`, `/b`},
		{"a member removed", `{"u":0,"a":1,"b":2.0}`, `{"a":1,"b":2}`, `{"b":2}`, `{"u":0,"b":2.0}`, `/a`},
		{"a member added", `{"u":0,"a":1}`, `{"a":1}`, `{"n":5,"a":1}`, `{"u":0,"a":1,"n":5}`, `/n`},
		{"a default stays away", `{"a":1}`, `{"a":1,"status":"active"}`, `{"a":2,"status":"active"}`, `{"a":2}`, `/a`},
		{"a default changed", `{"a":1}`, `{"a":1,"status":"active"}`, `{"a":1,"status":"gone"}`, `{"a":1,"status":"gone"}`, `/status`},
		{"a default removed", `{"a":1}`, `{"a":1,"status":"active"}`, `{"a":1}`, `{"a":1}`, ``},
		{"what was hidden and is set", `{"a":1,"b":7}`, `{"a":1}`, `{"a":1,"b":8}`, `{"a":1,"b":8}`, `/b`},
		{"what was hidden and is shown as it is", `{"a":1,"b":7.0}`, `{"a":1}`, `{"a":1,"b":7}`, `{"a":1,"b":7.0}`, ``},
		{"a hidden object that is set", `{"m":{"u":1,"k":2}}`, `{}`, `{"m":{"k":3}}`, `{"m":{"u":1,"k":3}}`, `/m/k`},
		{"already as edited", `{"a":2.0}`, `{"a":1}`, `{"a":2}`, `{"a":2.0}`, ``},
		{"deep", `{"m":{"u":[1],"n":{"k":1.0,"v":0}},"w":null}`, `{"m":{"n":{"k":1}}}`, `{"m":{"n":{"k":2}}}`, `{"m":{"u":[1],"n":{"k":2,"v":0}},"w":null}`, `/m/n/k`},
		{"names are escaped in pointers", `{"a/b":{"m~n":1}}`, `{"a/b":{"m~n":1}}`, `{"a/b":{"m~n":2}}`, `{"a/b":{"m~n":2}}`, `/a~1b/m~0n`},
		{"rendered otherwise than spelled", `{"at":"2026-01-01T01:00:00+01:00","k":1}`, `{"at":"2026-01-01T00:00:00Z","k":1}`, `{"at":"2026-01-01T00:00:00Z","k":2}`, `{"at":"2026-01-01T01:00:00+01:00","k":2}`, `/k`},
		{"null is a value", `{"a":null}`, `{"a":null}`, `{"a":0}`, `{"a":0}`, `/a`},
		{"another type", `{"a":{"u":1}}`, `{"a":{}}`, `{"a":[1]}`, `{"a":[1]}`, `/a`},
		{"an integer beyond 2^53", `{"n":9007199254740993}`, `{"n":9007199254740993}`, `{"n":9007199254740992}`, `{"n":9007199254740992}`, `/n`},
		{"a scalar", `1.0`, `1`, `2`, `2`, ``},

		{"array grows", `[{"u":1,"k":1}]`, `[{"k":1}]`, `[{"k":1},{"k":2}]`, `[{"u":1,"k":1},{"k":2}]`, `/1`},
		{"array grows beside hidden elements", `[{"u":1},{"k":1}]`, `[{"k":1}]`, `[{"k":1},{"k":2}]`, `[{"u":1},{"k":1},{"k":2}]`, `/2`},
		{"array grows from nothing", `["hidden"]`, `[]`, `["x"]`, `["hidden","x"]`, `/1`},
		{"element edited", `[{"u":1,"k":1},{"u":2,"k":2}]`, `[{"k":1},{"k":2}]`, `[{"k":1},{"k":3}]`, `[{"u":1,"k":1},{"u":2,"k":3}]`, `/1/k`},
		{"element removed", `[{"u":1,"k":1},{"u":2,"k":2}]`, `[{"k":1},{"k":2}]`, `[{"k":2}]`, `[{"u":2,"k":2}]`, ``},
		{"elements swapped", `[{"u":1,"k":1},{"u":2,"k":2}]`, `[{"k":1},{"k":2}]`, `[{"k":2},{"k":1}]`, `[{"u":2,"k":2},{"u":1,"k":1}]`, ``},
		{"one goes, one comes", `[{"u":1,"k":1},{"u":2,"k":2}]`, `[{"k":1},{"k":2}]`, `[{"k":2},{"k":3}]`, `[{"u":2,"k":2},{"k":3}]`, ``},
		{"element put before", `[{"u":1,"k":1}]`, `[{"k":1}]`, `[{"k":0},{"k":1}]`, `[{"k":0},{"u":1,"k":1}]`, ``},
		{"one edited, one added", `[{"u":1,"k":1},{"u":2,"k":2}]`, `[{"k":1},{"k":2}]`, `[{"k":5},{"k":2},{"k":3}]`, `[{"u":1,"k":5},{"u":2,"k":2},{"k":3}]`, ` /0/k`},
		{"one edited, one removed", `[{"u":1,"k":1},{"u":2,"k":2}]`, `[{"k":1},{"k":2}]`, `[{"k":3}]`, `[{"k":3}]`, ``},
		{"one edited, one put before", `[{"u":1,"k":1},{"u":2,"k":2}]`, `[{"k":1},{"k":2}]`, `[{"k":0},{"k":9},{"k":2}]`, `[{"k":0},{"k":9},{"u":2,"k":2}]`, ``},
		{"equal elements move one by one", `[0,1,{"u":2},{"u":3}]`, `[0,1,{},{}]`, `[{},{}]`, `[{"u":2},{"u":3}]`, ``},
		{"no element is taken twice", `[{"u":1,"k":1},{"u":2,"k":2}]`, `[{"k":1},{"k":2}]`, `[{"k":1},{"k":3},{"k":1}]`, `[{"u":1,"k":1},{"u":2,"k":3},{"k":1}]`, ` /1/k`},
		{"equal elements", `[1.0,1.00,1]`, `[1,1,1]`, `[1,1]`, `[1.0,1.00]`, ``},
		{"array emptied", `[{"u":1}]`, `[{}]`, `[]`, `[]`, ``},
		{"hidden elements and an edit", `[{"u":1},{"k":1}]`, `[{"k":1}]`, `[{"k":2}]`, `[{"k":2}]`, ``},
		{"nested arrays", `{"a":[[1.0,2.0],[3.0]]}`, `{"a":[[1,2],[3]]}`, `{"a":[[1,2],[4]]}`, `{"a":[[1.0,2.0],[4]]}`, `/a/1/0`},

		{"no source", ``, ``, `{"a":1}`, `{"a":1}`, ``},
	} {
		t.Run(test.name, func(t *testing.T) {
			source := tree(t, test.source)
			got, changed := codec.Reconcile(source, tree(t, test.before), tree(t, test.after))
			if spelled(got) != test.want {
				t.Errorf("got %s, want %s", spelled(got), test.want)
			}
			if test.source != "" && spelled(source) != test.source {
				t.Errorf("source became %s", spelled(source))
			}
			// A change of the whole has the pointer "", which joins to nothing.
			if whole := strings.Join(changed, " "); whole != test.changed {
				t.Errorf("changed %q, want %q", whole, test.changed)
			}
			if (len(changed) == 0) != (test.want == test.source) {
				t.Errorf("%d changes, and %s became %s", len(changed), test.source, test.want)
			}
		})
	}
}

// A document of the properties below has visible members k0 to k3, which its
// rendering shows, and unknown ones u0 to u3, which it does not; at every level,
// also inside arrays.

// anyDocument draws a tree of objects and arrays of such members.
func anyDocument(depth int) *rapid.Generator[canon.Value] {
	return rapid.Custom(func(t *rapid.T) canon.Value {
		switch kind := rapid.IntRange(0, 3).Draw(t, "type"); {
		case depth > 0 && kind == 0:
			return canon.Array(rapid.SliceOfN(anyDocument(depth-1), 0, 4).Draw(t, "items")...)
		case depth > 0 && kind < 3:
			var members []canon.Member
			for range rapid.IntRange(0, 5).Draw(t, "members") {
				name := rapid.SampledFrom([]string{"k0", "k1", "k2", "k3", "u0", "u1", "u2", "u3"}).Draw(t, "name")
				members = append(members, canon.Member{Name: name, Value: anyDocument(depth-1).Draw(t, "value")})
			}
			return canon.Object(members...)
		}
		spellings := []string{"1", "1.0", "1e0", "2", "20e-1", `"x"`, `"y"`, "null", "true"}
		v, _ := canon.Parse([]byte(rapid.SampledFrom(spellings).Draw(t, "scalar")), canon.Options{})
		return v
	})
}

// render shows the visible members, sorted, with numbers in one spelling.
func render(v canon.Value) canon.Value {
	switch v.Type() {
	case canon.TypeNumber:
		return canon.Number(v.Float())
	case canon.TypeArray:
		var items []canon.Value
		for _, item := range v.Items() {
			items = append(items, render(item))
		}
		return canon.Array(items...)
	case canon.TypeObject:
		var members []canon.Member
		for _, m := range v.Members() {
			if m.Name[0] == 'k' {
				members = append(members, canon.Member{Name: m.Name, Value: render(m.Value)})
			}
		}
		slices.SortFunc(members, func(a, b canon.Member) int { return strings.Compare(a.Name, b.Name) })
		return canon.Object(members...)
	}
	return v
}

// edit draws a changed rendering: members and items set, removed, added, moved.
func edit(t *rapid.T, v canon.Value) canon.Value {
	fresh := func() canon.Value { return render(anyDocument(1).Draw(t, "fresh")) }
	if rapid.IntRange(0, 7).Draw(t, "replace") == 0 {
		return fresh()
	}
	switch v.Type() {
	case canon.TypeObject:
		for _, m := range v.Members() {
			switch rapid.IntRange(0, 5).Draw(t, m.Name) {
			case 0:
				v = v.Without(m.Name)
			case 1, 2:
				v = v.With(m.Name, edit(t, m.Value))
			}
		}
		if rapid.IntRange(0, 3).Draw(t, "add") == 0 {
			v = v.With(rapid.SampledFrom([]string{"k0", "k1", "k2", "k3"}).Draw(t, "name"), fresh())
		}
	case canon.TypeArray:
		items := slices.Clone(v.Items())
		for i := range items {
			if rapid.IntRange(0, 2).Draw(t, "item") == 0 {
				items[i] = edit(t, items[i])
			}
		}
		if n := len(items); n > 0 && rapid.IntRange(0, 3).Draw(t, "drop") == 0 {
			items = slices.Delete(items, 0, 1)
		}
		if rapid.IntRange(0, 3).Draw(t, "reverse") == 0 {
			slices.Reverse(items)
		}
		if rapid.IntRange(0, 3).Draw(t, "grow") == 0 {
			items = append(items, fresh())
		}
		v = canon.Array(items...)
	}
	return v
}

// TestReconcileNothing: without an edit, source comes back verbatim.
func TestReconcileNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		source := anyDocument(4).Draw(t, "source")
		before := rapid.OneOf(rapid.Just(render(source)), anyDocument(3)).Draw(t, "before")
		got, changed := codec.Reconcile(source, before, before)
		if spelled(got) != spelled(source) || len(changed) > 0 {
			t.Errorf("%s became %s, changed %q", spelled(source), spelled(got), changed)
		}
	})
}

// TestReconcileShowsEdits: the result renders to exactly the requested edit.
func TestReconcileShowsEdits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		source := anyDocument(4).Draw(t, "source")
		before := render(source)
		after := edit(t, before)
		got, changed := codec.Reconcile(source, before, after)
		if !canon.Identical(render(got), after) {
			t.Errorf("source %s\nafter  %s\ngot    %s", spelled(source), spelled(after), spelled(got))
		}
		if len(changed) == 0 && spelled(got) != spelled(source) {
			t.Errorf("nothing changed, and %s became %s", spelled(source), spelled(got))
		}
		if len(changed) > 0 && canon.Identical(before, after) {
			t.Errorf("nothing was edited, and %q changed", changed)
		}
		again, _ := codec.Reconcile(got, render(got), render(got))
		if spelled(again) != spelled(got) {
			t.Errorf("%s is not stable: %s", spelled(got), spelled(again))
		}
	})
}

// TestReconcileKeepsUnknown: an unknown member survives if its container does: the same
// member of an object, or an element of an array that was edited in place.
func TestReconcileKeepsUnknown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		source := anyDocument(4).Draw(t, "source")
		before := render(source)
		after := editInPlace(t, before)
		got, _ := codec.Reconcile(source, before, after)
		unknown(source, "", func(pointer string, want canon.Value) {
			if holds(after, pointer) {
				if have, ok := got.At(pointer); !ok || spelled(have) != spelled(want) {
					t.Errorf("source %s\nafter  %s\ngot    %s\nlost %s", spelled(source), spelled(after), spelled(got), pointer)
				}
			}
		})
	})
}

// editInPlace draws edits of scalars and members that move no elements.
func editInPlace(t *rapid.T, v canon.Value) canon.Value {
	switch v.Type() {
	case canon.TypeObject:
		for _, m := range v.Members() {
			v = v.With(m.Name, editInPlace(t, m.Value))
		}
		if rapid.IntRange(0, 3).Draw(t, "remove") == 0 {
			v = v.Without("k0")
		}
		return v
	case canon.TypeArray:
		for i, item := range v.Items() {
			v = v.WithItem(i, editInPlace(t, item))
		}
		if rapid.IntRange(0, 3).Draw(t, "grow") == 0 {
			v = v.WithItem(v.Len(), canon.String("new"))
		}
		return v
	}
	if rapid.Bool().Draw(t, "edit") {
		return canon.String(fmt.Sprint("edited ", rapid.Uint64().Draw(t, "n")))
	}
	return v
}

// unknown visits every outermost unknown member of v.
func unknown(v canon.Value, pointer string, visit func(string, canon.Value)) {
	for i, item := range v.Items() {
		unknown(item, pointer+canon.Pointer(fmt.Sprint(i)), visit)
	}
	for _, m := range v.Members() {
		at := pointer + canon.Pointer(m.Name)
		if m.Name[0] == 'u' {
			visit(at, m.Value)
		} else {
			unknown(m.Value, at, visit)
		}
	}
}

// holds reports whether the container of the member at pointer is still an object in after,
// and cannot be mistaken for an element that moved.
func holds(after canon.Value, pointer string) bool {
	parent, ok := after.At(pointer[:strings.LastIndexByte(pointer, '/')])
	return ok && parent.Type() == canon.TypeObject && !inShiftedArray(after, pointer)
}

// inShiftedArray reports whether an array on the way to pointer has elements that render
// alike, so that one may stand for the other.
func inShiftedArray(after canon.Value, pointer string) bool {
	for i, c := range pointer {
		if c != '/' {
			continue
		}
		v, _ := after.At(pointer[:i])
		seen := map[string]bool{}
		for _, item := range v.Items() {
			key := string(item.AppendCanonical(nil))
			if seen[key] {
				return true
			}
			seen[key] = true
		}
	}
	return false
}

// TestReconcileLarge: wide objects and long arrays take little time.
func TestReconcileLarge(t *testing.T) {
	var items []canon.Value
	var members []canon.Member
	for i := range 50_000 {
		n := canon.Int(int64(i))
		items = append(items, n)
		members = append(members, canon.Member{Name: fmt.Sprint(i), Value: n})
	}
	array, object := canon.Array(items...), canon.Object(members...)
	backwards := slices.Clone(items)
	slices.Reverse(backwards)
	if got, changed := codec.Reconcile(array, array, canon.Array(backwards...)); len(changed) != 1 || got.Items()[0].Float() != 49_999 {
		t.Errorf("%d changes", len(changed))
	}
	if got, changed := codec.Reconcile(object, object, canon.Object(members[1:]...)); len(changed) != 1 || got.Len() != 49_999 {
		t.Errorf("%d changes", len(changed))
	}
}
