package canon_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/canon"
)

// TestErrorsAreDiscreet: a message never repeats a value, whatever fault is near it.
func TestErrorsAreDiscreet(t *testing.T) {
	for _, input := range []string{
		`{"m":"canary42","m":1}`, `{"m":canary42}`, `{"m":"canary42` + "\xff" + `"}`, `{"m":"canary42\ud800canary42"}`,
		`{"m":"canary42\x"}`, `{"m":"canary42`, `["canary42" "canary42"]`, `{"m":1} canary42`, `["canary42",1e999]`,
		`["canary42",9007199254740993]`, `canary42`, `["canary42",[[[[0]]]]]`, `"canary42` + strings.Repeat("x", 100) + `"`,
		`{"m":` + "canary42\n}", `/* canary42 */`,
	} {
		_, err := canon.Canonical([]byte(input), canon.Options{Depth: 4, Bytes: 64})
		if err == nil {
			t.Errorf("%s passes", input)
		} else if strings.Contains(err.Error(), "canary") || strings.Contains(err.Error(), "42") {
			t.Errorf("%s: %v", input, err)
		}
	}
}

func TestErrorText(t *testing.T) {
	_, err := canon.Parse([]byte(`{"a":{"b":1,"b":2}}`), canon.Options{})
	const want = `JSON duplicate member at "/a/b" (byte 12); name each member of an object once`
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
	err = canon.Check([]byte(`{"`+strings.Repeat("é", 4000)+`":tru}`), canon.Options{})
	if err == nil || len(err.Error()) > 500 || !strings.Contains(err.Error(), "…") {
		t.Errorf("a long pointer is not cut: %v", err)
	}
	e, ok := errors.AsType[*canon.Error](err)
	if !ok || len(e.Pointer) != 8001 {
		t.Error("the error does not hold the whole pointer")
	}
}

func TestErrorCause(t *testing.T) {
	if err := canon.Check([]byte(`{"a":`), canon.Options{}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a text that ends early: %v", err)
	}
	if err := canon.Check([]byte(`{"a":}`), canon.Options{}); err == nil || errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a text that goes on wrongly: %v", err)
	}
}

func TestKindNames(t *testing.T) {
	seen := map[string]bool{}
	for k := canon.Syntax; k <= canon.IntegerInexact; k++ {
		name := k.String()
		if name == "" || strings.HasPrefix(name, "kind") || seen[name] {
			t.Errorf("kind %d is called %q", int(k), name)
		}
		seen[name] = true
	}
	if got := canon.Kind(99).String(); got != "kind 99" {
		t.Errorf("got %q", got)
	}
}

// TestDepthLimits: the default applies, and a limit beyond the tokenizer's own gives an
// error of this package.
func TestDepthLimits(t *testing.T) {
	nested := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	for _, test := range []struct{ depth, most int }{{0, 64}, {1, 1}, {1000, 1000}, {1 << 30, 9999}} {
		opt := canon.Options{Depth: test.depth}
		if err := canon.Check(nested(test.most), opt); err != nil {
			t.Errorf("limit %d: depth %d: %v", test.depth, test.most, err)
		}
		err := canon.Check(nested(test.most+1), opt)
		if e, ok := errors.AsType[*canon.Error](err); !ok || e.Kind != canon.TooDeep || e.Offset != int64(test.most) {
			t.Errorf("limit %d: depth %d: %.80v", test.depth, test.most+1, err)
		}
		if _, err := canon.Canonical(nested(1<<20), opt); err == nil {
			t.Errorf("limit %d: depth 2^20 passes", test.depth)
		}
	}
	if v, err := canon.Parse(nested(9999), canon.Options{Depth: 9999}); err != nil || len(v.AppendCanonical(nil)) != 2*9999 {
		t.Errorf("a deep tree: %v", err)
	}
}

// TestSizeLimit: the default is 4 MiB.
func TestSizeLimit(t *testing.T) {
	data := []byte(`"` + strings.Repeat("x", 4<<20-2) + `"`)
	if err := canon.Check(data, canon.Options{}); err != nil {
		t.Errorf("4 MiB: %v", err)
	}
	err := canon.Check(append(data, ' '), canon.Options{})
	if e, ok := errors.AsType[*canon.Error](err); !ok || e.Kind != canon.TooLarge {
		t.Errorf("4 MiB and a byte: %v", err)
	}
}

// TestInputIsKept: no call changes the text it was given.
func TestInputIsKept(t *testing.T) {
	for name, v := range readVectors(t) {
		before := string(v.input)
		out, _ := canon.Canonical(v.input, v.opt)
		for i := range out {
			out[i] = '!'
		}
		_ = canon.Check(v.input, v.opt)
		tree, err := canon.Parse(v.input, v.opt)
		if string(v.input) != before {
			t.Fatalf("%s: the input was changed", name)
		}
		for i := range v.input {
			v.input[i] = '!'
		}
		if err == nil && string(tree.AppendCanonical(nil)) != v.output {
			t.Errorf("%s: the tree lives in the input", name)
		}
	}
}
