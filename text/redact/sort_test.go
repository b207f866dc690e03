package redact_test

import (
	"slices"
	"testing"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/redact"
)

func TestSort(t *testing.T) {
	for text, want := range map[string]string{
		"deploy with AKIAIOSFODNN7EXAMPLE":                                     redact.SortKey,
		"Authorization: Bearer abcdefghijkl1234567890":                         redact.SortKey,
		"api_key = abcdefgh12345678":                                           redact.SortKey,
		"the password is hunter2.":                                             redact.SortPassword,
		"password: `hunter2!`":                                                 redact.SortPassword,
		"postgres://sam:hunter2@db.example/x":                                  redact.SortPassword,
		"-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----": redact.SortPrivateKey,
		"my password is long":                                                  "",
	} {
		var got []string
		r := redact.Secrets()
		r.Sort = func(sort string) { got = append(got, sort) }
		r.Record(memory.Record{Body: memory.Body{Text: text}})
		if want == "" && len(got) == 0 {
			continue
		}
		if !slices.Equal(got, []string{want}) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	var got []string
	r := redact.Secrets()
	r.Sort = func(sort string) { got = append(got, sort) }
	r.Record(memory.Record{Body: memory.Body{Structured: []byte(`{"password":"swordfish","api_key":"abcd1234efgh"}`)}})
	if !slices.Equal(got, []string{redact.SortPassword, redact.SortKey}) {
		t.Errorf("of members: %q", got)
	}
}
