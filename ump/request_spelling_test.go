package ump_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// aFriday is the clock of these tests, two hours ahead of UTC.
var aFriday = time.Date(2026, 7, 31, 15, 30, 0, 0, time.FixedZone("", 2*60*60))

// callAt is call by the clock of a carrier.
func callAt(t *testing.T, b ump.Backend, op ump.Operation, body string, now func() time.Time) error {
	t.Helper()
	_, err := ump.Dispatch(t.Context(), b, ump.Call{Operation: op, Caller: agent, Body: []byte(body), Now: now})
	return err
}

func TestQuerySpellings(t *testing.T) {
	friday := func() time.Time { return aFriday }
	f := &fake{}
	t.Run("UMP-3.2-7 a date or relative words are the last instant that they name", func(t *testing.T) {
		for said, want := range map[string]string{
			"2026-06-04T10:00:00Z": "2026-06-04T10:00:00Z",
			"2026-06-04 10:00":     "2026-06-04T10:00:00+02:00",
			"2026-06-04":           "2026-06-04T23:59:59.999999999+02:00",
			"2026-06":              "2026-06-30T23:59:59.999999999+02:00",
			"2025":                 "2025-12-31T23:59:59.999999999+02:00",
			"2026":                 "2026-07-31T15:30:00+02:00",
			"2026-07":              "2026-07-31T15:30:00+02:00",
			"2026-08-15":           "2026-08-15T23:59:59.999999999+02:00",
			"now":                  "2026-07-31T15:30:00+02:00",
			"Today":                "2026-07-31T15:30:00+02:00",
			" yesterday ":          "2026-07-30T23:59:59.999999999+02:00",
			"last week":            "2026-07-26T23:59:59.999999999+02:00",
			"Last  Month":          "2026-06-30T23:59:59.999999999+02:00",
			"last year":            "2025-12-31T23:59:59.999999999+02:00",
			"this week":            "2026-07-31T15:30:00+02:00",
			"3 days ago":           "2026-07-28T23:59:59.999999999+02:00",
			"a week ago":           "2026-07-24T23:59:59.999999999+02:00",
			"1 month ago":          "2026-06-30T23:59:59.999999999+02:00",
			"2 years ago":          "2024-07-31T23:59:59.999999999+02:00",
		} {
			at, err := time.Parse(time.RFC3339Nano, want)
			if err != nil {
				t.Fatal(err)
			}
			if err := callAt(t, f, ump.OpRecall, `{"query":"x","filter":{"valid_at":"`+said+`"}}`, friday); err != nil || !f.query.Filter.ValidAt.Equal(at) {
				t.Errorf("%q is %v, %v; want %s", said, f.query.Filter.ValidAt, err, want)
			}
		}
		if err := callAt(t, f, ump.OpRecall, `{"query":"x","filter":{"valid_at":2025}}`, friday); err != nil || f.query.Filter.ValidAt.Year() != 2025 {
			t.Errorf("the number 2025 is %v, %v", f.query.Filter.ValidAt, err)
		}
	})
	t.Run("UMP-3.2-7 any other time is refused", func(t *testing.T) {
		for _, said := range []string{
			"2026-13", "2026-02-30", "26-01-01", "2026-6-4", "soon", "last", "last day", "last thursday", "days ago", "-3 days ago", "3 hours ago", "9999999 days ago",
			"9000 years ago", "0000", "06/04/2026",
		} {
			if err := callAt(t, f, ump.OpRecall, `{"query":"x","filter":{"valid_at":"`+said+`"}}`, friday); memory.KindOf(err) != memory.InvalidRecord {
				t.Errorf("%q is taken: %v, %v", said, f.query.Filter.ValidAt, err)
			}
		}
	})
	t.Run("UMP-3.2-7 without a clock dates are those of UTC", func(t *testing.T) {
		want := time.Date(2026, 6, 5, 0, 0, 0, 0, time.UTC).Add(-1)
		if err := callAt(t, f, ump.OpRecall, `{"query":"x","filter":{"valid_at":"2026-06-04"}}`, nil); err != nil || !f.query.Filter.ValidAt.Equal(want) {
			t.Errorf("%v, %v", f.query.Filter.ValidAt, err)
		}
	})
	t.Run("UMP-3.2-6 kinds come as a text, a list in a text, or a list", func(t *testing.T) {
		for said, want := range map[string][]memory.Kind{
			`"Semantic"`:               {memory.Semantic},
			`"semantic, EPISODIC,"`:    {memory.Semantic, memory.Episodic},
			`["Identity","working "]`:  {memory.Identity, memory.Working},
			`""`:                       nil,
			`[]`:                       nil,
			`"procedural,procedural" `: {memory.Procedural, memory.Procedural},
		} {
			if err := callAt(t, f, ump.OpRecall, `{"query":"x","filter":{"valid_at":"","kind":`+said+`}}`, friday); err != nil || !slices.Equal(f.query.Filter.Kinds, want) {
				t.Errorf("%s is %v, %v", said, f.query.Filter.Kinds, err)
			}
		}
		refuse(t, ump.OpRecall, memory.InvalidRecord, "UMP-3.2-6", "/filter/kind", `{"query":"x","filter":{"kind":"semantic,fact"}}`)
	})
	t.Run("UMP-3.4-1 an id comes with its prefix or without", func(t *testing.T) {
		for _, said := range []string{"urn:ump:abc", "abc", " abc "} {
			_ = callAt(t, f, ump.OpGet, `{"id":"`+said+`"}`, friday)
			if f.id != "urn:ump:abc" {
				t.Errorf("%q is %s", said, f.id)
			}
		}
	})
}

