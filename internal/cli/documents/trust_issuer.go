package documents

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/cli"
)

// maxKeyList is the most bytes of an issuer's list of keys.
const maxKeyList = 1 << 20

// NamesIssuer reports whether an argument of trust is the address of an issuer, and
// not the name of a producer.
func NamesIssuer(arg string) bool { return strings.Contains(arg, "://") }

// TrustedKeys returns the keys that the owner trusts as an issuer's.
func TrustedKeys(o *cli.Session, a *cli.App, issuer string) ([]engram.Key, error) {
	all, err := o.Trust().TrustedIssuers(a.Ctx, o.Caller())
	for _, t := range all {
		if engram.SameIssuer(t.URL, issuer) {
			return t.Keys, err
		}
	}
	return nil, err
}

// JoinedKeys adds keys to the known ones. It refuses a name that is known for another
// key, so that no key replaces another unnoticed.
func JoinedKeys(known, found []engram.Key) ([]engram.Key, error) {
	all := slices.Clone(known)
	for _, k := range found {
		at := slices.IndexFunc(all, func(have engram.Key) bool { return have.Kid == k.Kid })
		switch {
		case at < 0:
			all = append(all, k)
		case !slices.Equal(all[at].Public, k.Public):
			return nil, cli.Refusedf("%s is known as another key of this issuer already; ask its owner, and say --only if the keys that you have now are the right ones", cli.Clean(k.Kid))
		default:
			all[at] = k
		}
	}
	return all, nil
}

// IssuerKeysNamed reads the list of keys at arg: a file or a URL; without arg it
// reads the list that the issuer publishes. fetched is the address it fetched.
func IssuerKeysNamed(a *cli.App, arg, issuer string) (found []engram.Key, fetched string, err error) {
	var data []byte
	switch {
	case arg == "":
		if arg, err = engram.KeysURL(issuer); err != nil {
			return nil, "", cli.Usagef("%v", err)
		}
		data, fetched, err = a.Fetch(arg, engram.KeysPath, "application/json", maxKeyList)
	case strings.Contains(arg, "://"):
		data, fetched, err = a.Fetch(arg, engram.KeysPath, "application/json", maxKeyList)
	default:
		if data, err = cli.ReadBounded(arg, maxKeyList); errors.Is(err, fs.ErrNotExist) {
			return nil, "", cli.Usagef("%s is neither a file with an issuer's list of keys nor the URL of one", cli.Clean(arg))
		}
	}
	if err != nil {
		return nil, "", err
	}
	if found, err = engram.DecodeKeys(data); err != nil {
		return nil, "", cli.WithStatus(cli.ExitInvalid, err)
	}
	if len(found) == 0 {
		return nil, "", cli.Invalidf("there is no key in %s that signs exports", cli.Clean(arg))
	}
	return found, fetched, nil
}
