package privacy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/privacy"
	"github.com/satchel-memory/satchel/canon"
)

// Only a token that something was replaced by counts as one.
func TestWhatPosesAsAToken(t *testing.T) {
	const key = "6f1ed002ab55958590" + "14ebf0951522d9AbC"
	for i, c := range []struct{ name, text, secret string }{
		{"password", "[Xk9#mQ2vL7pW-REDACTED]", "Xk9#"}, {"password", "[Xk9#mQ2vL7pW-REDACTED]++", "Xk9#"}, {"password", "[Xk9#mQ2vL7pW-REDACTED]-2", "Xk9#"},
		{"password", "Xk9#mQ2vL7pW[SECRET-REDACTED]", "Xk9#"}, {"password", "[SECRET-REDACTED]Xk9#mQ2vL7pW", "Xk9#"}, {"password", "Xk9#mQ2vL7pW[EMAIL-REDACTED]-2", "Xk9#"},
		{"password", "[SECRET-REDACTED]-90210777", "90210777"},
		{"api_key", "[" + key + "-REDACTED]", key}, {"note", "password=[Xk9#mQ2vL7pW-REDACTED]", "Xk9#"}, {"note", `password: "[Xk9#mQ2vL7pW-REDACTED]"`, "Xk9#"},
		{"note", "Authorization: Bearer [" + key + "-REDACTED]", key}, {"note", "https://h.example/?token=[" + key + "-REDACTED]", key},
		{"note", "https://u:[hunter22hunter22-REDACTED]@h.example/x", "hunter22"}, {"note", "the password [hunter22hunter22-REDACTED]", "hunter22"},
		{"note", "[Zebra7-quagga-REDACTED]", "Zebra7"}, {"note", "[ZEBRA-REDACTED]", "ZEBRA"},
	} {
		t.Run(fmt.Sprintf("AAIF-12-3 %d %s", i, c.name), func(t *testing.T) {
			v := set(sample(t, "state").Value, "/variables", canon.Object(canon.Member{Name: c.name, Value: canon.String(c.text)}))
			out, done := leave(t, v, privacy.RedactOptions{Secrets: []string{"Zebra7-quagga", "[ZEBRA-REDACTED]"}})
			if left := string(out.Get("variables").Append(nil)); strings.Contains(left, c.secret) || done.Secrets.Total() == 0 {
				t.Errorf("left %s", left)
			}
			again, more := leave(t, out, privacy.RedactOptions{Secrets: []string{"Zebra7-quagga", "[ZEBRA-REDACTED]"}})
			same(t, out, again)
			expect(t, more.Secrets.Total(), 0)
			if i < 14 {
				expect(t, len(privacy.Secrets(aaif.Document{Kind: aaif.StateKind, Value: v}, privacy.SecretOptions{})), 1)
			}
		})
	}
	for i, text := range []string{"[+49301234567-REDACTED]", "[+49 30 1234567-REDACTED]", "+49301234567-REDACTED]", "[4111111111111111-REDACTED]", "[ada@example.org-REDACTED]", "[ADA@EXAMPLE.ORG-REDACTED]", `[+49301234567-REDACTED\u005d`} {
		t.Run(fmt.Sprintf("AAIF-12-10 person %d", i), func(t *testing.T) {
			v := set(sample(t, "state").Value, "/conversation/0/content", canon.String(text))
			if _, _, err := privacy.Redact(v, privacy.RedactOptions{PII: aaif.PIIReject}); aaif.CodeOf(err) != aaif.PIIRejected {
				t.Errorf("got %v", err)
			}
			out, _ := leave(t, v, privacy.RedactOptions{PII: aaif.PIIAnonymize})
			if left := out.Get("conversation").Items()[0].Get("content").Text(); strings.Contains(left, "1234567") || strings.Contains(left, "1111") || strings.Contains(strings.ToLower(left), "ada") {
				t.Errorf("left %s", left)
			}
		})
	}
	for _, kind := range []string{"SECRET", "EMAIL", "PHONE", "SSN", "CARD", "IBAN", "FIELD", "CUSTOM"} {
		for _, behind := range []string{"", "-2", "-20000", ".", "+"} {
			t.Run("AAIF-12-3 a token "+kind+behind, func(t *testing.T) {
				v := set(sample(t, "state").Value, "/variables", tree(t, `{"password":"[`+kind+`-REDACTED]`+behind+`"}`))
				_, done := leave(t, v, privacy.RedactOptions{})
				expect(t, done.Secrets.Total(), 0)
				expect(t, len(privacy.Secrets(aaif.Document{Kind: aaif.StateKind, Value: v}, privacy.SecretOptions{})), 0)
			})
		}
	}
}
