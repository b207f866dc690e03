package main

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

// While the owner goes over to another key there are in the store's folder
//
//	rekey.json           see rekeyJournal
//	keys/owner-next.key  the new key
//
// The owner is the new one from the moment on in which config.json says so; then
// the old key is kept as keys/retired-….key and the new one takes its place.
// Whichever program comes by does that, should the one have been killed in
// between.

// rekeyJournal says which key the owner goes over to. It stands there from before
// anything is written under the new owner until everything is done.
type rekeyJournal struct {
	From memory.DID `json:"from"`
	To   memory.DID `json:"to"`
}

// nextKey is the name of the key that the owner goes over to.
const nextKey = ownerKey + "-next"

func (h home) journal() string { return filepath.Join(h.dir, "rekey.json") }

// retired is where the key of a former owner is kept.
func (h home) retired(owner memory.DID) string {
	return h.key("retired-" + string(owner[max(0, len(owner)-retiredTail):]))
}

// retiredTail is how much of the owner's DID the name has.
const retiredTail = 12

// maxRetired is how many keys of former owners a backup may have.
const maxRetired = 100

// isRetired reports whether a file of a backup is the key of a former owner.
func isRetired(name string) bool {
	tail, ok := strings.CutPrefix(name, "keys/retired-")
	tail, key := strings.CutSuffix(tail, ".key")
	return ok && key && tail != "" && len(tail) <= retiredTail && !strings.ContainsFunc(tail, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	})
}

// retiredKeys lists the keys of former owners as a backup names them.
func (h home) retiredKeys() ([]string, error) {
	entries, err := os.ReadDir(h.keys())
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		if name := "keys/" + entry.Name(); isRetired(name) && entry.Type().IsRegular() && len(names) < maxRetired {
			names = append(names, name)
		}
	}
	return names, nil
}

// formerKeys holds the keys of former owners, as far as they open without asking:
// what is left of those in the store, their audit logs, is sealed by them; and that of
// the owner that another program goes, or went, over to. It is safe for concurrent use.
type formerKeys struct {
	app  *app
	home home
	mu   sync.Mutex
	held map[memory.DID]formerKey
}

// formerKey is what there is of an owner's key in the home folder.
type formerKey struct {
	kept bool         // it was or is the home folder's
	key  keys.Private // zero: it does not open
}

// of returns the key of a former owner.
func (f *formerKeys) of(owner memory.DID) (keys.Private, bool) {
	key := f.find(owner).key
	return key, !key.IsZero()
}

// has reports whether there is the key of a former owner, which may be closed.
func (f *formerKeys) has(owner memory.DID) bool { return f.find(owner).kept }

func (f *formerKeys) find(owner memory.DID) formerKey {
	f.mu.Lock()
	defer f.mu.Unlock()
	found, tried := f.held[owner]
	if tried {
		return found
	}
	if path := f.home.keyOf(owner); path != "" {
		found.kept = true
		if opened, _, err := unlockWith(path, f.app.passphrases(owner)); err == nil && opened.DID() == owner {
			found.key = opened
		}
	}
	if c, err := f.home.readConfig(); err == nil && slices.Contains(c.Former, owner) {
		found.kept = true
	}
	f.put(owner, found)
	return found
}

// keyOf is where the key lies of an owner who was the home folder's, becomes it, or is
// it since this program was started; "" for others.
func (h home) keyOf(owner memory.DID) string {
	path := h.retired(owner)
	if !isRetired("keys/"+filepath.Base(path)) || !exists(path) {
		path = ""
	}
	if j, begun, err := h.readJournal(); err == nil && begun && j.To == owner && exists(h.key(nextKey)) {
		path = h.key(nextKey)
	}
	if c, err := h.readConfig(); err == nil && c.Owner == owner && exists(h.key(ownerKey)) {
		path = h.key(ownerKey)
	}
	return path
}

// add takes a key in that is open already.
func (f *formerKeys) add(key keys.Private) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.put(key.DID(), formerKey{true, key})
}

func (f *formerKeys) put(owner memory.DID, found formerKey) {
	if f.held == nil {
		f.held = map[memory.DID]formerKey{}
	}
	f.held[owner] = found
}

// readJournal reads the journal; ok is false where there is none.
func (h home) readJournal() (j rekeyJournal, ok bool, err error) {
	data, err := readBounded(h.journal(), maxSmall)
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
		return j, false, fmt.Errorf("%s is damaged (%w): owner list says between whom memories are under way", h.journal(), err)
	}
	return j, true, nil
}

func (h home) writeJournal(j rekeyJournal) error {
	data, err := json.MarshalIndent(j, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(h.journal(), 0o600, append(data, '\n'))
}

// settle gives the keys their places once config.json names the new owner. Several
// programs may do that at once: the old key is read before the new one is looked
// for, and that is moved only once.
func (h home) settle(owner memory.DID) error {
	j, ok, err := h.readJournal()
	if err != nil || !ok || j.To != owner {
		return err
	}
	old, err := readBounded(h.key(ownerKey), maxSmall)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !exists(h.key(nextKey)) {
		return nil
	}
	if err == nil {
		if err := atomicfile.Write(h.retired(j.From), 0o600, old); err != nil {
			return err
		}
	}
	if err := os.Rename(h.key(nextKey), h.key(ownerKey)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return atomicfile.SyncFolder(h.keys())
}

// unfinished looks for a change of keys that was cut off.
func (d *doctor) unfinished() {
	j, ok, err := d.home.readJournal()
	switch {
	case err != nil:
		d.bad("rekey", describe(err), "satchel owner list", nil)
	case ok:
		d.bad("rekey", fmt.Sprintf("the owner's change from %s to %s is not finished", j.From, j.To), "satchel owner rekey finishes it", nil)
	}
}
