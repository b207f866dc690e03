package canon_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/canon"
)

func TestEdit(t *testing.T) {
	v := mustParse(t, `{"a":1,"b":[1,2,3],"c":3}`)
	list := v.Get("b")
	x := canon.String("x")
	for _, test := range []struct {
		name string
		got  canon.Value
		want string
	}{
		{"replaces in place", v.With("b", x), `{"a":1,"b":"x","c":3}`},
		{"appends", v.With("d", x), `{"a":1,"b":[1,2,3],"c":3,"d":"x"}`},
		{"undefined removes", v.With("a", canon.Value{}), `{"b":[1,2,3],"c":3}`},
		{"makes an object", canon.Value{}.With("a", x), `{"a":"x"}`},
		{"makes an object of a string", x.With("a", x), `{"a":"x"}`},
		{"mends names", canon.Value{}.With("\xff", x), `{"` + "\ufffd" + `":"x"}`},
		{"removes", v.Without("b"), `{"a":1,"c":3}`},
		{"removes what is not there", v.Without("z"), `{"a":1,"b":[1,2,3],"c":3}`},
		{"item replaced", list.WithItem(1, x), `[1,"x",3]`},
		{"item appended", list.WithItem(3, x), `[1,2,3,"x"]`},
		{"item undefined", list.WithItem(0, canon.Value{}), `[null,2,3]`},
		{"makes an array", canon.Value{}.WithItem(0, x), `["x"]`},
		{"item removed", list.WithoutItem(0), `[2,3]`},
		{"last item removed", list.WithoutItem(2), `[1,2]`},
	} {
		if got := text(test.got); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
	if got := text(v); got != `{"a":1,"b":[1,2,3],"c":3}` {
		t.Errorf("v became %s", got)
	}
}

// TestSiblings makes two trees of one, which must not share what they append.
func TestSiblings(t *testing.T) {
	v := mustParse(t, `{"a":[1],"b":2}`)
	one, two := v.With("x", canon.Int(1)), v.With("x", canon.Int(2))
	left, right := v.Get("a").WithItem(1, canon.Int(3)), v.Get("a").WithItem(1, canon.Int(4))
	_ = append(v.Members(), canon.Member{Name: "y"})
	_ = append(v.Get("a").Items(), canon.Null())
	if text(one)+text(two)+text(left)+text(right)+text(v) != `{"a":[1],"b":2,"x":1}{"a":[1],"b":2,"x":2}[1,3][1,4]{"a":[1],"b":2}` {
		t.Error(text(one), text(two), text(left), text(right), text(v))
	}
}

func TestItemOutOfRange(t *testing.T) {
	for name, edit := range map[string]func(canon.Value){
		"with, beyond":    func(v canon.Value) { v.WithItem(3, v) },
		"with, negative":  func(v canon.Value) { v.WithItem(-1, v) },
		"without, beyond": func(v canon.Value) { v.WithoutItem(2) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			edit(canon.Array(canon.Null(), canon.Null()))
		}()
	}
}

// TestMergePatch holds a case for each line of RFC 7396, appendix A, in words of
// our own.
func TestMergePatch(t *testing.T) {
	for _, test := range []struct{ target, patch, want string }{
		{`{"hue":"red"}`, `{"hue":"blue"}`, `{"hue":"blue"}`},
		{`{"hue":"red"}`, `{"size":"big"}`, `{"hue":"red","size":"big"}`},
		{`{"hue":"red"}`, `{"hue":null}`, `{}`},
		{`{"hue":"red","size":"big"}`, `{"hue":null}`, `{"size":"big"}`},
		{`{"hue":["red"]}`, `{"hue":"blue"}`, `{"hue":"blue"}`},
		{`{"hue":"blue"}`, `{"hue":["red"]}`, `{"hue":["red"]}`},
		{`{"box":{"hue":"red"}}`, `{"box":{"hue":"blue","size":null}}`, `{"box":{"hue":"blue"}}`},
		{`{"box":[{"hue":"red"}]}`, `{"box":[1]}`, `{"box":[1]}`},
		{`["red","blue"]`, `["green","grey"]`, `["green","grey"]`},
		{`{"hue":"red"}`, `["green"]`, `["green"]`},
		{`{"hue":"none"}`, `null`, `null`},
		{`{"hue":"none"}`, `"red"`, `"red"`},
		{`{"gap":null}`, `{"hue":1}`, `{"gap":null,"hue":1}`},
		{`[1,2]`, `{"hue":"red","size":null}`, `{"hue":"red"}`},
		{`{}`, `{"box":{"in":{"deep":null}}}`, `{"box":{"in":{}}}`},
		// Beyond the appendix: members keep their places, patches their order.
		{`{"a":1,"b":2,"c":3}`, `{"z":0,"b":{"x":null,"y":1},"a":null}`, `{"b":{"y":1},"c":3,"z":0}`},
		{`{"a":{"b":1.0}}`, `{}`, `{"a":{"b":1.0}}`},
	} {
		target := mustParse(t, test.target)
		if got := text(canon.MergePatch(target, mustParse(t, test.patch))); got != test.want {
			t.Errorf("%s with %s: got %s, want %s", test.target, test.patch, got, test.want)
		}
		if text(target) != test.target {
			t.Errorf("%s was changed", test.target)
		}
	}
}

// TestMergePatchTwice: a patch applied again changes nothing.
func TestMergePatchTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		target, patch := anyValue(3).Draw(t, "target"), anyValue(3).Draw(t, "patch")
		once := canon.MergePatch(target, patch)
		if twice := canon.MergePatch(once, patch); text(twice) != text(once) {
			t.Errorf("once %s, twice %s", text(once), text(twice))
		}
	})
}

