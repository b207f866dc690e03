package canon_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/canon"
)

// mustParse parses a text of the test itself.
func mustParse(t testing.TB, text string) canon.Value {
	t.Helper()
	v, err := canon.Parse([]byte(text), canon.Options{Inexact: true})
	if err != nil {
		t.Fatalf("parse %s: %v", text, err)
	}
	return v
}

func text(v canon.Value) string { return string(v.Append(nil)) }

// anyValue draws trees of all types, with names that need care.
func anyValue(depth int) *rapid.Generator[canon.Value] {
	names := rapid.SampledFrom([]string{"", "a", "b", "é", "a/b", "a~b", "\ue000", "\ufb33", "\ud7ff", "😀", "\n", `"`, "0", "1"})
	return rapid.Custom(func(t *rapid.T) canon.Value {
		kinds := 5
		if depth > 0 {
			kinds = 7
		}
		switch rapid.IntRange(0, kinds-1).Draw(t, "type") {
		case 0:
			return canon.Null()
		case 1:
			return canon.Bool(rapid.Bool().Draw(t, "bool"))
		case 2:
			return canon.Number(rapid.Float64Range(-1e300, 1e300).Draw(t, "float"))
		case 3:
			return canon.Int(rapid.Int64Range(-1<<53, 1<<53).Draw(t, "int"))
		case 4:
			return canon.String(rapid.String().Draw(t, "text"))
		case 5:
			return canon.Array(rapid.SliceOfN(anyValue(depth-1), 0, 4).Draw(t, "items")...)
		}
		var members []canon.Member
		for range rapid.IntRange(0, 5).Draw(t, "members") {
			members = append(members, canon.Member{Name: names.Draw(t, "name"), Value: anyValue(depth-1).Draw(t, "value")})
		}
		return canon.Object(members...)
	})
}

// TestTreeAndText: an appended tree parses to an equal tree with the same spelling, and the
// canonical form of the tree is that of its text.
func TestTreeAndText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := anyValue(4).Draw(t, "value")
		for _, form := range [][]byte{v.Append(nil), v.AppendIndent(nil, "\t"), v.AppendIndent(nil, "")} {
			back, err := canon.Parse(form, canon.Options{Inexact: true})
			if err != nil {
				t.Fatalf("%s: %v", form, err)
			}
			if text(back) != text(v) || !canon.Equal(back, v) || !canon.Identical(back, v) {
				t.Errorf("%s came back as %s", text(v), text(back))
			}
			want, err := canon.Canonical(form, canon.Options{Inexact: true})
			if got := v.AppendCanonical(nil); err != nil || string(got) != string(want) {
				t.Errorf("AppendCanonical: got %s, Canonical: %s, %v", got, want, err)
			}
		}
	})
}

// TestEqualIsCanonical: two trees are equal when their canonical forms are.
func TestEqualIsCanonical(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyValue(2).Draw(t, "a"), anyValue(2).Draw(t, "b")
		if rapid.Bool().Draw(t, "reorder") {
			b = reverse(a)
		}
		same := string(a.AppendCanonical(nil)) == string(b.AppendCanonical(nil))
		if canon.Equal(a, b) != same {
			t.Errorf("Equal(%s, %s) is %v", text(a), text(b), !same)
		}
	})
}

// reverse turns the order of all members round.
func reverse(v canon.Value) canon.Value {
	switch v.Type() {
	case canon.TypeArray:
		var items []canon.Value
		for _, item := range v.Items() {
			items = append(items, reverse(item))
		}
		return canon.Array(items...)
	case canon.TypeObject:
		var members []canon.Member
		for _, m := range v.Members() {
			members = append([]canon.Member{{Name: m.Name, Value: reverse(m.Value)}}, members...)
		}
		return canon.Object(members...)
	}
	return v
}

