package codec_test

import (
	"slices"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

func TestUnkept(t *testing.T) {
	at := time.Date(2026, 6, 4, 10, 0, 0, 0, time.UTC)
	half, none := .5, 0.0
	base := memory.Record{ID: "urn:ump:aa", Kind: memory.Semantic, Body: memory.Body{Text: "The well is deep."}, Time: memory.Times{Created: at}}
	change := func(f func(*memory.Record)) memory.Record {
		r := base
		f(&r)
		return r
	}
	for name, test := range map[string]struct {
		written, read memory.Record
		want          []string
	}{
		"the same":         {base, base, nil},
		"the same instant": {base, change(func(r *memory.Record) { r.Time.Created = at.In(time.FixedZone("", 3600)) }), nil},
		"another text":     {base, change(func(r *memory.Record) { r.Body.Text = "x" }), []string{"/body/text"}},
		"no text":          {base, change(func(r *memory.Record) { r.Body.Text = "" }), []string{"/body"}},
		"one of two":       {change(func(r *memory.Record) { r.Scope.Project, r.Scope.Session = "p", "s" }), change(func(r *memory.Record) { r.Scope.Project = "p" }), []string{"/scope/session"}},
		"a whole object":   {change(func(r *memory.Record) { r.Scope.Project, r.Scope.Session = "p", "s" }), base, []string{"/scope"}},
		"one of a list": {change(func(r *memory.Record) { r.Supersedes = []memory.ID{"a", "b"} }), change(func(r *memory.Record) { r.Supersedes = []memory.ID{"a"} }),
			[]string{"/supersedes/1"}},
		"a whole list":     {change(func(r *memory.Record) { r.Supersedes = []memory.ID{"a", "b"} }), base, []string{"/supersedes"}},
		"something more":   {base, change(func(r *memory.Record) { r.Scope.Session = "s" }), []string{"/scope"}},
		"a number":         {change(func(r *memory.Record) { r.Lifecycle.Confidence = &half }), base, []string{"/lifecycle"}},
		"zero is a number": {change(func(r *memory.Record) { r.Lifecycle.Confidence = &none }), base, []string{"/lifecycle"}},
		"an empty object":  {change(func(r *memory.Record) { r.Provenance = &memory.Provenance{} }), base, []string{"/provenance"}},
		"JSON as it reads": {change(func(r *memory.Record) { r.Body.Structured = []byte(`{"a":1,"b":2}`) }), change(func(r *memory.Record) { r.Body.Structured = []byte(`{"b":2.0, "a":1}`) }), nil},
		"another object":   {change(func(r *memory.Record) { r.Body.Structured = []byte(`{"a":1}`) }), change(func(r *memory.Record) { r.Body.Structured = []byte(`{"a":2}`) }), []string{"/body/structured"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, l := range codec.RoundTripLosses(test.written, test.read) {
				if l.ID != test.written.ID || l.Reason != codec.NoPlace {
					t.Errorf("%+v", l)
				}
				got = append(got, l.Pointer)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
