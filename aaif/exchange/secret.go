package exchange

import (
	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/privacy"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/redact"
)

// mostRounds bounds the passes over a document in search of secrets. Each pass finds a
// bounded number.
const mostRounds = 8

// lossSecret is the reason for secrets that are left out.
const lossSecret = "a secret, which no definition holds: refer to it by env_var or vault_ref, and replace it, as it has been shown [AAIF-12-3]"

// withoutSecrets returns a tree without credentials. A token replaces a credential inside
// a text, and a member that is itself one is removed.
func withoutSecrets(format string, v canon.Value, opt Options) (canon.Value, []codec.Loss, error) {
	var lost []codec.Loss
	told := map[string]bool{}
	for range mostRounds {
		found := privacy.Secrets(aaif.Document{Value: v}, privacy.SecretOptions{Allow: opt.Allow})
		if len(found) == 0 {
			return v, lost, nil
		}
		change := map[string]func(canon.Value) canon.Value{}
		for _, f := range found {
			again := told[f.Path]
			if change[f.Path] == nil {
				change[f.Path] = func(old canon.Value) canon.Value { return redacted(old, again) }
			}
			if !again {
				place, _ := redact.Secrets().Text(f.Path) // a name may be the secret
				lost = append(lost, codec.Loss{Pointer: place, Reason: lossSecret})
			}
			told[f.Path] = true
		}
		v = withChanges(v, "", change, canon.Null())
	}
	return canon.Value{}, nil, Refuse(format, "12-3", "", aaif.InlineSecret, "holds more secrets than can be left out")
}

// Printable returns a word of a document for a loss: short, and without secrets
// (AAIF-12-3).
func Printable(word string) string {
	word, _ = redact.Secrets().Text(word)
	return aaif.Shown(word)
}

// redacted returns a text without secrets; undefined if the secrets cannot be told from
// the rest.
func redacted(v canon.Value, again bool) canon.Value {
	if !again {
		if text, n := redact.Secrets().Text(v.Text()); n.Total() > 0 {
			return canon.String(text)
		}
	}
	return canon.Value{}
}

// withChanges returns a tree with changed values at some pointers. An undefined value
// removes a member; in a list, gap replaces it if there is one.
func withChanges(v canon.Value, at string, change map[string]func(canon.Value) canon.Value, gap canon.Value) canon.Value {
	if f := change[at]; f != nil {
		return f(v)
	}
	switch v.Type() {
	case canon.TypeArray:
		items := make([]canon.Value, 0, v.Len())
		for i, inner := range v.Items() {
			if inner = withChanges(inner, item(at, i), change, gap); inner.Type() == canon.TypeUndefined {
				inner = gap
			}
			if inner.Type() != canon.TypeUndefined {
				items = append(items, inner)
			}
		}
		return canon.Array(items...)
	case canon.TypeObject:
		members := make([]canon.Member, v.Len())
		for i, m := range v.Members() {
			members[i] = canon.Member{Name: m.Name, Value: withChanges(m.Value, at+canon.Pointer(m.Name), change, gap)}
		}
		return canon.Object(members...)
	}
	return v
}
