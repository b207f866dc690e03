package redact_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/text/redact"
)

func TestAccounts(t *testing.T) {
	for in, want := range map[string]string{
		"4111 1111 1111 1111, 4111111111111111":         "[CARD-REDACTED], [CARD-REDACTED]",
		"12 5555-5555-5555-4444 2026":                   "12 [CARD-REDACTED] 2026",
		"amex 378282246310005.":                         "amex [CARD-REDACTED].",
		"?card=4111111111111111&x=1":                    "?card=[CARD-REDACTED]&x=1",
		"4111 1111 1111 1112":                           "4111 1111 1111 1112",
		"call_4111111111111111":                         "call_4111111111111111",
		"1718000000000, 1718000000000000":               "1718000000000, 1718000000000000",
		"DE89370400440532013000":                        "[IBAN-REDACTED]",
		"to DE89 3704 0044 0532 0130 00 please":         "to [IBAN-REDACTED] please",
		"GB82 WEST 1234 5698 7654 32 AND so on":         "[IBAN-REDACTED] AND so on",
		"de89370400440532013000":                        "[IBAN-REDACTED]",
		"DE88370400440532013000":                        "DE88370400440532013000",
		"xDE89370400440532013000":                       "xDE89370400440532013000",
		"sha256:de89b2a1c4e5f60718293a4b5c6d7e8f90a1b2": "sha256:de89b2a1c4e5f60718293a4b5c6d7e8f90a1b2",
	} {
		if got, _ := (redact.Redactor{Accounts: true}).Text(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
		if got, n := (redact.Redactor{KeepPhones: true}).Text(in); got != in {
			t.Errorf("unasked, %q became %q: %v", in, got, n)
		}
	}
}

// TestFind: Find returns exactly the places that Text replaces.
func TestFind(t *testing.T) {
	const text = "ada@example.org has sk-ant-abcdef123456, 4111111111111111 and bob@example.org calls +49 30 1234567"
	r := redact.Redactor{Accounts: true}
	want, counts := r.Text(text)
	var b strings.Builder
	at := 0
	found := r.Find(text)
	for _, p := range found {
		b.WriteString(text[at:p.Start] + redact.Token(p.Name))
		at = p.End
	}
	if got := b.String() + text[at:]; got != want || len(found) != counts.Total() || len(found) != 5 {
		t.Errorf("got %q, want %q (%d, %v)", got, want, len(found), counts)
	}
}

// TestMadeUp: a word in the place of a token is not one.
func TestMadeUp(t *testing.T) {
	for in, secret := range map[string]bool{
		"Uses Bearer authentication.":                  false,
		"Bearer authentication/authorization":          false,
		"Bearer RFC6750-compliant tokens":              false,
		"Bearer YOUR_ACCESS_TOKEN":                     false,
		"basic authentication":                         false,
		"Basic instructions for beginners":             false,
		"Authorization: Basic credentials":             false,
		"Bearer q7Jx2mVbT0pLz9Kd":                      true,
		"Bearer qWeRtYuIoPaSdF":                        true,
		"it sends Basic dXNlcjpwYXNzd29yZA== and more": true,
		"Authorization: Token 9f8e7d6c5b4a":            true,
		"gsk_" + "abcdefGHIJKL0123456789abcd":          true,
		"xai-" + "abcdefGHIJKL0123456789abcd":          true,
		"SK" + "0123456789abcdef0123456789abcdef":      true,
		"hvs." + "CAESIJ1h-abcdef_0123":                true,
	} {
		if _, n := redact.Secrets().Text(in); n.Total() > 0 != secret {
			t.Errorf("%q: %v", in, n)
		}
	}
}
