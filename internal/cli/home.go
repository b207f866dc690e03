package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/satchel-memory/satchel/internal/access"
	"github.com/satchel-memory/satchel/internal/atomicfile"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// Home is the folder of a store, or of the operator of one in a database:
//
//	satchel.db          the records (and SQLite's files beside it), unless they are
//	                    in a database
//	config.json         see Config
//	token               the owner's token for HTTP, 256 bits in hex
//	audit.head          the newest verified head of the audit log
//	seen.json           the database's progress at its last use, see Seen
//	serve.addr          where the pages of a running server are, locked by it
//	.NAME.lock          locked by the program that changes NAME, see [InTurn]
//	keys/owner.key      signs records; never rotated
//	keys/store.key      seals the rows of other owners; never rotated
//	keys/producer.key   from an earlier release, unused like
//	keys/issuer.key     this one: the owner's key now derives the keys that sign
//	                    bundles and contexts
//
// The folders have mode 0700, the files 0600. Every server over a database has the
// same home folder; only programs that change keys write in it.
type Home struct {
	Dir string
	URL string // of the PostgreSQL database with the records; empty: they are in satchel.db

	SealCost int // see [App]
}

// WriteKey writes a key to a new file, sealed if there is a passphrase.
func (h Home) WriteKey(path string, key keys.Private, pass string) error {
	return keys.WriteFile(path, key, pass, h.SealCost)
}

// InDatabase reports whether the records are in a database.
func (h Home) InDatabase() bool { return h.URL != "" }

// Name names the store, without a password.
func (h Home) Name() string {
	if h.InDatabase() {
		return WithoutPassword(h.URL)
	}
	return h.Dir
}

// Database is the path of the file with the records.
func (h Home) Database() string { return filepath.Join(h.Dir, DatabaseName) }

// Make makes the folders, and closes them to other users.
func (h Home) Make() error {
	if err := os.MkdirAll(h.Keys(), 0o700); err != nil {
		return err
	}
	return access.Enclose(h.Dir)
}

// Config is the path of config.json.
func (h Home) Config() string { return filepath.Join(h.Dir, "config.json") }

// Shown is the path of the file with the results that satchel conformance aaif keeps.
func (h Home) Shown() string { return filepath.Join(h.Dir, "aaif-shown.json") }

// Token is the path of the file with the owner's token for HTTP.
func (h Home) Token() string { return filepath.Join(h.Dir, "token") }

// Keys is the path of the folder with the keys.
func (h Home) Keys() string { return filepath.Join(h.Dir, "keys") }

// Key is the path of the file with a key.
func (h Home) Key(name string) string { return filepath.Join(h.Dir, "keys", name+".key") }

// The names of the keys.
const (
	OwnerKey = "owner"
	StoreKey = "store"
)

// Config is what a store's folder records about itself. A program writes it last, so that a
// folder without it is not a store yet.
type Config struct {
	Layout int        `json:"layout"` // of the folder: 1
	Owner  memory.DID `json:"owner"`
	Port   int        `json:"port"` // on which serve listens
	// Remote says that the records are in a database, so that a missing satchel.db is no
	// loss. The user names the database at every start, because its URL holds the
	// credentials.
	Remote bool `json:"database,omitempty"`
	// KitUnseen says that the store was made without a person, who has not seen the recovery
	// kit yet.
	KitUnseen bool `json:"kit_unseen,omitempty"`
	// EndSessions says that the store came out of a backup and its keys were sealed: what lets
	// browsers and remote assistants in ends when the owner's key is open, see [Session.DropSessions].
	EndSessions bool `json:"end_sessions,omitempty"`
	// Former are the earlier owners. Their own keys seal their remaining rows, even if the
	// key files are gone.
	Former []memory.DID `json:"former,omitempty"`
	// Producer is the name under which bundles are exported; nil: a name derived from the
	// owner. See [Config.CurrentProducer].
	Producer *Producer `json:"producer,omitempty"`
	// Issuer issues contexts; nil: there is none yet. See [Config.CurrentIssuer].
	Issuer *Issuer `json:"issuer,omitempty"`
}

// The layout of a home folder that this release writes, and the default port of serve.
const (
	HomeLayout  = 1
	DefaultPort = 7777
)

// PlainFolder is a folder in the system's data folder if the environment names none, as
// under a host that no shell started.
func (a *App) PlainFolder(name string) (string, error) {
	user, err := a.UserHome()
	if err != nil {
		return "", err
	}
	switch runtime.GOOS {
	case "windows":
		if dir := a.Env("LOCALAPPDATA"); dir != "" {
			return filepath.Join(dir, name), nil
		}
		return filepath.Join(user, "AppData", "Local", name), nil
	case "darwin":
		return filepath.Join(user, "Library", "Application Support", name), nil
	}
	return filepath.Join(user, ".local", "share", name), nil
}

