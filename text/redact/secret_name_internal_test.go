package redact

import (
	"strings"
	"testing"
)

// TestMayEndSecretName: the look at the last letters passes over no name that the pattern
// matches.
func TestMayEndSecretName(t *testing.T) {
	for _, name := range []string{
		"password", "DB_PASSWORT", "passwd", "passphrase", "passcode", "pwd", "Kennwort", "clientSecret", "token", "credential",
		"credentials", "credentialſ", "api_key", "encryption-KEY", "access\u00a0key", "private \u212aey", "signing key",
	} {
		if matches := secretName.MatchString(name); matches && !mayEndSecretName(name) {
			t.Errorf("%q is passed over", name)
		} else if !matches && !strings.Contains(name, "\u00a0") {
			t.Errorf("the pattern does not match %q", name)
		}
	}
	for _, name := range []string{"", "text", "name", "content_hash", "ke"} {
		if mayEndSecretName(name) {
			t.Errorf("%q may be one", name)
		}
	}
}