func TestEqual(t *testing.T) {
	for _, test := range []struct {
		a, b             string
		equal, identical bool
	}{
		{`1`, `1.0`, true, true},
		{`-0`, `0`, true, true},
		{`1e2`, `100`, true, true},
		{`1`, `2`, false, false},
		{`1`, `"1"`, false, false},
		{`9007199254740993`, `9007199254740992`, true, false},
		{`[9007199254740993]`, `[9007199254740993]`, true, true},
		{`{"a":{"b":36028797018963969}}`, `{"a":{"b":36028797018963968}}`, true, false},
		{`1e22`, `1.0e22`, true, true},
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, true, true},
		{`{"a":1,"b":2}`, `{"a":1,"c":2}`, false, false},
		{`{"a":null}`, `{}`, false, false},
		{`[1,2]`, `[2,1]`, false, false},
		{`"\u00e9"`, `"é"`, true, true},
		{`"é"`, `"e\u0301"`, false, false},
		{`true`, `false`, false, false},
	} {
		a, b := mustParse(t, test.a), mustParse(t, test.b)
		for range 2 {
			if canon.Equal(a, b) != test.equal || canon.Identical(a, b) != test.identical {
				t.Errorf("%s and %s: equal %v, identical %v", test.a, test.b, canon.Equal(a, b), canon.Identical(a, b))
			}
			a, b = b, a
		}
	}
	if !canon.Equal(canon.Value{}, canon.Value{}) || canon.Equal(canon.Value{}, canon.Null()) {
		t.Error("undefined equals itself and nothing else")
	}
}

// TestCanonicalOfRecord states the properties that a hash over a record depends on.
func TestCanonicalOfRecord(t *testing.T) {
	const plain = `{"ump":"0.1","body":{"text":"x"},"time":{"valid_to":null},"lifecycle":{"confidence":1.0}}`
	canonical := func(s string) string { return string(mustParse(t, s).AppendCanonical(nil)) }
	t.Run("UMP-6.1-1 the record without integrity is the record that never had it", func(t *testing.T) {
		signed := mustParse(t, plain).With("integrity", mustParse(t, `{"content_hash":"blake3:x"}`))
		if got := string(signed.Without("integrity").AppendCanonical(nil)); got != canonical(plain) {
			t.Errorf("got %s", got)
		}
		if got := string(signed.AppendCanonical(nil)); got == canonical(plain) {
			t.Error("integrity is not in the record")
		}
	})
	t.Run("UMP-6.1-5 null members are kept and absent ones are not added", func(t *testing.T) {
		absent := strings.Replace(plain, `"valid_to":null`, ``, 1)
		if canonical(absent) == canonical(plain) {
			t.Error("null and absent have one canonical form")
		}
		if !strings.Contains(canonical(plain), `"time":{"valid_to":null}`) || !strings.Contains(canonical(absent), `"time":{}`) {
			t.Errorf("got %s and %s", canonical(plain), canonical(absent))
		}
	})
	t.Run("UMP-6.1-6 confidence 1.0 and 1 are one number", func(t *testing.T) {
		if canonical(plain) != canonical(strings.Replace(plain, "1.0", "1", 1)) {
			t.Error("1.0 and 1 differ")
		}
	})
}

func TestAccessors(t *testing.T) {
	v := mustParse(t, `{"s":"x\ny","n":-1.50e2,"t":true,"f":false,"z":null,"a":[1,"two"],"o":{"k":{}}}`)
	if v.Type() != canon.TypeObject || v.Len() != 7 || len(v.Members()) != 7 || v.Items() != nil {
		t.Errorf("object: %v, %d members", v.Type(), v.Len())
	}
	if got := v.Get("s"); got.Type() != canon.TypeString || got.Text() != "x\ny" || got.Spelling() != "" {
		t.Errorf("string: %v %q", got.Type(), got.Text())
	}
	if got := v.Get("n"); got.Type() != canon.TypeNumber || got.Float() != -150 || got.Spelling() != "-1.50e2" || got.Text() != "" {
		t.Errorf("number: %v %v %q", got.Type(), got.Float(), got.Spelling())
	}
	if !v.Get("t").True() || v.Get("f").True() || v.Get("s").True() {
		t.Error("True is for true only")
	}
	if v.Get("z").Type() != canon.TypeNull || !v.Has("z") || v.Has("Z") || v.Get("Z").Type() != canon.TypeUndefined {
		t.Error("null and absent are mixed up")
	}
	if a := v.Get("a"); a.Type() != canon.TypeArray || a.Len() != 2 || a.Items()[1].Text() != "two" || a.Members() != nil {
		t.Errorf("array: %s", text(a))
	}
	if v.Get("s").Get("x").Type() != canon.TypeUndefined || v.Get("s").Len() != 0 || v.Get("s").Float() != 0 {
		t.Error("a string has neither members nor a length nor a number")
	}
}

