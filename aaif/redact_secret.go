package aaif

import (
	"cmp"
	"encoding/base64"
	"net/url"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory/redact"
)

// hiding returns what replaces secrets in a value, in texts and in names of members, and
// counts them. Longer ones go first: one may be part of another.
func hiding(secrets []string, counts redact.Counts) func(canon.Value) canon.Value {
	var spellings []string
	for _, secret := range secrets {
		if len(secret) >= 4 {
			spellings = append(spellings, spelled(secret)...)
		}
	}
	slices.SortFunc(spellings, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b)) })
	spellings = slices.Compact(spellings)
	if len(spellings) == 0 {
		return func(v canon.Value) canon.Value { return v }
	}
	return func(v canon.Value) canon.Value {
		return mapped(v, func(text string) string {
			for _, s := range spellings {
				if n := strings.Count(text, s); n > 0 {
					text = strings.ReplaceAll(text, s, redact.Token("secret"))
					counts.Add(redact.Counts{"secret": n})
				}
			}
			return text
		})
	}
}

// spelled returns a secret as it may stand in a text: as it is, in JSON, in an address,
// and in base64.
func spelled(secret string) []string {
	json := string(canon.String(secret).Append(nil))
	return []string{secret, json[1 : len(json)-1], url.QueryEscape(secret), url.PathEscape(secret),
		strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(secret)), "="), strings.TrimRight(base64.URLEncoding.EncodeToString([]byte(secret)), "=")}
}

// mapped returns a value with its texts, and the names of its members, put through to.
// Names that become one are kept apart.
func mapped(v canon.Value, to func(string) string) canon.Value {
	switch v.Type() {
	case canon.TypeString:
		if text := to(v.Text()); text != v.Text() {
			return canon.String(text)
		}
	case canon.TypeArray:
		items := make([]canon.Value, 0, v.Len())
		for _, inner := range v.Items() {
			items = append(items, mapped(inner, to))
		}
		return canon.Array(items...)
	case canon.TypeObject:
		members, taken := make([]canon.Member, 0, v.Len()), map[string]bool{}
		for _, m := range v.Members() {
			m = canon.Member{Name: to(m.Name), Value: mapped(m.Value, to)}
			for taken[m.Name] {
				m.Name += "+"
			}
			taken[m.Name] = true
			members = append(members, m)
		}
		return canon.Object(members...)
	}
	return v
}

// keyed returns a state whose items of memory have keys of their own, also where they
// have become the same.
func keyed(state canon.Value) canon.Value {
	const list = "memory_snapshot"
	taken := map[string]bool{}
	for i, it := range state.Get(list).Items() {
		key := it.Get("key").Text()
		id := func() string { return it.Get("scope").Text() + "\x00" + key }
		for taken[id()] && strings.Contains(key, "-REDACTED]") {
			key += "+"
		}
		taken[id()] = true
		if key != it.Get("key").Text() {
			state = state.With(list, state.Get(list).WithItem(i, it.With("key", canon.String(key))))
		}
	}
	return state
}
