package ump_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// numbers spells n numbers from first on as an array.
func numbers(first, n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = strconv.Itoa(first + i)
	}
	return "[" + strings.Join(all, ",") + "]"
}

// BenchmarkRedact measures what a policy costs: one that people write, and those
// that somebody writes to keep a store busy. What they cost per byte of the record
// should be about the same.
func BenchmarkRedact(b *testing.B) {
	rows := strings.TrimSuffix(strings.Repeat(numbers(100, 500)+",", 40), ",")
	for _, c := range []struct {
		name, structured string
		paths            []string
	}{
		{"one path", `{"token":"t-1234567","pin":"42","seen":["it was t-1234567, then"]}`, []string{"body.structured.token"}},
		{"one path said 400 times, 20000 places", `{"a":[` + rows + `]}`, slices.Repeat([]string{"body.structured.a[*][*]"}, 400)},
		{"9500 places", `{"a":` + numbers(10_000, 9500) + `}`, []string{"body.structured.a[*]"}},
		{"5000 texts beside 5000 others", `{"a":` + numbers(10_000, 5000) + `,"b":` + numbers(20_000, 5000) + `}`, []string{"body.structured.a"}},
		{"5000 texts that residue may hold parts of", `{"a":` + numbers(10_000, 5000) + `,"aimem":` + numbers(20_000, 5000) + `}`, []string{"body.structured.a"}},
		{"5000 members that hold a copy", `{"a":"t-1234567"` + members(5000, `"t-1234567"`) + `}`, []string{"body.structured.a"}},
		{"a text of 35 KB of which parts repeat", `{"a":["` + strings.Repeat("ab", 17_000) + `"` + strings.Repeat(`,"abababababababab"`, 100) + `],"b":"` + strings.Repeat("ba", 17_000) + `c"}`, []string{"body.structured.a"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			r := mustDecode(b, vaultNote)
			r.Origin, r.Consent, r.Body.Structured = nil, nil, []byte(c.structured)
			r, err := ump.Author(r, nil)
			if err != nil {
				b.Fatal(err)
			}
			r.Consent = &memory.Consent{Redact: c.paths}
			b.SetBytes(int64(len(c.structured)))
			for b.Loop() {
				_, _ = ump.Redact(r, nil) // it may be withheld
			}
		})
	}
}

// members spells n members with a value.
func members(n int, value string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"m%d":%s`, i, value)
	}
	return b.String()
}
