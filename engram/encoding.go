package engram

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/text/pattern"
)

// base64URL matches base64url; decode64 checks the padding.
var base64URL = pattern.New(`^[A-Za-z0-9_-]+$`)

// decode64 reads base64url of size bytes, with or without padding. It accepts one spelling
// only, and nothing else around or inside it (decision E-05).
func decode64(s string, size int) ([]byte, bool) {
	digits := strings.TrimRight(s, "=")
	if len(s) != len(digits) && len(s)%4 != 0 || len(s)-len(digits) > 2 || !base64URL.MatchString(digits) {
		return nil, false
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(digits)
	return b, err == nil && len(b) == size
}

// asSpelled returns the canonical form with numbers as they were received (decision E-01).
func asSpelled(v canon.Value) []byte { return sortMembers(v).Append(nil) }

// sortMembers returns v with the members of all objects in canonical order.
func sortMembers(v canon.Value) canon.Value {
	switch v.Type() {
	case canon.TypeArray:
		items := slices.Clone(v.Items())
		for i := range items {
			items[i] = sortMembers(items[i])
		}
		return canon.Array(items...)
	case canon.TypeObject:
		members := slices.Clone(v.Members())
		for i := range members {
			members[i].Value = sortMembers(members[i].Value)
		}
		slices.SortFunc(members, func(a, b canon.Member) int { return canon.CompareNames(a.Name, b.Name) })
		return canon.Object(members...)
	}
	return v
}