// TestPointers holds the cases of RFC 6901, section 5, in our own words, and pointers that
// lead nowhere.
func TestPointers(t *testing.T) {
	v := mustParse(t, `{"list":["x","y"],"":0,"a/b":1,"c%d":2,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8,"~1":9,"01":{"2":10}}`)
	for _, test := range []struct{ pointer, want string }{
		{"", text(v)}, {"/list", `["x","y"]`}, {"/list/0", `"x"`}, {"/", "0"}, {"/a~1b", "1"}, {"/c%d", "2"},
		{"/g|h", "4"}, {`/i\j`, "5"}, {`/k"l`, "6"}, {"/ ", "7"}, {"/m~0n", "8"}, {"/~01", "9"}, {"/01/2", "10"},
	} {
		if got, ok := v.At(test.pointer); !ok || text(got) != test.want {
			t.Errorf("%q: got %s, %v; want %s", test.pointer, text(got), ok, test.want)
		}
	}
	for _, pointer := range []string{
		"list", "/none", "/list/2", "/list/-", "/list/00", "/list/01", "/list/+1", "/list/-1", "/list/", "/list/0/0",
		"/list/99999999999999999999", "/a/b", "/m~n", "/m~", "/m~2n", "//", "/list/0x0", "/list/1_0",
	} {
		if got, ok := v.At(pointer); ok || got.Type() != canon.TypeUndefined {
			t.Errorf("%q leads to %s", pointer, text(got))
		}
	}
	if _, ok := (canon.Value{}).At(""); ok {
		t.Error("the undefined value leads somewhere")
	}
	if got := canon.Pointer("a/b", "m~n", "", "0"); got != "/a~1b/m~0n//0" || canon.Pointer() != "" {
		t.Errorf("Pointer: %q", got)
	}
}

// TestPointerRoundTrip: Pointer and At are inverse.
func TestPointerRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.String(), 0, 4).Draw(t, "parts")
		v := canon.String("here")
		for i := len(parts) - 1; i >= 0; i-- {
			v = canon.Value{}.With(parts[i], v)
		}
		if got, ok := v.At(canon.Pointer(parts...)); !ok || got.Text() != "here" {
			t.Errorf("%q leads to %s", parts, text(got))
		}
	})
}
