package cli

import (
	"encoding/base64"
	"errors"
	"io/fs"
	"strings"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// KeysNamed returns the keys that an argument contains, names or links to; fetched is the
// URL it fetched from, if any.
func (a *App) KeysNamed(arg string) (found []aimem.Key, fetched string, err error) {
	switch {
	case strings.HasPrefix(arg, "did:"):
		pub, err := keys.Public(memory.DID(arg))
		if err != nil {
			return nil, "", Usagef("%v; give a did:key", err)
		}
		did, _, _ := strings.Cut(arg, "#")
		return []aimem.Key{{ID: []byte(did), Public: pub}}, "", nil
	case strings.Contains(arg, "://"):
		return a.fetchKeys(arg)
	}
	data, err := ReadBounded(arg, aimem.MaxKeySet)
	if errors.Is(err, fs.ErrNotExist) {
		if data, err = decodeKey(arg); err != nil {
			return nil, "", Usagef("%s is neither a did:key, nor a URL, a file or a COSE_Key in base64", Clean(arg))
		}
	} else if err != nil {
		return nil, "", err
	} else if text, err := decodeKey(strings.TrimSpace(string(data))); err == nil {
		data = text
	}
	if found, err = aimem.DecodeKeys(data); err != nil && !Exists(arg) {
		return nil, "", Usagef("%s is neither a did:key, nor a URL, a file or a COSE_Key in base64", Clean(arg))
	}
	return found, "", WithStatus(ExitInvalid, err)
}

// decodeKey reads a COSE_Key from base64, of either alphabet.
func decodeKey(text string) ([]byte, error) {
	text = strings.TrimRight(text, "=")
	if data, err := base64.RawStdEncoding.DecodeString(text); err == nil && len(data) > 0 {
		return data, nil
	}
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil && len(data) == 0 {
		err = errors.New("it is empty")
	}
	return data, err
}
