package redact_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/text/redact"
)

func TestMask(t *testing.T) {
	token := "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	a, b := "the key is "+token, "tea"
	if said := redact.Mask(&b); said != "" || b != "tea" {
		t.Errorf("%q, %q", said, b)
	}
	if said := redact.Mask(&a, &b); said != "1 secret in the text was masked with [SECRET-REDACTED]" || a != "the key is [SECRET-REDACTED]" || b != "tea" {
		t.Errorf("%q, %q, %q", said, a, b)
	}
	a, b = token, token
	if said := redact.Mask(&a, &b); said != "2 secrets in the text were masked with [SECRET-REDACTED]" {
		t.Errorf("%q", said)
	}
}

// TestUnseen: invisible characters hide no secret.
func TestUnseen(t *testing.T) {
	token, masked := "ghp_"+"16C7e42F292c6912E7710c838347Ae178B4a", "[SECRET-REDACTED]"
	for _, r := range "\u00ad\u034f\u061c\u115f\u180e\u200b\u200c\u200d\u200e\u202e\u2060\u2066\ufe0f\ufeff\U000e0001\U000e0041\U000e007f\U000e0100\x00\x1b\u0080" {
		for at := range len(token) + 1 {
			in := "the key is " + token[:at] + string(r) + token[at:] + " of today"
			got, counts := redact.Secrets().Text(in)
			if bare := strings.ReplaceAll(got, string(r), ""); bare != "the key is "+masked+" of today" || counts["secret"] != 1 {
				t.Errorf("%U at %d: %q, %v", r, at, got, counts)
			}
		}
	}
	for in, want := range map[string]string{
		"pass\u200bword: hun\u00adter2 and tea":                     "pass\u200bword: " + masked + " and tea",
		"a\u200b" + token:                                           "a\u200b" + masked,
		"\u200bnothing\u2060 is here":                               "\u200bnothing\u2060 is here",
		"a family \U0001f468\u200d\U0001f469\u200d\U0001f467 emoji": "a family \U0001f468\u200d\U0001f469\u200d\U0001f467 emoji",
	} {
		if got, _ := redact.Secrets().Text(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
	if !redact.SaysSecret("api\u200b_key", "abc12345") {
		t.Error("the name of a member hides what it says")
	}
}

// TestProse: a password or key announced in prose is masked.
func TestProse(t *testing.T) {
	for in, want := range map[string]string{
		"password: hunter2":                    "password: #",
		"Passwort: hunter2 im Büro":            "Passwort: # im Büro",
		"api key: abc123 for the tests":        "api key: # for the tests",
		"API-Key: ab!cde":                      "API-Key: #",
		"my password is hunter2":               "my password is #",
		"password: ask Ann":                    "password: ask Ann",
		"password: ask Ann, room 204":          "password: ask Ann, room 204",
		"password: in 1Password":               "password: in 1Password",
		"password: 1Password":                  "password: 1Password",
		"api key: ask Ann":                     "api key: ask Ann",
		"api key: see the wiki":                "api key: see the wiki",
		"the password is stored in 1Password":  "the password is stored in 1Password",
		"the password is 12 characters long":   "the password is 12 characters long",
		"the LED is on pin: 1234":              "the LED is on pin: 1234",
		"the api key is rotated every 90 days": "the api key is rotated every 90 days",
	} {
		if got, _ := redact.Secrets().Text(in); got != strings.ReplaceAll(want, "#", "[SECRET-REDACTED]") {
			t.Errorf("%q became %q", in, got)
		}
	}
}
