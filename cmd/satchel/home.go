package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/satchel-memory/satchel/internal/atomicfile"
	"github.com/satchel-memory/satchel/memory"
)

// home is the folder of a store:
//
//	satchel.db          the records (and SQLite's files beside it)
//	config.json         see config
//	token               the owner's token for HTTP, 256 bits in hex
//	audit.head          the newest head of the audit log that was verified
//	keys/owner.key      signs records; never rotated
//	keys/issuer.key     signs contexts for others
//	keys/producer.key   signs bundles for others
//
// The folders have mode 0700, the files 0600.
type home struct{ dir string }

func (h home) database() string       { return filepath.Join(h.dir, databaseName) }
func (h home) config() string         { return filepath.Join(h.dir, "config.json") }
func (h home) token() string          { return filepath.Join(h.dir, "token") }
func (h home) keys() string           { return filepath.Join(h.dir, "keys") }
func (h home) key(name string) string { return filepath.Join(h.dir, "keys", name+".key") }

// The names of the keys.
const (
	ownerKey    = "owner"
	issuerKey   = "issuer"
	producerKey = "producer"
)

func keyNames() []string { return []string{ownerKey, issuerKey, producerKey} }

// config is what a store's folder says about itself. It is written last, so
// that a folder without it is not a store yet.
type config struct {
	Layout int        `json:"layout"` // of the folder: 1
	Owner  memory.DID `json:"owner"`
	Port   int        `json:"port"` // that serve listens on
}

const (
	layout      = 1
	defaultPort = 7777
)

// home finds the store's folder: --store, $SATCHEL_STORE, or the place where
// programs of this system keep their data.
func (a *app) home() (home, error) {
	dir := a.store
	if dir == "" {
		dir = a.env("SATCHEL_STORE")
	}
	if dir == "" {
		var err error
		if dir, err = a.defaultStore(); err != nil {
			return home{}, err
		}
	}
	if scheme, _, ok := strings.Cut(dir, "://"); ok {
		return home{}, usagef("a %s:// store is not offered by this release; name a folder with --store", scheme)
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return home{}, fmt.Errorf("find the store's folder: %w", err)
	}
	return home{dir}, nil
}

func (a *app) defaultStore() (string, error) {
	if dir := a.env("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "satchel"), nil
	}
	return a.plainStore()
}

// plainStore is the store's folder where the environment says nothing, as in a
// host that was not started from a shell.
func (a *app) plainStore() (string, error) {
	user, err := a.userHome()
	if err != nil {
		return "", err
	}
	switch runtime.GOOS {
	case "windows":
		if dir := a.env("LOCALAPPDATA"); dir != "" {
			return filepath.Join(dir, "satchel"), nil
		}
		return filepath.Join(user, "AppData", "Local", "satchel"), nil
	case "darwin":
		return filepath.Join(user, "Library", "Application Support", "satchel"), nil
	}
	return filepath.Join(user, ".local", "share", "satchel"), nil
}

func (a *app) userHome() (string, error) {
	name := "HOME"
	if runtime.GOOS == "windows" {
		name = "USERPROFILE"
	}
	if dir := a.env(name); dir != "" {
		return dir, nil
	}
	return "", usagef("$%s is not set: name the store's folder with --store", name)
}

// readConfig reads config.json. The error wraps fs.ErrNotExist where there is
// no store.
func (h home) readConfig() (config, error) {
	data, err := readBounded(h.config(), maxSmall)
	if err != nil {
		return config{}, err
	}
	var c config
	if err := json.Unmarshal(data, &c); err != nil {
		return config{}, fmt.Errorf("%s is damaged (%w); take it from a backup", h.config(), err)
	}
	switch {
	case c.Layout > layout:
		return config{}, fmt.Errorf("%s was written by a newer release of satchel; install that release", h.dir)
	case c.Layout < 1 || c.Owner == "":
		return config{}, fmt.Errorf("%s is damaged: it names no owner; take it from a backup", h.config())
	}
	return c, nil
}

func (h home) writeConfig(c config) error {
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(h.config(), 0o600, append(data, '\n'))
}

// existing finds the store and what it says about itself.
func (a *app) existing() (home, config, error) {
	h, err := a.home()
	if err != nil {
		return h, config{}, err
	}
	c, err := h.readConfig()
	if errors.Is(err, fs.ErrNotExist) {
		return h, c, fmt.Errorf("there is no store in %s; run satchel init, or name another folder with --store", h.dir)
	}
	if err == nil {
		err = h.settle(c.Owner)
	}
	return h, c, err
}
