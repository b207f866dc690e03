package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/satchel-memory/satchel/internal/atomicfile"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// During a change of the owner's key the store's folder holds
//
//	rekey.json           see RekeyJournal
//	keys/owner-next.key  the new key
//
// The new owner is valid as soon as config.json names it. Then the old key becomes
// keys/retired-….key, and the new key takes its place. If a killed program left
// these steps undone, the next program does them.

// RekeyJournal names the owner's next key. It exists from before the first row of the new
// owner until the change is complete.
type RekeyJournal struct {
	From memory.DID `json:"from"`
	To   memory.DID `json:"to"`
}

// NextKey is the name of the owner's next key.
const NextKey = OwnerKey + "-next"

// Journal is the path of the journal of a change of the owner's key.
func (h Home) Journal() string { return filepath.Join(h.Dir, "rekey.json") }

// Retired is the path of a former owner's key.
func (h Home) Retired(owner memory.DID) string {
	return h.Key("retired-" + string(owner[max(0, len(owner)-RetiredTail):]))
}

// RetiredTail is how many characters of the owner's DID the file's name has.
const RetiredTail = 12

// IsRetired reports whether a file of a backup is a former owner's key.
func IsRetired(name string) bool {
	tail, ok := strings.CutPrefix(name, "keys/retired-")
	tail, key := strings.CutSuffix(tail, ".key")
	return ok && key && tail != "" && len(tail) <= RetiredTail && !strings.ContainsFunc(tail, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	})
}

// FormerKeys holds the keys of former owners that open without a question; they seal what
// these owners left in the store, their audit logs. It also holds the key of the owner that
// another program changes to, or has changed to. It is safe for concurrent use.
type FormerKeys struct {
	App  *App
	Home Home
	mu   sync.Mutex
	held map[memory.DID]formerKey
}

// formerKey is the state of an owner's key in the home folder.
type formerKey struct {
	kept bool         // the home folder has or had it
	key  keys.Private // zero: it does not open
}

// of returns the key of a former owner.
func (f *FormerKeys) of(owner memory.DID) (keys.Private, bool) {
	key := f.find(owner).key
	return key, !key.IsZero()
}

// has reports whether the key of a former owner exists; it may be closed.
func (f *FormerKeys) has(owner memory.DID) bool { return f.find(owner).kept }

func (f *FormerKeys) find(owner memory.DID) formerKey {
	f.mu.Lock()
	defer f.mu.Unlock()
	found, tried := f.held[owner]
	if tried {
		return found
	}
	if path := f.Home.keyOf(owner); path != "" {
		found.kept = true
		if opened, _, err := UnlockWith(path, f.App.Passphrases(owner)); err == nil && opened.DID() == owner {
			found.key = opened
		}
	}
	if c, err := f.Home.ReadConfig(); err == nil && slices.Contains(c.Former, owner) {
		found.kept = true
	}
	f.put(owner, found)
	return found
}

// keyOf is the path of the key of an owner who was the home folder's, becomes it, or became
// it since this program started; "" for others.
func (h Home) keyOf(owner memory.DID) string {
	path := h.Retired(owner)
	if !IsRetired("keys/"+filepath.Base(path)) || !Exists(path) {
		path = ""
	}
	if j, begun, err := h.ReadJournal(); err == nil && begun && j.To == owner && Exists(h.Key(NextKey)) {
		path = h.Key(NextKey)
	}
	if c, err := h.ReadConfig(); err == nil && c.Owner == owner && Exists(h.Key(OwnerKey)) {
		path = h.Key(OwnerKey)
	}
	return path
}

// Add adds an open key.
func (f *FormerKeys) Add(key keys.Private) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.put(key.DID(), formerKey{true, key})
}

func (f *FormerKeys) put(owner memory.DID, found formerKey) {
	if f.held == nil {
		f.held = map[memory.DID]formerKey{}
	}
	f.held[owner] = found
}

// ReadJournal reads the journal; without one ok is false.
func (h Home) ReadJournal() (j RekeyJournal, ok bool, err error) {
	data, err := ReadBounded(h.Journal(), MaxSmall)
	if errors.Is(err, fs.ErrNotExist) {
		return j, false, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &j)
	}
	if err == nil && (j.From == "" || j.To == "") {
		err = errors.New("it names no owners")
	}
	if err != nil {
		return j, false, fmt.Errorf("%s is damaged (%w): owner list says between whom memories are under way", h.Journal(), err)
	}
	return j, true, nil
}

// Settle moves the keys to their places once config.json names the new owner. Several
// programs may do so at once: each reads the old key before it looks for the new one, and
// only one moves that.
func (h Home) Settle(owner memory.DID) error {
	j, ok, err := h.ReadJournal()
	if err != nil || !ok || j.To != owner {
		return err
	}
	old, err := ReadBounded(h.Key(OwnerKey), MaxSmall)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !Exists(h.Key(NextKey)) {
		return nil
	}
	if err == nil {
		if err := atomicfile.Write(h.Retired(j.From), 0o600, old); err != nil {
			return err
		}
	}
	if err := os.Rename(h.Key(NextKey), h.Key(OwnerKey)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return atomicfile.SyncFolder(h.Keys())
}
