package engram_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/engram"
)

func schema(t testing.TB, p engram.Profile) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(engram.Schema(p)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ruling is what is to be said about the sample after an edit.
type ruling int

const (
	fine      ruling = iota // nothing
	warned                  // a warning, in either profile
	unwritten               // wrong to write, a warning to readers
	unread                  // wrong in either profile
)

// beyond marks rulings that no schema can make.
const beyond ruling = 1 << 8

type editCase struct {
	rule, pointer, value string // value "": without it
	want                 ruling
	where                string // pointer of the violation; empty: that of the edit
}

func (c editCase) name() string {
	what := c.value
	if what == "" {
		what = "nothing"
	}
	if len(what) > 40 {
		what = what[:40]
	}
	return fmt.Sprintf("%s %s is %s", c.rule, c.pointer, strings.ReplaceAll(what, "/", "_"))
}

func TestValidate(t *testing.T) {
	strict, tolerant := schema(t, engram.StrictWrite), schema(t, engram.TolerantRead)
	for _, c := range editCases() {
		t.Run(c.name(), func(t *testing.T) {
			raw := change(t, c.pointer, c.value)
			want, hidden := c.want&^beyond, c.want&beyond != 0
			if c.where == "" {
				c.where = c.pointer
			}
			checkProfile(t, raw, true, want >= unwritten, want == warned, c)
			checkProfile(t, raw, false, want == unread, want == warned || want == unwritten, c)
			checkSchema(t, strict, raw, want >= unwritten && !hidden)
			checkSchema(t, tolerant, raw, want == unread && !hidden)
		})
	}
}

// checkProfile holds one profile to what is expected of it.
func checkProfile(t *testing.T, raw []byte, strict, refused, warned bool, c editCase) {
	t.Helper()
	var got string
	for _, v := range engram.Validate(raw, strict) {
		if v.Rule == c.rule && v.Pointer == c.where {
			got = map[bool]string{true: "warned", false: "refused"}[v.Warning]
		} else if !refused && !v.Warning {
			t.Errorf("strict %v: refused besides: %+v", strict, v)
		}
	}
	want := map[bool]string{true: "refused"}[refused]
	if want == "" {
		want = map[bool]string{true: "warned"}[warned]
	}
	if got != want {
		t.Errorf("strict %v: %q, want %q: %+v", strict, got, want, engram.Validate(raw, strict))
	}
}

func checkSchema(t *testing.T, s *jsonschema.Schema, raw []byte, refused bool) {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(v); (err != nil) != refused {
		t.Errorf("schema: refused %v, want %v: %v", err != nil, refused, err)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Run("ENGRAM-3.2-24 duplicate members are refused", func(t *testing.T) {
		raw := strings.Replace(sample, `"kid":`, `"kid":"a","kid":`, 1)
		_, _, err := engram.Parse([]byte(raw), engram.ReadOptions{})
		var p *codec.ParseError
		if !errors.As(err, &p) || p.Rule != "ENGRAM-3.2-24" || p.Path != "/kid" || !strings.Contains(p.Error(), "duplicate key") {
			t.Errorf("got %v", err)
		}
		if v := engram.Validate([]byte(raw), false); len(v) != 1 || v[0].Rule != "ENGRAM-3.2-24" || v[0].Pointer != "/kid" || v[0].Warning {
			t.Errorf("got %+v", v)
		}
	})
	for name, raw := range map[string]string{
		"no JSON": `{`, "no object": `[]`, "nothing": ``, "a lone surrogate": `{"a":"\ud800"}`, "too deep": strings.Repeat("[", 65) + strings.Repeat("]", 65),
		"an integer beyond doubles": strings.Replace(sample, "0.90", "9007199254740993", 1),
	} {
		t.Run("ENGRAM-3.8-3 "+name+" is refused", func(t *testing.T) {
			var p *codec.ParseError
			if _, _, err := engram.Parse([]byte(raw), engram.ReadOptions{}); !errors.As(err, &p) || p.Format != "engram" {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("ENGRAM-3.2-24 more bytes than allowed are refused", func(t *testing.T) {
		if _, _, err := engram.Parse([]byte(sample), engram.ReadOptions{Bytes: 100}); err == nil {
			t.Error("accepted")
		}
		if _, _, err := engram.Parse([]byte(sample), engram.ReadOptions{Bytes: int64(len(sample))}); err != nil {
			t.Error(err)
		}
	})
	t.Run("ENGRAM-3.1-1 an export without one of its four core objects is not valid", func(t *testing.T) {
		for _, name := range []string{"/identity", "/beliefs", "/evolution", "/corrections"} {
			v := engram.Validate(change(t, name, ""), true)
			if !slices.ContainsFunc(v, func(v engram.Violation) bool { return v.Pointer == name && !v.Warning }) {
				t.Errorf("without %s: %+v", name, v)
			}
		}
	})
	t.Run("ENGRAM-3.1-3 what is unread is not parsed, and says where", func(t *testing.T) {
		var p *codec.ParseError
		if _, _, err := engram.Parse(change(t, "/beliefs/0/value", "42"), engram.ReadOptions{}); !errors.As(err, &p) || p.Path != "/beliefs/0/value" || p.Rule != "ENGRAM-3.4-6" {
			t.Errorf("got %v", err)
		}
	})
}

func TestShapesStandInTheSchemas(t *testing.T) {
	t.Run("ENGRAM-12.3-1 schemas are of 2020-12 and are what is published", func(t *testing.T) {
		v := tree(t, string(engram.Schema(engram.StrictWrite)))
		if v.Get("$schema").Text() != "https://json-schema.org/draft/2020-12/schema" || v.Get("$id").Text() != "https://engramspec.org/schema/v0.1.json" {
			t.Errorf("got %s and %s", v.Get("$schema").Text(), v.Get("$id").Text())
		}
		for _, raw := range []string{"42", "did:key:z6MkExample", "mailto:a@b.example", "550e8400-e29b-41d4-a716-446655440000"} {
			edit := change(t, "/subject/id", `"`+raw+`"`)
			checkSchema(t, schema(t, engram.StrictWrite), edit, !engram.IsSubject(raw))
		}
		if engram.Schema("none") != nil {
			t.Error("there is a schema of no profile")
		}
	})
}

func TestAppendixA(t *testing.T) {
	for name, raw := range examples(t) {
		t.Run("ENGRAM-A-1 is valid but for its signature: "+name, func(t *testing.T) {
			got := engram.Validate(raw, true)
			if len(got) != 1 || got[0].Pointer != "/signature" || got[0].Rule != "ENGRAM-3.2-21" {
				t.Errorf("got %+v", got)
			}
		})
		t.Run("ENGRAM-A-2 has no signature: "+name, func(t *testing.T) {
			d := parsed(t, raw)
			o := engram.VerifyOptions{Issuer: d.Issuer.URL, Now: d.IssuedAt.Add(time.Hour), Keys: listed(testListed(t))}
			if got := reason(t, raw, o); got != engram.MalformedSignature {
				t.Errorf("got %q", got)
			}
		})
		t.Run("ENGRAM-3.10-8 a reader of 1.0 reads it: "+name, func(t *testing.T) {
			if _, _, err := engram.Parse(raw, engram.ReadOptions{Supported: "1.0"}); err != nil {
				t.Error(err)
			}
		})
		for scope, want := range map[engram.Scope][3]int{
			engram.Professional: {3, 1, 1}, engram.Minimal: {1, 1, 1}, engram.Personal: {}, engram.Financial: {},
		} {
			t.Run("ENGRAM-A-4 the scope "+string(scope)+": "+name, func(t *testing.T) {
				m, _, err := engram.Select(parsed(t, raw).Memory, engram.Query{Scope: scope})
				if got := [3]int{len(m.Beliefs), len(m.Evolution), len(m.Corrections)}; err != nil || got != want {
					t.Errorf("got %v, %v; want %v", got, err, want)
				}
			})
		}
	}
	published(t, func(raw []byte) {
		publishedForms(t, raw)
		examplePrompt(t, raw)
	})
}

func TestTombstones(t *testing.T) {
	t.Run("ENGRAM-3.4-16 readers accept long and short tombstones", func(t *testing.T) {
		raw := change(t, "/beliefs/3", `{"id":"77777777-7777-4777-8777-777777777777","status":"deleted","deleted_at":"2026-03-01T00:00:00Z"}`)
		if got := engram.Validate(raw, false); len(got) != 0 {
			t.Errorf("got %+v", got)
		}
		d := parsed(t, raw)
		if b := d.Beliefs[3]; b.Status != engram.Deleted || b.DeletedAt.IsZero() {
			t.Errorf("got %+v", b)
		}
		if got := engram.Validate(raw, true); len(got) == 0 || got[0].Warning {
			t.Errorf("a short one was good enough to write: %+v", got)
		}
		checkSchema(t, schema(t, engram.TolerantRead), raw, false)
	})
	t.Run("ENGRAM-3.4-15 a tombstone that tells what was deleted is warned of", func(t *testing.T) {
		got := engram.Validate(change(t, "/beliefs/2/value", `"still there"`), true)
		if len(got) != 1 || got[0].Rule != "ENGRAM-3.4-15" || !got[0].Warning {
			t.Errorf("got %+v", got)
		}
	})
}
