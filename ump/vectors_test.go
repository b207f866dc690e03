package ump_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// vectors calls run with every vector of a group; there must be some.
func vectors[V any](t *testing.T, group string, run func(t *testing.T, v V)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", group, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no vectors in testdata/%s (%v)", group, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var head struct{ Requirement, Sentence string }
		var v V
		if err := errors.Join(json.Unmarshal(data, &head), json.Unmarshal(data, &v)); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if head.Requirement == "" || head.Sentence == "" {
			t.Fatalf("%s: no requirement or no sentence", file)
		}
		t.Run(head.Requirement+" "+head.Sentence, func(t *testing.T) { run(t, v) })
	}
}

// recordVector is one rule about a record.
type recordVector struct {
	Requirement string
	Expect      string            // "ok" or a kind of error
	Mode        string            // "draft": as remember takes it; else complete
	Input       json.RawMessage   // the record
	Text        *string           // instead of Input, where it is not JSON
	Path        string            // of the violation
	Rule        string            // of the violation, if it is not the requirement
	Filled      map[string]string // what a draft is given, by pointer
}

func (v recordVector) decode() (memory.Record, error) {
	input := []byte(v.Input)
	if v.Text != nil {
		input = []byte(*v.Text)
	}
	opt := codec.Options{Owner: ownerDID}
	if v.Mode == "draft" {
		d, err := ump.DecodeDraft(input, opt)
		return d.Record, err
	}
	return ump.Decode(input, opt)
}

const ownerDID = memory.DID("did:key:z6MkvDqGT54cXesYGvABpF1UapVNwjCqRcafi4Px6Thv5T3Z")

func TestRecord(t *testing.T) {
	vectors(t, "record", func(t *testing.T, v recordVector) {
		r, err := v.decode()
		if v.Expect != "ok" {
			checkRefusal(t, v, err)
			return
		}
		if err != nil {
			t.Fatalf("refused: %v", err)
		}
		if got := string(r.Origin); got != compact(t, v.Input) {
			t.Errorf("Origin is %s, want the input as spelled", got)
		}
		if v.Mode == "draft" {
			checkDraftFilled(t, v, r)
			return
		}
		again, err := ump.Encode(r)
		if err != nil || string(again) != compact(t, v.Input) {
			t.Errorf("encoded again it is %s (%v), want the input as spelled", again, err)
		}
		if found := ump.Violations(v.Input, codec.Options{}); len(found) > 0 {
			t.Errorf("Violations finds %v", found)
		}
	})
}

func checkRefusal(t *testing.T, v recordVector, err error) {
	t.Helper()
	e, ok := errors.AsType[*codec.ParseError](err)
	if !ok {
		t.Fatalf("error is %v, want a ParseError", err)
	}
	if got := memory.KindOf(err); string(got) != v.Expect {
		t.Errorf("kind is %s, want %s", got, v.Expect)
	}
	rule := v.Rule
	if rule == "" {
		rule = v.Requirement
	}
	if e.Rule != rule {
		t.Errorf("rule is %s, want %s (%v)", e.Rule, rule, err)
	}
	if v.Text == nil && e.Path != v.Path {
		t.Errorf("path is %q, want %q", e.Path, v.Path)
	}
	if v.Mode == "" && v.Text == nil && len(ump.Violations(v.Input, codec.Options{})) != 1 {
		t.Errorf("Violations finds %v, want exactly one", ump.Violations(v.Input, codec.Options{}))
	}
}

// checkDraftFilled gives birth to a draft, so that what it was given can be seen.
func checkDraftFilled(t *testing.T, v recordVector, r memory.Record) {
	t.Helper()
	if r.Time.Created.IsZero() {
		r.Time.Created = birthTime
	}
	r, err := ump.Author(r, nil)
	if err != nil {
		t.Fatalf("a draft that is accepted cannot be born: %v", err)
	}
	born := parse(t, r.Origin)
	for pointer, want := range v.Filled {
		if got, _ := born.At(pointer); got.Text() != want {
			t.Errorf("%s is %q, want %q", pointer, got.Text(), want)
		}
	}
}

var birthTime = time.Date(2026, 6, 4, 10, 0, 0, 0, time.UTC)

func parse(t testing.TB, raw []byte) canon.Value {
	t.Helper()
	v, err := canon.Parse(raw, canon.Options{Depth: 1000})
	if err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return v
}

func compact(t testing.TB, raw []byte) string {
	t.Helper()
	return string(parse(t, raw).Append(nil))
}

func canonical(t testing.TB, raw []byte) string {
	t.Helper()
	return string(parse(t, raw).AppendCanonical(nil))
}

func TestPath(t *testing.T) {
	type vector struct {
		Expect, Path, Spelled string
		Redactable            bool
	}
	vectors(t, "path", func(t *testing.T, v vector) {
		p, err := ump.ParsePath(v.Path)
		if v.Expect != "ok" {
			if err == nil {
				t.Errorf("%q is read as %q", v.Path, p)
			}
			if err := ump.CheckRedact([]string{"body.text", v.Path}); memory.KindOf(err) != memory.InvalidRecord {
				t.Errorf("CheckRedact(%q) = %v, want invalid_record", v.Path, err)
			}
			return
		}
		if err != nil {
			t.Fatalf("%q is refused: %v", v.Path, err)
		}
		if v.Spelled != "" && p.String() != v.Spelled {
			t.Errorf("%q is spelled %q, want %q", v.Path, p, v.Spelled)
		}
		if p.Redactable() != v.Redactable {
			t.Errorf("Redactable(%q) = %t", v.Path, p.Redactable())
		}
		if err := ump.CheckRedact([]string{v.Path}); (err == nil) != v.Redactable {
			t.Errorf("CheckRedact(%q) = %v", v.Path, err)
		}
	})
}

func TestDuration(t *testing.T) {
	type vector struct {
		Expect, Duration, Spelled string
		From, After               time.Time
	}
	vectors(t, "duration", func(t *testing.T, v vector) {
		d, err := memory.ParseDuration(v.Duration)
		if v.Expect != "ok" {
			if err == nil {
				t.Errorf("%q is read as %s", v.Duration, d)
			}
			return
		}
		if err != nil {
			t.Fatalf("%q is refused: %v", v.Duration, err)
		}
		if d.String() != v.Spelled {
			t.Errorf("%q is spelled %q, want %q", v.Duration, d, v.Spelled)
		}
		got := d.After(v.From)
		if !got.After(v.From) {
			t.Errorf("%s after %s is %s, which is no later", d, v.From, got)
		}
		if !v.After.IsZero() && !got.Equal(v.After) {
			t.Errorf("%s after %s is %s, want %s", d, v.From, got.Format(time.RFC3339Nano), v.After)
		}
	})
}