// UserHome is the home folder of the user.
func (a *App) UserHome() (string, error) {
	name := "HOME"
	if runtime.GOOS == "windows" {
		name = "USERPROFILE"
	}
	if dir := a.Env(name); dir != "" {
		return dir, nil
	}
	return "", Usagef("$%s is not set: name the store with --store", name)
}

// ReadConfig reads config.json. Without a store the error wraps fs.ErrNotExist.
func (h Home) ReadConfig() (Config, error) {
	var c Config
	switch err := ReadJSON(h.Config(), &c); {
	case errors.Is(err, ErrDamaged):
		return Config{}, fmt.Errorf("%w; take it from a backup", err)
	case err != nil:
		return Config{}, err
	case c.Layout > HomeLayout:
		return Config{}, fmt.Errorf("%s was written by a newer release of satchel; install that release", h.Dir)
	case c.Layout < 1 || c.Owner == "":
		return Config{}, fmt.Errorf("%s is damaged: it names no owner; take it from a backup", h.Config())
	}
	return c, nil
}

// WriteConfig writes config.json.
func (h Home) WriteConfig(c Config) error { return WriteJSON(h.Config(), c) }

// ErrDamaged is the cause if a small file does not hold what was written.
var ErrDamaged = errors.New("is damaged")

// ReadJSON reads a small file of the home folder.
func ReadJSON(path string, into any) error {
	data, err := ReadBounded(path, MaxSmall)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s %w (%w)", Clean(path), ErrDamaged, err)
	}
	return nil
}

// WriteJSON writes a small file of the home folder completely or not at all.
func WriteJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	if len(data) >= MaxSmall {
		return fmt.Errorf("%s would be larger than %d bytes", Clean(path), MaxSmall)
	}
	return atomicfile.Write(path, 0o600, append(data, '\n'))
}

// ExistingStore finds the store and its configuration.
func (a *App) ExistingStore() (Home, Config, error) {
	h, err := a.Home()
	if err != nil {
		return h, Config{}, err
	}
	c, err := h.ReadConfig()
	switch {
	case errors.Is(err, fs.ErrNotExist) && h.InDatabase():
		return h, c, fmt.Errorf("there is no home folder in %s; after an interrupted satchel store move to this database, run that command again; otherwise run satchel init, or name the home folder of this database with --home", h.Dir)
	case errors.Is(err, fs.ErrNotExist) && Exists(h.Database()):
		return h, c, fmt.Errorf("%s has a database and no config.json: after an interrupted satchel store move to this folder, run that command again; otherwise bring the folder back from a backup", h.Dir)
	case errors.Is(err, fs.ErrNotExist):
		return h, c, fmt.Errorf("there is no store in %s; run satchel init, or name another folder with --store", h.Dir)
	case err != nil:
		return h, c, err
	case c.Remote && !h.InDatabase() && !Exists(h.Database()):
		return h, c, h.RefuseHomeOnly()
	case h.InDatabase() && !c.Remote:
		return h, c, h.RefuseAnother()
	}
	return h, c, h.Settle(c.Owner)
}

// RefuseHomeOnly refuses a home folder where a store is expected.
func (h Home) RefuseHomeOnly() error {
	return Refusedf("%s is the home of a store in a database: name that with --store postgres://USER@HOST/DATABASE, and this folder with --home", h.Dir)
}

// RefuseAnother refuses the folder of a store as the home of a database.
func (h Home) RefuseAnother() error {
	return Refusedf("%s is the folder of a store of its own; name another folder with --home, or bring that store into the database with satchel store move", h.Dir)
}

// BackupSums is the last file of a backup.
const BackupSums = "SHA256SUMS"

// DatabaseName is the database's name in the folder and in a backup.
const DatabaseName = "satchel.db"

// LeastToken is the least length of the owner's token.
const LeastToken = 32

// ReadToken reads the owner's token, which nobody else may read.
func (h Home) ReadToken() (string, error) {
	info, err := os.Stat(h.Token())
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("the token %s is missing; satchel doctor says how to make one", h.Token())
	}
	if err != nil {
		return "", err
	}
	if OpenToOthers(info) {
		return "", Refusedf("others may read the token %s; chmod 600 it, and replace it if somebody may have", h.Token())
	}
	data, err := ReadBounded(h.Token(), MaxSmall)
	token := strings.TrimSpace(string(data))
	if err == nil && len(token) < LeastToken {
		err = fmt.Errorf("the token %s is too short to be safe; remove it and run satchel doctor --mend", h.Token())
	}
	return token, err
}
