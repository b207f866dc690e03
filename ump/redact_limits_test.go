package ump_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// limitVector is one limit of a policy: so many different paths, each said so
// many times, which together hit so many places.
type limitVector struct {
	Expect               string // "ok" or a kind of error
	Paths, Times, Places int
	Spelled              string // as what the second path says the first again, if it does
}

// record returns a record that the vector describes. The first path hits the
// elements of an array; the others one member each.
func (v limitVector) record(t *testing.T) memory.Record {
	t.Helper()
	elements := v.Places - v.Paths + 1
	paths := []string{"body.structured.a[*]"}
	if v.Spelled != "" {
		elements, paths = elements+1, append(paths, v.Spelled)
	}
	var others strings.Builder
	for i := len(paths); i < v.Paths; i++ {
		paths = append(paths, fmt.Sprint("body.structured.m", i))
		fmt.Fprintf(&others, `,"m%d":%d`, i, i)
	}
	r := mustDecode(t, vaultNote)
	r.Origin, r.Consent = nil, nil
	r.Body.Structured = []byte(`{"a":` + numbers(100, elements) + others.String() + `,"kept":true}`)
	r, err := ump.Author(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Consent = &memory.Consent{Redact: slices.Repeat(paths, v.Times)} // as an older or foreign store may hold it
	return r
}

func TestRedactLimits(t *testing.T) {
	vectors(t, "redact", func(t *testing.T, v limitVector) {
		copied, err := ump.Redact(v.record(t), nil)
		if v.Expect != "ok" {
			if got := memory.KindOf(err); string(got) != v.Expect || !errors.Is(err, ump.ErrWithheld) {
				t.Errorf("error is %v, want ErrWithheld of kind %s", err, v.Expect)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		left := parse(t, copied.Current).Get("body").Get("structured")
		if got, want := string(left.Append(nil)), `{"a":[],"kept":true}`; got != want {
			t.Errorf("%.200s is left, want %s", got, want)
		}
	})
}

// TestRedactFindsEveryCopy: what is found among many texts and secrets at once
// is what comparing each with each finds.
func TestRedactFindsEveryCopy(t *testing.T) {
	texts := []string{"abcd", "abcde", "xabcdx", "bcd", "abc", "ab", "cdef", "defg", "efghi", "zzzz", "zabcz", "1", "12", "1234", "91234", "Äbcd", "äBCD e"}
	for _, residue := range []string{"", "aimem"} { // where parts count as well
		for i, one := range texts {
			for j, other := range texts {
				var b strings.Builder
				copies := map[string]bool{}
				for n, text := range texts {
					name := fmt.Sprintf("m%d", n)
					if residue != "" && n > 0 {
						break
					} else if residue != "" {
						name, text = residue, texts[(i+j)%len(texts)]
					}
					fmt.Fprintf(&b, `,%q:[true,{"n":%q}]`, name, text)
					copies[name] = isCopy(text, one, residue != "") || isCopy(text, other, residue != "")
				}
				left := redactedOf(t, fmt.Sprintf(`{"s":[%q,%q]%s}`, one, other, b.String()), "body.structured.s")
				for name, gone := range copies {
					if left[name] == gone {
						t.Errorf("without %q and %q, %s of %s: left is %t", one, other, name, b.String(), left[name])
					}
				}
			}
		}
	}
}

// isCopy says plainly what a copy is.
func isCopy(text, secret string, parts bool) bool {
	text, secret = strings.ToLower(text), strings.ToLower(secret)
	return text == secret || len(secret) > 3 && strings.Contains(text, secret) || parts && len(text) > 3 && strings.Contains(secret, text)
}