func TestDraftSpellings(t *testing.T) {
	friday := func() time.Time { return aFriday }
	f := &fake{}
	const said = `{"kind":"Semantic","body":{"text":"x"},"time":{"valid_from":"last month","valid_to":"2026-08-15"},"supersedes":["abc"]}`
	const plain = `{"body":{"text":"x"},"kind":"semantic","supersedes":["urn:ump:abc"],"time":{"valid_from":"2026-05-31T22:00:00Z","valid_to":"2026-08-15T22:00:00Z"}}`
	t.Run("UMP-3.3-1 a draft gets the protocol's spellings before it is hashed", func(t *testing.T) {
		err := callAt(t, f, ump.OpRemember, said, friday)
		if got := string(f.draft.Record.Origin); err != nil || !equalJSON(t, got, plain) || f.draft.Record.Kind != memory.Semantic {
			t.Errorf("offered %s, %v", got, err)
		}
	})
	t.Run("UMP-3.5-1 so does a patch", func(t *testing.T) {
		err := callAt(t, f, ump.OpRevise, `{"id":"abc","patch":{"kind":" Working","time":{"valid_to":"yesterday"}}}`, friday)
		if got := string(f.revision.Patch); err != nil || !equalJSON(t, got, `{"kind":"working","time":{"valid_to":"2026-07-30T22:00:00Z"}}`) || f.revision.ID != "urn:ump:abc" {
			t.Errorf("offered %s for %s, %v", got, f.revision.ID, err)
		}
	})
	t.Run("UMP-2-16 a time that is none is refused", func(t *testing.T) {
		if err := callAt(t, f, ump.OpRemember, `{"body":{"text":"x"},"time":{"valid_from":"soon"}}`, friday); memory.KindOf(err) != memory.InvalidRecord {
			t.Error(err)
		}
	})
	t.Run("UMP-3.3-4 a signed record is not touched", func(t *testing.T) {
		signed := string(mustAuthor(t, `{"body":{"text":"x"}}`).Origin)
		err := callAt(t, f, ump.OpRemember, signed, friday)
		if got := string(f.draft.Record.Origin); err != nil || got != signed {
			t.Errorf("offered %s, %v", got, err)
		}
		odd := signed[:len(signed)-1] + `,"supersedes":["abc"]}`
		if err := callAt(t, f, ump.OpRemember, odd, friday); err == nil {
			t.Errorf("a signed record was changed: %s", f.draft.Record.Origin)
		}
	})
}

func equalJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var forms [2]string
	for i, text := range []string{a, b} {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		form, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		forms[i] = string(form)
	}
	return forms[0] == forms[1]
}
