package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/satchel-memory/satchel/internal/atomicfile"
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
	const tail = 12
	return h.key("retired-" + string(owner[max(0, len(owner)-tail):]))
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
		d.bad("rekey", err.Error(), "satchel owner list", nil)
	case ok:
		d.bad("rekey", fmt.Sprintf("the owner's change from %s to %s is not finished", j.From, j.To), "satchel owner rekey finishes it", nil)
	}
}
