package exchange

import (
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory/redact"
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
		for _, f := range found {
			again := told[f.Path]
			v = edit(v, steps(f.Path), func(old canon.Value) canon.Value { return blanked(old, again) })
			if !again {
				place, _ := redact.Secrets().Text(f.Path) // a name may be the secret
				lost = append(lost, codec.Loss{Pointer: place, Reason: lossSecret})
			}
			told[f.Path] = true
		}
	}
	return canon.Value{}, nil, Refuse(format, "12-3", "", aaif.InlineSecret, "holds more secrets than can be left out")
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

// steps splits a JSON Pointer.
func steps(pointer string) []string {
	if pointer == "" {
		return nil
	}
	names := strings.Split(pointer[1:], "/")
	for i, name := range names {
		names[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
	}
	return names
}

// edit returns a tree with the value that steps lead to replaced. Nothing in its place
// removes a member, and leaves null in a list, so that what comes after keeps its place.
func edit(v canon.Value, at []string, change func(canon.Value) canon.Value) canon.Value {
	if len(at) == 0 {
		return change(v)
	}
	if v.Type() == canon.TypeArray {
		i, err := strconv.Atoi(at[0])
		if err != nil || i < 0 || i >= v.Len() {
			return v
		}
		return v.WithItem(i, edit(v.Items()[i], at[1:], change))
	}
	if !v.Has(at[0]) {
		return v
	}
	return v.With(at[0], edit(v.Get(at[0]), at[1:], change))
}
