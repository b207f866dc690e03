package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// authored makes signed records, created at the given nanoseconds after one
// instant.
func authored(t *testing.T, key keys.Private, after ...int) []memory.Record {
	t.Helper()
	out := make([]memory.Record, len(after))
	for i, ns := range after {
		var err error
		out[i], err = ump.Author(memory.Record{
			Kind: memory.Semantic, Body: memory.Body{Text: fmt.Sprintf("fact %d", i)},
			Scope:      memory.Scope{Owner: key.DID(), Visibility: memory.Private},
			Time:       memory.Times{Created: time.Date(2026, 3, 1, 12, 0, 0, ns, time.UTC)},
			Provenance: &memory.Provenance{Actor: string(key.DID()), ActorKind: memory.ByUser, Method: "test"},
		}, &key)
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func newOwner(t *testing.T) keys.Private {
	t.Helper()
	key, err := keys.Generate(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// sorted is what a sorter makes of records, as they would stand in a file.
func sorted(t *testing.T, dir string, most int, records []memory.Record) []string {
	t.Helper()
	var got []string
	s := &sorter{dir: dir, most: most, yield: func(rec memory.Record) error {
		form, err := ump.Encode(rec)
		got = append(got, string(form))
		return err
	}}
	for _, rec := range records {
		if err := s.add(rec); err != nil {
			t.Fatal(err)
		}
		if len(s.held) > most {
			t.Fatalf("%d records are held, %d may be", len(s.held), most)
		}
	}
	if err := errors.Join(s.flush(), s.close()); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestSorter(t *testing.T) {
	after := make([]int, 0, 60)
	for range 40 {
		after = append(after, mathrand.IntN(3)) // one microsecond, three instants
	}
	for range 20 {
		after = append(after, 5_000) // a later one
	}
	records := authored(t, newOwner(t), after...)
	want := slices.Clone(records)
	slices.SortFunc(want, func(x, y memory.Record) int {
		if c := x.Time.Created.Compare(y.Time.Created); c != 0 {
			return c
		}
		return strings.Compare(string(x.ID), string(y.ID))
	})
	var forms []string
	for _, rec := range want {
		forms = append(forms, string(rec.Form()))
	}
	dir := t.TempDir()
	for _, most := range []int{1, 2, 7, 40, 1000} {
		mathrand.Shuffle(40, func(i, j int) { records[i], records[j] = records[j], records[i] })
		if diff := cmp.Diff(forms, sorted(t, dir, most, records)); diff != "" {
			t.Errorf("holding %d: (-want +got)\n%s", most, diff)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v %v", entries, err)
	}
}

func TestExportsAreTheSame(t *testing.T) {
	after := make([]int, 1200) // more records of one instant than are held in memory
	for i := range after {
		after[i] = i % 3
	}
	key := newOwner(t)
	records := authored(t, key, after...)
	var exports []string
	for range 2 { // two stores that took the same memories in, in another order
		a, out, messages := person(t, t.Context())
		mathrand.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
		var lines strings.Builder
		for _, rec := range records {
			lines.Write(append(slices.Clone(rec.Form()), '\n'))
		}
		for _, step := range []struct {
			in   string
			args []string
		}{
			{keys.Recovery(key), []string{"init", "-q", "--recover"}},
			{lines.String(), []string{"import", "-q", "-"}},
			{"", []string{"export", "-q", "--ndjson"}},
		} {
			a.in = strings.NewReader(step.in)
			if code := run(a, step.args); code != exitDone {
				t.Fatalf("%v ends with %d: %s", step.args, code, messages)
			}
		}
		_, export, _ := strings.Cut(out.String(), "in conflict\n")
		exports = append(exports, export)
	}
	if n := strings.Count(exports[0], "\n"); n != len(records) {
		t.Fatalf("%d records were exported", n)
	}
	if exports[0] != exports[1] {
		t.Error("two exports of the same memories differ")
	}
}
