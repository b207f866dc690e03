package policy_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/run/policy"
)

func handling(t *testing.T, pii string) aaif.Definition {
	t.Helper()
	return agent(t, `"compliance":{"pii_handling":"`+pii+`"}`)
}

func TestPersonal(t *testing.T) {
	const text = "mail bob@example.com"
	for _, c := range []struct {
		pii, text, events string
		code              aaif.Code
		seal              bool
	}{
		{"none", text, "", "", false},
		{"detect", text, "pii.detected", "", false},
		{"anonymize", "mail [EMAIL-REDACTED]", "pii.detected", "", false},
		{"encrypt", text, "pii.detected", "", true},
		{"reject", "", "", aaif.PIIRejected, false},
		{"shred", "", "", aaif.PIIRejected, false},
	} {
		for _, id := range []string{"AAIF-4.9-7", "AAIF-12-10"} {
			t.Run(id+" "+c.pii, func(t *testing.T) {
				p := policy.NewPersonal(handling(t, c.pii))
				got, notices, err := p.Text(text)
				want(t, "text", got, c.text)
				want(t, "events", events(notices), c.events)
				if aaif.CodeOf(err) != c.code || p.Seal() != c.seal {
					t.Errorf("got %v, %t", err, p.Seal())
				}
				if err != nil && strings.Contains(err.Error(), "bob") {
					t.Errorf("the error repeats it: %v", err)
				}
			})
		}
		t.Run("AAIF-4.9-7 nothing personal, "+c.pii, func(t *testing.T) {
			got, notices, err := policy.NewPersonal(handling(t, c.pii)).Text("mail nobody")
			if got != "mail nobody" || notices != nil || err != nil {
				t.Errorf("got %q, %v, %v", got, notices, err)
			}
		})
	}
	t.Run("AAIF-4.9-7 detect is the default", func(t *testing.T) {
		if _, notices, err := policy.NewPersonal(agent(t, "")).Text(text); events(notices) != "pii.detected" || err != nil {
			t.Errorf("got %v, %v", notices, err)
		}
	})
	t.Run("AAIF-12-10 arguments, variables and texts that are JSON", func(t *testing.T) {
		p := policy.NewPersonal(handling(t, "anonymize"))
		got, _, err := p.Value(value(t, `{"to":["bob@example.com"],"call":{"phone":4366412345678},"bob@example.com":1,"raw":"{\"x\":\"bob\\u0040example.com\"}","n":5}`))
		if err != nil {
			t.Fatal(err)
		}
		want(t, "value", string(got.AppendCanonical(nil)), `{"[EMAIL-REDACTED]":1,"call":{"phone":"[PHONE-REDACTED]"},"n":5,"raw":"{\"x\":\"[EMAIL-REDACTED]\"}","to":["[EMAIL-REDACTED]"]}`)
	})
	t.Run("AAIF-12-10 a refusal says where", func(t *testing.T) {
		_, _, err := policy.NewPersonal(handling(t, "reject")).Value(value(t, `{"a":[0,"bob@example.com"]}`))
		if err == nil || !strings.Contains(err.Error(), "/a/1") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("AAIF-U.L-1 whoever works for others keeps to the strictest policy", func(t *testing.T) {
		if !policy.NewPersonal(handling(t, "none"), handling(t, "encrypt"), handling(t, "detect")).Seal() {
			t.Error("not sealed")
		}
	})
}
