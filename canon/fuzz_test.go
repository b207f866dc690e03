package canon_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/satchel-memory/satchel/canon"
)

func seed(f *testing.F) {
	for _, v := range readVectors(f) {
		f.Add(v.input)
	}
	f.Add([]byte(record))
}

// FuzzCanonical: the canonical form is its own canonical form, and JSON that
// another reader understands alike.
func FuzzCanonical(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, opt := range []canon.Options{{}, {Inexact: true, Depth: 100}} {
			once, err := canon.Canonical(data, opt)
			if err2 := canon.Check(data, opt); (err2 == nil) != (err == nil) {
				t.Fatalf("Check says %v, Canonical %v", err2, err)
			}
			if err != nil {
				checkPlace(t, err, data)
				continue
			}
			if !json.Valid(data) || !json.Valid(once) {
				t.Fatalf("not JSON: %q became %q", data, once)
			}
			twice, err := canon.Canonical(once, canon.Options{Bytes: 64 << 20, Depth: 100, Inexact: opt.Inexact})
			if err != nil || !bytes.Equal(once, twice) {
				t.Fatalf("once %q, twice %q, %v", once, twice, err)
			}
		}
	})
}

// checkPlace looks at the shape of an error.
func checkPlace(t *testing.T, err error, data []byte) {
	e, ok := errors.AsType[*canon.Error](err)
	if !ok {
		t.Fatalf("refused with %v", err)
	}
	if e.Offset < 0 || e.Offset > int64(len(data)) || (e.Pointer != "" && e.Pointer[0] != '/') {
		t.Fatalf("refused at %q byte %d of %d", e.Pointer, e.Offset, len(data))
	}
}

// FuzzParse: a tree says what its text says, in all its forms.
func FuzzParse(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		opt := canon.Options{Inexact: true}
		v, err := canon.Parse(data, opt)
		want, err2 := canon.Canonical(data, opt)
		if (err == nil) != (err2 == nil) {
			t.Fatalf("Parse says %v, Canonical %v", err, err2)
		}
		if err != nil {
			return
		}
		if got := v.AppendCanonical(nil); !bytes.Equal(got, want) {
			t.Fatalf("AppendCanonical %q, Canonical %q", got, want)
		}
		wide := canon.Options{Bytes: 64 << 20, Inexact: true}
		for _, form := range [][]byte{v.Append(nil), v.AppendIndent(nil, "  ")} {
			back, err := canon.Parse(form, wide)
			if err != nil || !canon.Identical(v, back) || !bytes.Equal(back.Append(nil), v.Append(nil)) {
				t.Fatalf("%q came back as %q, %v", form, back.Append(nil), err)
			}
		}
	})
}

// FuzzElements: reading a stream finds the same as reading the whole, and no element that
// would not stand alone.
func FuzzElements(f *testing.F) {
	seed(f)
	f.Add([]byte("\xef\xbb\xbf[1, {\"a\":\"]\"} ,null]"))
	f.Add([]byte("{}\n{\"a\":[1,2]}\r\n\"x\" 3"))
	f.Fuzz(func(t *testing.T, data []byte) {
		opt := canon.Options{Bytes: 1 << 10, Depth: 8}
		e := canon.NewElements(bytes.NewReader(data), opt)
		got, err := drain(e)
		for _, raw := range got {
			if err := canon.Check([]byte(raw), opt); err != nil {
				t.Fatalf("%q: %v", raw, err)
			}
		}
		whole := bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
		v, wholeErr := canon.Parse(whole, canon.Options{Bytes: 4 << 20, Depth: 9})
		if err != nil {
			checkPlace(t, err, data)
		}
		switch {
		case err != nil && wholeErr == nil && len(whole) <= 1<<10 && !tooDeep(err):
			t.Fatalf("the stream is refused, the whole is not: %v", err)
		case err == nil && e.Layout() == canon.List:
			compareItems(t, v, wholeErr, got)
		case err == nil && e.Layout() == canon.Single && (wholeErr != nil || len(got) != 1):
			t.Fatalf("%d values, and the whole: %v", len(got), wholeErr)
		}
	})
}

// tooDeep excuses the one difference: an element that is not a list has one level less than
// the whole may have.
func tooDeep(err error) bool {
	e, ok := errors.AsType[*canon.Error](err)
	return ok && e.Kind == canon.TooDeep
}

func compareItems(t *testing.T, v canon.Value, wholeErr error, got []string) {
	if wholeErr != nil || v.Len() != len(got) {
		t.Fatalf("%d elements, and the whole: %d, %v", len(got), v.Len(), wholeErr)
	}
	for i, item := range v.Items() {
		if one := mustParse(t, got[i]); !canon.Identical(one, item) {
			t.Fatalf("element %d differs", i)
		}
	}
}
