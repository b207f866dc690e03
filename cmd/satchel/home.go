package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"

	"github.com/satchel-memory/satchel/internal/atomicfile"
	"github.com/satchel-memory/satchel/memory"
)

// home is the folder of a store, or of the operator of one in a database:
//
//	satchel.db          the records (and SQLite's files beside it), unless they are
//	                    in a database
//	config.json         see config
//	token               the owner's token for HTTP, 256 bits in hex
//	audit.head          the newest head of the audit log that was verified
//	seen.json           how far the database had come when it was last used, see seen
//	keys/owner.key      signs records; never rotated
//	keys/store.key      seals what other owners keep; never rotated
//	keys/producer.key   only of an earlier release, and of no use, as is
//	keys/issuer.key     beside it: the keys that sign bundles and contexts are derived
//	                    from the owner's
//
// The folders have mode 0700, the files 0600. Every server over a database has the
// same home folder; only programs that change keys write in it.
type home struct {
	dir string
	url string // of the PostgreSQL database that holds the records; empty: satchel.db does
}

// remote reports whether the records are in a database.
func (h home) remote() bool { return h.url != "" }

// name says which store it is, without a password.
func (h home) name() string {
	if h.remote() {
		return withoutPassword(h.url)
	}
	return h.dir
}

func (h home) database() string       { return filepath.Join(h.dir, databaseName) }
func (h home) config() string         { return filepath.Join(h.dir, "config.json") }
func (h home) shown() string          { return filepath.Join(h.dir, "aaif-shown.json") }
func (h home) platforms() string      { return filepath.Join(h.dir, "aaif-platforms.json") }
func (h home) signatures() string     { return filepath.Join(h.dir, "aaif-signed.json") }
func (h home) token() string          { return filepath.Join(h.dir, "token") }
func (h home) keys() string           { return filepath.Join(h.dir, "keys") }
func (h home) key(name string) string { return filepath.Join(h.dir, "keys", name+".key") }

// The names of the keys.
const (
	ownerKey = "owner"
	storeKey = "store"
)

func keyNames() []string { return []string{ownerKey, storeKey} }

// unusedKeyFiles are where an earlier release put keys that nothing is signed with.
func unusedKeyFiles() []string { return []string{"keys/producer.key", "keys/issuer.key"} }

// config is what a store's folder says about itself. It is written last, so
// that a folder without it is not a store yet.
type config struct {
	Layout int        `json:"layout"` // of the folder: 1
	Owner  memory.DID `json:"owner"`
	Port   int        `json:"port"` // that serve listens on
	// Remote says that the records are in a database, and that a missing satchel.db
	// is no loss. Which database it is whoever starts the program says: with it goes
	// who may enter.
	Remote bool `json:"database,omitempty"`
	// Former are the owners before, whose own keys seal what is left of them, should
	// the files of these be gone.
	Former []memory.DID `json:"former,omitempty"`
	// Producer is under what name bundles leave; nil: under one that comes from the
	// owner. See config.producer.
	Producer *producer `json:"producer,omitempty"`
	// Issuer is who issues contexts; nil: nobody has yet. See config.issuer.
	Issuer *issuer `json:"issuer,omitempty"`
}

const (
	layout      = 1
	defaultPort = 7777
)

// plainFolder is a folder in the data folder of this system where the environment
// says nothing, as in a host that was not started from a shell.
func (a *app) plainFolder(name string) (string, error) {
	user, err := a.userHome()
	if err != nil {
		return "", err
	}
	switch runtime.GOOS {
	case "windows":
		if dir := a.env("LOCALAPPDATA"); dir != "" {
			return filepath.Join(dir, name), nil
		}
		return filepath.Join(user, "AppData", "Local", name), nil
	case "darwin":
		return filepath.Join(user, "Library", "Application Support", name), nil
	}
	return filepath.Join(user, ".local", "share", name), nil
}

// plainStore is the store's folder where nothing says anything else.
func (a *app) plainStore() (string, error) { return a.plainFolder("satchel") }

func (a *app) userHome() (string, error) {
	name := "HOME"
	if runtime.GOOS == "windows" {
		name = "USERPROFILE"
	}
	if dir := a.env(name); dir != "" {
		return dir, nil
	}
	return "", usagef("$%s is not set: name the store with --store", name)
}

// is reports whether a store that is named somewhere is this one.
func (h home) is(at string) bool {
	if h.remote() {
		return withoutPassword(at) == h.name()
	}
	return at == h.dir
}

// readConfig reads config.json. The error wraps fs.ErrNotExist where there is
// no store.
func (h home) readConfig() (config, error) {
	var c config
	switch err := readJSON(h.config(), &c); {
	case errors.Is(err, errDamaged):
		return config{}, fmt.Errorf("%w; take it from a backup", err)
	case err != nil:
		return config{}, err
	case c.Layout > layout:
		return config{}, fmt.Errorf("%s was written by a newer release of satchel; install that release", h.dir)
	case c.Layout < 1 || c.Owner == "":
		return config{}, fmt.Errorf("%s is damaged: it names no owner; take it from a backup", h.config())
	}
	return c, nil
}

func (h home) writeConfig(c config) error { return writeJSON(h.config(), c) }

// errDamaged is wrapped by the error about a small file that is not what it was written as.
var errDamaged = errors.New("is damaged")

// readJSON reads a small file of the home folder.
func readJSON(path string, into any) error {
	data, err := readBounded(path, maxSmall)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s %w (%w)", clean(path), errDamaged, err)
	}
	return nil
}

// isSmall reports whether a value is one for a small file.
func isSmall(v any) bool {
	data, err := json.MarshalIndent(v, "", "  ")
	return err == nil && len(data) < maxSmall
}

// writeJSON writes a small file of the home folder, whole or not at all.
func writeJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	if len(data) >= maxSmall {
		return fmt.Errorf("%s would be larger than %d bytes", clean(path), maxSmall)
	}
	return atomicfile.Write(path, 0o600, append(data, '\n'))
}

// existing finds the store and what it says about itself.
func (a *app) existing() (home, config, error) {
	h, err := a.home()
	if err != nil {
		return h, config{}, err
	}
	c, err := h.readConfig()
	switch {
	case errors.Is(err, fs.ErrNotExist) && h.remote():
		return h, c, fmt.Errorf("there is no home folder in %s; after an interrupted satchel store move to this database, run that command again; otherwise run satchel init, or name the home folder of this database with --home", h.dir)
	case errors.Is(err, fs.ErrNotExist) && exists(h.database()):
		return h, c, fmt.Errorf("%s has a database and no config.json: after an interrupted satchel store move to this folder, run that command again; otherwise bring the folder back from a backup", h.dir)
	case errors.Is(err, fs.ErrNotExist):
		return h, c, fmt.Errorf("there is no store in %s; run satchel init, or name another folder with --store", h.dir)
	case err != nil:
		return h, c, err
	case c.Remote && !h.remote() && !exists(h.database()):
		return h, c, h.homeOnly()
	case h.remote() && !c.Remote:
		return h, c, h.another()
	}
	return h, c, h.settle(c.Owner)
}

// homeOnly refuses a home folder that is named as a store.
func (h home) homeOnly() error {
	return refusedf("%s is the home of a store in a database: name that with --store postgres://USER@HOST/DATABASE, and this folder with --home", h.dir)
}

// another refuses the folder of a store as the home of a database.
func (h home) another() error {
	return refusedf("%s is the folder of a store of its own; name another folder with --home, or bring that store into the database with satchel store move", h.dir)
}
