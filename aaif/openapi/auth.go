package openapi

import (
	"cmp"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
)

// Sent is how a call says who makes it. The zero Sent: it does not.
type Sent struct {
	Scheme string // the name of the scheme
	In     string // header, query, cookie; "tls" of certificates
	Name   string // of the header, parameter or cookie
}

// String says a scheme in words.
func (s Scheme) String() string {
	switch s.Type {
	case "apiKey":
		return "apiKey in " + aaif.Shown(s.In) + " " + aaif.Shown(s.Name)
	case "http":
		return "http " + aaif.Shown(s.HTTP)
	case "":
		return "no scheme of the description"
	}
	return aaif.Shown(s.Type)
}

// lets reports whether the auth of a tool lets it call an operation, and by which scheme:
// the first way that asks for one thing, which is what the auth is. A tool has one auth,
// so that no way which asks for several is open to it (AAIF-4.4-12).
func (d Description) lets(o Operation, auth aaif.Auth) (Sent, bool) {
	for _, way := range o.Needs {
		if len(way) != 1 {
			continue
		}
		if sent, ok := d.Schemes[way[0]].fits(auth); ok {
			sent.Scheme = way[0]
			return sent, true
		}
	}
	return Sent{}, len(o.Needs) == 0
}

// fits reports whether an auth is what a scheme asks for, and where it then stands.
func (s Scheme) fits(auth aaif.Auth) (Sent, bool) {
	header := Sent{In: "header", Name: "Authorization"}
	is := func(types ...string) bool { return slices.Contains(types, auth.Type) }
	switch {
	case s.Type == "apiKey" && is("api_key"):
		other := s.In == "header" && auth.Header != "" && !strings.EqualFold(auth.Header, s.Name)
		return Sent{In: cmp.Or(s.In, "header"), Name: s.Name}, s.Name != "" && !other
	case s.Type == "http" && s.HTTP == "basic":
		return header, is("basic")
	case s.Type == "http" && s.HTTP == "bearer":
		return header, is("bearer", "oauth2")
	case s.Type == "http" && strings.HasPrefix(s.HTTP, "aws4-hmac-sha256"):
		return header, is("aws_sigv4")
	case s.Type == "oauth2" || s.Type == "openIdConnect":
		return header, is("oauth2", "bearer")
	case s.Type == "mutualTLS":
		return Sent{In: "tls"}, is("mtls")
	}
	return Sent{}, false
}
