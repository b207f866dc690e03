package redact_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/redact"
)

const (
	key  = "AKIAIOSFODNN7EXAMPLE"
	mask = "[SECRET-REDACTED]"
)

func said(secret string) memory.Record {
	return memory.Record{
		ID:        "urn:ump:a",
		Body:      memory.Body{Text: "use " + secret, Structured: json.RawMessage(`{"mem0":{"n":1.50,"list":["` + secret + `"],"` + secret + `":"x"}}`)},
		Scope:     memory.Scope{Owner: "did:key:z", User: secret, Project: secret, Agent: secret, Session: secret},
		Time:      memory.Times{Created: time.Unix(1, 0)},
		Relations: []memory.Relation{{Type: secret, Target: "entity:" + secret}},
		Provenance: &memory.Provenance{
			Actor: secret, Method: secret, Source: &memory.Source{Ref: "x/" + secret, Provider: secret}, Evidence: []memory.Evidence{{Ref: secret}},
		},
		Supersedes: []memory.ID{"urn:ump:b"},
	}
}

func TestRecord(t *testing.T) {
	given := said(key)
	got, counts := redact.Secrets().Record(given)
	if diff := cmp.Diff(said(mask), got); diff != "" {
		t.Error(diff)
	}
	if counts["secret"] != 14 {
		t.Errorf("counted %v", counts)
	}
	if diff := cmp.Diff(said(key), given); diff != "" {
		t.Errorf("the record given has changed: %s", diff)
	}
	again, counts := redact.Secrets().Record(got)
	if diff := cmp.Diff(got, again); diff != "" || counts != nil {
		t.Errorf("a second time: %s, %v", diff, counts)
	}
}

// Redaction also looks into the other members of a record's document; ids stay.
func TestRecordOrigin(t *testing.T) {
	rec := memory.Record{Body: memory.Body{Text: key}, Origin: []byte(`{"id":"` + key + `","body":{"text":"` + key + `"},"note":"` + key + `"}`)}
	got, counts := redact.Secrets().Record(rec)
	if want := `{"id":"` + key + `","body":{"text":"` + mask + `"},"note":"` + mask + `"}`; string(got.Origin) != want || got.Body.Text != mask {
		t.Errorf("got %s, %q", got.Origin, got.Body.Text)
	}
	if counts["secret"] != 2 {
		t.Errorf("counted %v", counts)
	}
}

// Redaction searches a body.structured that the document does not repeat.
func TestRecordStructuredBesideOrigin(t *testing.T) {
	const document, structured = `{"id":"a","body":{"text":"x","structured":{"mem0":{"token":"none"}}},"note":"` + key + `"}`, `{"mem0":{"note":"` + key + `"}}`
	rec := memory.Record{Body: memory.Body{Text: "x", Structured: json.RawMessage(structured)}, Origin: []byte(document)}
	for _, note := range []string{key, "nothing"} {
		rec.Origin = []byte(strings.ReplaceAll(document, key, note))
		if got, _ := redact.Secrets().Record(rec); string(got.Body.Structured) != strings.ReplaceAll(structured, key, mask) {
			t.Errorf("beside %s: got %s", rec.Origin, got.Body.Structured)
		}
	}
}

func TestMembers(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"a name that says so", `{"password":"hunter","apiKey":"abcd1234","access_token":"abcd1234"}`, `{"password":"#","apiKey":"#","access_token":"#"}`},
		{"a pair that says so", `[{"key":"DB_PASSWORD","value":"hunter"},{"name":"API_KEY","value":"abcd1234"}]`, `[{"key":"DB_PASSWORD","value":"#"},{"name":"API_KEY","value":"#"}]`},
		{"JSON in a text", `{"a":"{\"password\":\"hunter\"}"}`, `{"a":"{\"password\":\"#\"}"}`},
		{"names that become one", `{"` + key + `":1,"AKIAIOSFODNN7EXAMPLF":2}`, `{"#":1,"#-2":2}`},
		{"replaced before", `{"password":"#"}`, `{"password":"#"}`},
		{"what is no secret", `{"tokens":"a b c","secret":"of a good soup, says Ada","token":"null","key":"abcd1234","password":"","value":"hunter","n":5}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			parse := func(text string) canon.Value {
				v, err := canon.Parse([]byte(text), canon.Options{})
				if err != nil {
					t.Fatal(err)
				}
				return v
			}
			if test.want == "" {
				test.want = test.in
			}
			expand := func(text string) string { return strings.ReplaceAll(text, "#", mask) }
			got, counts := redact.Secrets().JSON(parse(expand(test.in)))
			if string(got.Append(nil)) != expand(test.want) {
				t.Errorf("got %s", got.Append(nil))
			}
			if (counts == nil) != (expand(test.in) == expand(test.want)) {
				t.Errorf("counted %v", counts)
			}
		})
	}
}

// Secrets that are escaped in a JSON document, or stand between escapes, are found; a
// document without any keeps its spelling.
func TestRecordEscaped(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":"see\nAK\u0049AIOSFODNN7EXAMPLE"}`:   `{"a":"see\n` + mask + `"}`,
		`{"a":"see\n` + key + `"}`:                 `{"a":"see\n` + mask + `"}`,
		`{"p\u0061ssword":"hunter"}`:               `{"password":"` + mask + `"}`,
		`{"apiKey" : "abcd1234"}`:                  `{"apiKey":"` + mask + `"}`,
		`{"a" : "\u0061", "token" : "a", "n":1.0}`: "",
		`{"a" : "b", "n":1.0}`:                     "",
	} {
		got, counts := redact.Secrets().Record(memory.Record{Body: memory.Body{Structured: json.RawMessage(in)}})
		if want == "" {
			want = in
		}
		if string(got.Body.Structured) != want || (counts == nil) != (want == in) {
			t.Errorf("%s became %s, counted %v", in, got.Body.Structured, counts)
		}
	}
}

// In records without secrets redaction does little more than search.
func BenchmarkRecord(b *testing.B) {
	text := strings.Repeat("The build passes on the second try, since the cache was stale; ask Ada about it. ", 20)
	rec := memory.Record{Body: memory.Body{Text: text, Structured: json.RawMessage(`{"chatgpt":{"id":"n1","create_time":1600000060.5}}`)},
		Provenance: &memory.Provenance{Source: &memory.Source{Ref: "c-1#n1", Provider: "chatgpt"}}}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		redact.Secrets().Record(rec)
	}
}
