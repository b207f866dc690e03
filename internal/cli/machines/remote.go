package machines

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/replica/folder"
	"github.com/satchel-memory/satchel/internal/replica/peer"
	"github.com/satchel-memory/satchel/internal/replica/place"
	"github.com/satchel-memory/satchel/memory"
)

// remote is a place where an owner's machines sync: another Satchel, a folder or a storage.
type remote struct {
	Name    string `json:"name"`
	Address string `json:"address"` // see [newRemote]
	Access
	Once    bool       `json:"once,omitempty"`    // not added: the owner named it in a sync, and it holds packs
	Machine memory.DID `json:"machine,omitempty"` // the machine that answers at a Satchel's address
	Met     time.Time  `json:"met,omitzero"`      // the last exchange that succeeded
	Tried   time.Time  `json:"tried,omitzero"`    // the last one
	Failed  string     `json:"failed,omitempty"`  // why the last exchange failed; empty: it succeeded
	Fails   int        `json:"fails,omitempty"`   // failures in a row
}

// Access holds what an address needs to be used. Its fields are flags and fields of sync.json.
type Access struct {
	CA       string `name:"ca" json:"ca,omitempty" help:"A file of certificates to trust for another Satchel, beside those of this machine." placeholder:"FILE"`
	User     string `json:"user,omitempty" help:"The user of a WebDAV server, or the key's id of S3-compatible storage." placeholder:"NAME"`
	Password string `name:"password-file" json:"password_file,omitempty" help:"A file whose first line is the password, or the secret key of S3-compatible storage." placeholder:"FILE"`
	Region   string `json:"region,omitempty" help:"The region of S3-compatible storage." placeholder:"NAME"`
}

// newRemote reads an address. Its scheme says whether it is another Satchel, a WebDAV server or
// S3-compatible storage; without a scheme it is a folder. An empty name is replaced by nameOf.
func newRemote(address, name string, access Access) (r remote, err error) {
	for _, file := range []*string{&access.CA, &access.Password} {
		if *file != "" {
			if *file, err = filepath.Abs(*file); err != nil {
				return r, err
			}
		}
	}
	kind, _, isURL := strings.Cut(address, "://")
	switch {
	case isPeer(address):
		err = cli.WithStatus(cli.ExitUsage, peer.CheckAddress(address))
	case isURL && !isStorage(kind):
		err = cli.Usagef("%s is no address that sync knows: give https://HOST of another Satchel, webdav+https://HOST/FOLDER, s3+https://HOST/BUCKET/FOLDER, or a folder", cli.Clean(address))
	case !isURL:
		address, err = filepath.Abs(address)
	}
	if name == "" {
		name = nameOf(address)
	}
	return remote{Name: name, Address: address, Access: access}, err
}

// isPeer reports whether an address is that of another Satchel.
func isPeer(address string) bool {
	return strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "http://")
}

// isStorage reports whether a scheme is that of a WebDAV server or of S3-compatible storage.
func isStorage(scheme string) bool {
	switch scheme {
	case "webdav+https", "webdav+http", "s3+https", "s3+http":
		return true
	}
	return false
}

// nameOf returns a name for an address: its host, or its last folder.
func nameOf(address string) string {
	rest := address
	if _, after, ok := strings.Cut(address, "://"); ok {
		if rest = after; isPeer(address) {
			rest, _, _ = strings.Cut(rest, "/")
		}
	}
	rest = filepath.Base(strings.TrimRight(filepath.ToSlash(rest), "/"))
	if rest == "." || rest == "" || len(rest) > maxMachineName {
		return "remote"
	}
	return rest
}

// storedName returns the name of a folder or a storage for [replica.Remotes]. It is made of the
// address, since the owner may give another remote the same name later.
func (r remote) storedName() string {
	sum := sha256.Sum256([]byte(r.Address))
	return "packs " + hex.EncodeToString(sum[:16])
}

// openStorage opens a folder or a storage. The caller calls done after it was used.
func openStorage(r remote) (s folder.Storage, done func(), err error) {
	done = func() {}
	scheme, _, isURL := strings.Cut(r.Address, "://")
	if !isURL {
		local, err := place.OpenLocal(r.Address)
		if err != nil {
			return nil, done, err
		}
		return local, func() { _ = local.Close() }, nil // Put has synced each file
	}
	password := ""
	if r.Password != "" {
		if password, err = cli.FirstLine(r.Password, cli.MaxSmall); err != nil {
			return nil, done, fmt.Errorf("read the password: %w", err)
		}
	}
	kind, plain, _ := strings.Cut(scheme, "+")
	u, err := url.Parse(r.Address)
	if err != nil {
		return nil, done, place.ErrAddress
	}
	u.Scheme = plain
	if kind == "webdav" {
		s, err = place.OpenWebDAV(u.String(), r.User, password)
		return s, done, err
	}
	bucket, prefix, _ := strings.Cut(strings.Trim(u.Path, "/"), "/")
	u.Path = ""
	s, err = place.OpenS3(place.S3Options{Address: u.String(), Region: r.Region, Bucket: bucket, Prefix: prefix, KeyID: r.User, Secret: password})
	return s, done, err
}
