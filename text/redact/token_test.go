package redact_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/text/redact"
)

func TestTokens(t *testing.T) {
	for text, want := range map[string]bool{
		"[SECRET-REDACTED]": true, "[EMAIL-REDACTED]-2": true, "[PHONE-REDACTED]!": true, "[CARD-REDACTED], [IBAN-REDACTED]": true, "[FIELD-REDACTED]": true, "[CUSTOM-REDACTED]": true, "[SSN-REDACTED]": true,
		"": false, "[Xk9#mQ2vL7pW-REDACTED]": false, "[secret-REDACTED]": false, "x[SECRET-REDACTED]": false, "[SECRET-REDACTED]-90210777": false, "[SECRET-REDACTED]-0": false, "-REDACTED]": false,
	} {
		if got := redact.IsToken(text); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
	for text, want := range map[string]string{
		"[SECRET-REDACTED]": "[SECRET-REDACTED]", "[abc-REDACTED]": " abc          ", "[a-REDACTED] [SSN-REDACTED][b-REDACTED]": " a           [SSN-REDACTED] b          ", "a] b-REDACTED]": "a] b          ", "plain": "plain",
	} {
		if got, changed := redact.Undisguised(text); got != want || changed != (text != want) {
			t.Errorf("%q: got %q", text, got)
		}
	}
	for _, text := range []string{`password="[Xk9#mQ2vL7pW-REDACTED]"`, "pwd=Xk9#mQ2vL7pW[SECRET-REDACTED]"} {
		if got, _ := redact.Secrets().Text(text); strings.Contains(got, "Xk9#") {
			t.Errorf("left %s", got)
		}
	}
}

func TestManyNames(t *testing.T) {
	var members []canon.Member
	for i := range 20_000 {
		members = append(members, canon.Member{Name: fmt.Sprintf("a%d@b.cc", i), Value: canon.Int(1)})
	}
	began := time.Now()
	out, counts := redact.Redactor{}.JSON(canon.Object(members...))
	if took := time.Since(began); took > 5*time.Second || counts["email"] != len(members) || len(out.Append(nil)) > 30*len(members) {
		t.Errorf("took %v, %d bytes, counted %v", took, len(out.Append(nil)), counts)
	}
	if got := out.Members(); got[0].Name != "[EMAIL-REDACTED]" || got[1].Name != "[EMAIL-REDACTED]-2" || got[19_999].Name != "[EMAIL-REDACTED]-20000" {
		t.Errorf("got %s, %s, %s", got[0].Name, got[1].Name, got[19_999].Name)
	}
}
