package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/satchel-memory/satchel/internal/atomicfile"
)

// moveBegun is the content of move.json in the home folder of a store: the store that
// everything is being moved to, without a password. The file is there from before the
// first row leaves until the move is finished or given up.
type moveBegun struct {
	To string `json:"to"`
}

func (h home) moveFile() string { return filepath.Join(h.dir, "move.json") }

// readMove reads which move is under way; ok is false where none is.
func (h home) readMove() (m moveBegun, ok bool, err error) {
	data, err := readBounded(h.moveFile(), maxSmall)
	if errors.Is(err, fs.ErrNotExist) {
		return m, false, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	if err != nil || m.To == "" {
		return m, false, fmt.Errorf("%s is damaged: satchel owner list says who went where", h.moveFile())
	}
	return m, true, nil
}

// beginMove notes that a move begins. undo takes the note back, unless an earlier
// attempt had made it.
func (h home) beginMove(to home) (undo func() error, err error) {
	undo = h.endMove
	if exists(h.moveFile()) {
		undo = func() error { return nil }
	}
	data, err := json.Marshal(moveBegun{To: to.name()})
	if err == nil {
		err = atomicfile.Write(h.moveFile(), 0o600, append(data, '\n'))
	}
	return undo, err
}

// endMove removes the note.
func (h home) endMove() error {
	if err := os.Remove(h.moveFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// unfinishedMove looks for a move that was cut off, and reports whether there is one.
func (d *doctor) unfinishedMove() bool {
	m, ok, err := d.home.readMove()
	switch {
	case err != nil:
		d.bad("move", describe(err), "satchel owner list", nil)
	case ok:
		d.bad("move", "the move of this store to "+m.To+" is not finished",
			fmt.Sprintf("satchel store move %s %s finishes it; with --abandon it is given up", d.home.name(), m.To), nil)
	}
	return ok
}
