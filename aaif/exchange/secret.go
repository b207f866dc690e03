package exchange

import (
	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/redact"
)

// mostRounds bounds how often a document is looked through for secrets, of which each
// look finds a bounded number.
const mostRounds = 8

// lossSecret is the reason of secrets that are left out.
const lossSecret = "a secret, which no definition holds: refer to it by env_var or vault_ref, and replace it, as it has been shown [AAIF-12-3]"

// withoutSecrets returns a tree without the credentials in it: a text around one stays,
// with a token in its place. What is left of it stands where it stood, unless it was a
// member, which is removed.
func withoutSecrets(format string, v canon.Value, opt Options) (canon.Value, []codec.Loss, error) {
	var lost []codec.Loss
	told := map[string]bool{}
	for range mostRounds {
		found := aaif.Secrets(aaif.Document{Value: v}, aaif.SecretOptions{Allow: opt.Allow})
		if len(found) == 0 {
			return v, lost, nil
		}
		change := map[string]func(canon.Value) canon.Value{}
		for _, f := range found {
			again := told[f.Path]
			if change[f.Path] == nil {
				change[f.Path] = func(old canon.Value) canon.Value { return blanked(old, again) }
			}
			if !again {
				place, _ := redact.Secrets().Text(f.Path) // a name may be the secret
				lost = append(lost, codec.Loss{Pointer: place, Reason: lossSecret})
			}
			told[f.Path] = true
		}
		v = edited(v, "", change, canon.Null())
	}
	return canon.Value{}, nil, Refuse(format, "12-3", "", aaif.InlineSecret, "holds more secrets than can be left out")
}

// Named returns a word of a document as a loss may repeat it: short, and without a secret
// in it (AAIF-12-3).
func Named(word string) string {
	word, _ = redact.Secrets().Text(word)
	return aaif.Shown(word)
}

// blanked returns a text without the secrets in it, and nothing of what cannot be told
// from one.
func blanked(v canon.Value, again bool) canon.Value {
	if !again {
		if text, n := redact.Secrets().Text(v.Text()); n.Total() > 0 {
			return canon.String(text)
		}
	}
	return canon.Value{}
}

// edited returns a tree with the values at some pointers changed. What becomes nothing is
// removed from an object; in a list a gap takes its place, if there is one.
func edited(v canon.Value, at string, change map[string]func(canon.Value) canon.Value, gap canon.Value) canon.Value {
	if f := change[at]; f != nil {
		return f(v)
	}
	switch v.Type() {
	case canon.TypeArray:
		items := make([]canon.Value, 0, v.Len())
		for i, inner := range v.Items() {
			if inner = edited(inner, item(at, i), change, gap); inner.Type() == canon.TypeUndefined {
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
			members[i] = canon.Member{Name: m.Name, Value: edited(m.Value, at+canon.Pointer(m.Name), change, gap)}
		}
		return canon.Object(members...)
	}
	return v
}
