package redact_test

import (
	"testing"

	"github.com/satchel-memory/satchel/memory/redact"
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
