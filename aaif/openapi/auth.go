package openapi

import (
	"cmp"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
)

// AuthPlacement says where a call puts its credential. The zero AuthPlacement puts none.
type AuthPlacement struct {
	Scheme string // the scheme's name
	In     string // header, query, cookie; "tls" for certificates
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

// authFor reports whether a tool's auth allows a call of an operation, and by which
// scheme. It takes the first alternative with exactly one scheme that fits. A tool has
// one auth, so alternatives with several schemes never fit (AAIF-4.4-12).
func (d Description) authFor(o Operation, auth aaif.Auth) (AuthPlacement, bool) {
	for _, way := range o.Needs {
		if len(way) != 1 {
			continue
		}
		if sent, ok := d.Schemes[way[0]].placement(auth); ok {
			sent.Scheme = way[0]
			return sent, true
		}
	}
	return AuthPlacement{}, len(o.Needs) == 0
}

// placement reports whether an auth fits a scheme, and where the credential goes.
func (s Scheme) placement(auth aaif.Auth) (AuthPlacement, bool) {
	header := AuthPlacement{In: "header", Name: "Authorization"}
	is := func(types ...string) bool { return slices.Contains(types, auth.Type) }
	switch {
	case s.Type == "apiKey" && is("api_key"):
		other := s.In == "header" && auth.Header != "" && !strings.EqualFold(auth.Header, s.Name)
		return AuthPlacement{In: cmp.Or(s.In, "header"), Name: s.Name}, s.Name != "" && !other
	case s.Type == "http" && s.HTTP == "basic":
		return header, is("basic")
	case s.Type == "http" && s.HTTP == "bearer":
		return header, is("bearer", "oauth2")
	case s.Type == "http" && strings.HasPrefix(s.HTTP, "aws4-hmac-sha256"):
		return header, is("aws_sigv4")
	case s.Type == "oauth2" || s.Type == "openIdConnect":
		return header, is("oauth2", "bearer")
	case s.Type == "mutualTLS":
		return AuthPlacement{In: "tls"}, is("mtls")
	}
	return AuthPlacement{}, false
}
