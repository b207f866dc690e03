package a2a

import (
	"net/url"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/exchange"
	"github.com/satchel-memory/satchel/aaif/privacy"
	"github.com/satchel-memory/satchel/canon"
)

// checkPublic refuses addresses that give access to their readers, because a card is public
// (AAIF-11-2, AAIF-12-3).
func (o Options) checkPublic() error {
	for _, a := range []struct{ at, address string }{{"/url", o.URL}, {"/homepage", o.Homepage}, {"/definition", o.Definition}} {
		if what := secretOf(a.address, o.Options); what != "" {
			return exchange.Refuse(format, "11-2", a.at, aaif.InlineSecret, "the address holds %s, and a card is public: leave it out", what)
		}
	}
	return nil
}

// secretOf names the secret in an address, or returns "".
func secretOf(address string, o exchange.Options) string {
	u, err := url.Parse(address)
	if err != nil {
		return "what cannot be read"
	}
	if u.User != nil {
		return "the name or password of a person"
	}
	for _, part := range []string{u.RawQuery, u.Fragment} {
		for _, pair := range strings.FieldsFunc(part, func(r rune) bool { return r == '&' || r == ';' || r == '?' }) {
			name, value, ok := strings.Cut(pair, "=")
			if plain, err := url.QueryUnescape(name); err == nil {
				name = plain
			}
			if ok && value != "" && isCredential(name) {
				return "a secret, under " + aaif.Shown(name)
			}
		}
	}
	if len(privacy.Secrets(aaif.Document{Value: canon.Object(member("address", canon.String(address)))}, privacy.SecretOptions{Allow: o.Allow})) > 0 {
		return "a secret"
	}
	return ""
}

// isCredential reports whether the name of an address parameter suggests a credential.
func isCredential(name string) bool {
	name = strings.NewReplacer("-", "", "_", "", ".", "").Replace(strings.ToLower(name))
	if slices.Contains([]string{"key", "sig", "pw", "pwd", "pass", "auth", "jwt", "sas", "code"}, name) {
		return true
	}
	return slices.ContainsFunc([]string{"token", "secret", "password", "passwd", "apikey", "accesskey", "signature", "credential", "authorization", "sessionid"}, func(word string) bool { return strings.Contains(name, word) })
}
