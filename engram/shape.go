package engram

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/text/pattern"
)

// maxURI is the longest URI.
const maxURI = 2048

// The patterns of texts. The JSON Schemas hold the same patterns.
const (
	shapeVersion  = `^[0-9]{1,9}\.[0-9]{1,9}(\.[0-9]{1,9})?$`
	shapeTime     = `^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$`
	shapeID       = `^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$`
	shapeURI      = `^[A-Za-z][A-Za-z0-9+.-]*:[^\s]+$`
	shapeAddress  = `^[Hh][Tt][Tt][Pp][Ss]?://[^\s/?#]+[^\s]*$`
	shapeDID      = `^did:[a-z0-9]+:[^\s]+$`
	shapeRuntime  = `^(https://[^\s/?#]+[^\s]*|did:[a-z0-9]+:[^\s]+|urn:[A-Za-z0-9-]+:[^\s]+)$`
	shapeLocale   = `^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$`
	shapeSigned   = `^([A-Za-z0-9_-]{86}|unsigned-v1)$`
	shapeTimezone = `^((Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Brazil|Canada|Chile|Etc|Europe|Indian|Mexico|Pacific|US)/[A-Za-z0-9_+/-]*[A-Za-z0-9]` +
		`|UTC|UCT|GMT|GMT0|GMT[+]0|GMT-0|Zulu|Universal|Greenwich|EST|MST|HST|CET|EET|MET|WET|EST5EDT|CST6CDT|MST7MDT|PST8PDT|Cuba|Egypt|Eire|GB|GB-Eire` +
		`|Hongkong|Iceland|Iran|Israel|Jamaica|Japan|Kwajalein|Libya|NZ|NZ-CHAT|Navajo|PRC|Poland|Portugal|ROC|ROK|Singapore|Turkey|W-SU)$`
	// shapePerson matches what identifies a person: an address, a number, an account.
	shapePerson = `^([Mm][Aa][Ii][Ll][Tt][Oo]|[Tt][Ee][Ll]|[Ss][Ii][Pp][Ss]?|[Aa][Cc][Cc][Tt]|[Xx][Mm][Pp][Pp]):|^[A-Za-z][A-Za-z0-9+.-]*:(//)?[^/]*@`
)

var (
	versionShape  = pattern.New(shapeVersion)
	idShape       = pattern.New(shapeID)
	uriShape      = pattern.New(shapeURI)
	addressShape  = pattern.New(shapeAddress)
	didShape      = pattern.New(shapeDID)
	runtimeShape  = pattern.New(shapeRuntime)
	localeShape   = pattern.New(shapeLocale)
	signedShape   = pattern.New(shapeSigned)
	timezoneShape = pattern.New(shapeTimezone)
	personShape   = pattern.New(shapePerson)
)

// IsID reports whether s is a UUIDv4, in any case (ENGRAM-3.4-1).
func IsID(s string) bool { return len(s) == 36 && idShape.MatchString(s) }

// IsSubject reports whether s may be a subject.id (ENGRAM-3.2-16, ENGRAM-3.2-18): a UUIDv4,
// or a URI that is not a person's address (decision E-37).
func IsSubject(s string) bool { return IsID(s) || isURI(s) && !personShape.MatchString(s) }

// IsRuntimeURI reports whether s may be an issued_to (ENGRAM-3.7-7): a URI of scheme
// https, did or urn.
func IsRuntimeURI(s string) bool { return len(s) <= maxURI && runtimeShape.MatchString(s) }

// isTimezone reports whether s has the form of an IANA name (ENGRAM-3.3-2). Names come and
// go with politics, so it checks for an area and not against a list.
func isTimezone(s string) bool { return len(s) <= 64 && timezoneShape.MatchString(s) }

func isURI(s string) bool     { return len(s) <= maxURI && uriShape.MatchString(s) }
func isAddress(s string) bool { return len(s) <= maxURI && addressShape.MatchString(s) }

// isTime reports whether s is a time as the wire spells it.
func isTime(s string) bool {
	_, ok := ParseInstant(s)
	return ok
}

// oneOf returns a check against a list of words, and the message that names them.
func oneOf[S ~string](words ...S) (func(string) bool, string) {
	names := make([]string, len(words))
	for i, w := range words {
		names[i] = string(w)
	}
	return func(s string) bool { return slices.Contains(names, s) }, "must be one of " + strings.Join(names, ", ")
}
