package main

import (
	"errors"
	"strings"
	"testing"
)

func TestServeLog(t *testing.T) {
	for form, want := range map[string]string{"text": "op=read", "json": `"op":"read"`} {
		a, _, messages := person(t, t.Context())
		c := serveCmd{Log: form}
		c.logger(a).Error("vault", "op", "read", "id", "urn:ump:canary", "err", errors.New("disk"))
		if said := messages.String(); !strings.Contains(said, want) || !strings.Contains(said, "disk") || strings.Contains(said, "canary") {
			t.Errorf("%s: %s", form, said)
		}
		a.quiet = true
		before := messages.String()
		c.logger(a).Error("vault")
		if messages.String() != before {
			t.Errorf("%s: quiet, and it says something", form)
		}
	}
}