func TestTypeNames(t *testing.T) {
	got := fmt.Sprint(canon.TypeUndefined, canon.TypeNull, canon.TypeBool, canon.TypeNumber, canon.TypeString, canon.TypeArray, canon.TypeObject, canon.Type(9))
	if want := "undefined null boolean number string array object type 9"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestBuild(t *testing.T) {
	undefined := canon.Value{}
	for _, test := range []struct {
		got  canon.Value
		want string
	}{
		{canon.Object(canon.Member{Name: "b", Value: canon.Int(1)}, canon.Member{Name: "a", Value: canon.Bool(false)}), `{"b":1,"a":false}`},
		{canon.Object(canon.Member{Name: "a", Value: undefined}), `{}`},
		{canon.Object(canon.Member{Name: "a", Value: canon.Int(1)}, canon.Member{Name: "b", Value: canon.Int(2)}, canon.Member{Name: "a", Value: canon.Int(3)}), `{"a":3,"b":2}`},
		{canon.Object(canon.Member{Name: "\xff", Value: canon.String("a\xfe")}), `{"` + "\ufffd" + `":"a` + "\ufffd" + `"}`},
		{canon.Array(), `[]`},
		{canon.Array(undefined, canon.String("")), `[null,""]`},
		{canon.Number(0.1), `0.1`},
		{undefined, `null`},
	} {
		if got := text(test.got); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
}

func TestArrayKeepsNoSlice(t *testing.T) {
	items := []canon.Value{canon.Int(1), canon.Int(2)}
	v := canon.Array(items...)
	items[0] = canon.Int(9)
	if text(v) != "[1,2]" {
		t.Errorf("the array became %s", text(v))
	}
}

func TestIndent(t *testing.T) {
	v := mustParse(t, `{"b":[1.0,{"x":[]}],"a":{}}`)
	const want = "{\n  \"b\": [\n    1.0,\n    {\n      \"x\": []\n    }\n  ],\n  \"a\": {}\n}"
	if got := string(v.AppendIndent([]byte("> "), "  ")); got != "> "+want {
		t.Errorf("got %s", got)
	}
}

// TestOrderOfPairs: whichever of two names comes first in the text, the same
// one comes first in the canonical form.
func TestOrderOfPairs(t *testing.T) {
	names := []string{"", "a", "ab", "\u00e9", "\ud7ff", "\U00010000", "\U0010ffff", "\ue000", "\ufb33", "\uffff"} // in order
	for i, first := range names {
		for _, second := range names[i+1:] {
			a, b := canon.Member{Name: first, Value: canon.Null()}, canon.Member{Name: second, Value: canon.Null()}
			want := text(canon.Object(a, b))
			for _, v := range []canon.Value{canon.Object(a, b), canon.Object(b, a)} {
				if got := string(v.AppendCanonical(nil)); got != want {
					t.Errorf("%s: got %s", text(v), got)
				}
				if got, err := canon.Canonical(v.Append(nil), canon.Options{}); err != nil || string(got) != want {
					t.Errorf("%s: Canonical: got %s, %v", text(v), got, err)
				}
			}
		}
	}
}

// TestWide goes beyond the size at which objects are searched by map.
func TestWide(t *testing.T) {
	var members []canon.Member
	for i := range 1000 {
		members = append(members, canon.Member{Name: fmt.Sprint("m", i), Value: canon.Int(int64(i))})
	}
	v := canon.Object(append(members, members[:500]...)...)
	if v.Len() != 1000 || v.Get("m999").Float() != 999 {
		t.Fatalf("%d members", v.Len())
	}
	want, err := canon.Canonical(v.Append(nil), canon.Options{})
	if err != nil || string(v.AppendCanonical(nil)) != string(want) {
		t.Error("AppendCanonical and Canonical differ")
	}
	if !canon.Equal(v, reverse(v)) || canon.Equal(v, v.With("m500", canon.Null())) || canon.Equal(v, v.Without("m7").With("n7", canon.Int(7))) {
		t.Error("Equal does not find the members")
	}
	if got := canon.MergePatch(v, mustParse(t, `{"m3":null,"m4":"four","new":1}`)); got.Len() != 1000 || got.Has("m3") || got.Get("m4").Text() != "four" || got.Members()[999].Name != "new" {
		t.Errorf("merged: %d members", got.Len())
	}
}

// TestConcurrent is for the race detector.
func TestConcurrent(t *testing.T) {
	v := mustParse(t, `{"b":[1,2,{"c":"d"}],"a":null}`)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 100 {
				if w := v.With("x", canon.Int(1)).Without("b"); text(w) != `{"a":null,"x":1}` || string(v.AppendCanonical(nil)) != `{"a":null,"b":[1,2,{"c":"d"}]}` {
					t.Error("v changed")
				}
			}
		})
	}
	wg.Wait()
}
