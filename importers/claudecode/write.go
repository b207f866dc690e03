package claudecode

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// notes writes a memory folder: a note for each record, and lines of the index.
type notes struct {
	in     codec.Folder
	now    time.Time
	owner  memory.DID      // owner of the memories
	names  map[string]bool // used in this run, in lower case
	lines  []indexEntry    // of the notes written
	losses []codec.Loss
}

// indexEntry is a line of the index.
type indexEntry struct {
	name, text string
	foreign    bool // the note is somebody else's, unchanged
}

var _ codec.Writer = (*notes)(nil)

func createIn(in codec.Folder, opt codec.Options) (codec.Writer, error) {
	w := &notes{in: in, owner: opt.Owner, names: map[string]bool{}}
	if opt.Now != nil {
		w.now = opt.Now()
	}
	return w, nil
}

// Write writes the note of a record. It keeps a file that already has this content.
func (w *notes) Write(r memory.Record) error {
	if reason := skipReason(r, w.now); reason != "" {
		w.lose(r, reason)
		return nil
	}
	w.owner = cmp.Or(w.owner, r.Scope.Owner)
	name, data, err := w.place(r)
	if err != nil || name == "" {
		return err
	}
	again, ok := reread(w.owner, name, data)
	if !ok {
		w.lose(r, lossUnread)
		return nil
	}
	w.losses = append(w.losses, recordLosses(r, again)...)
	if taken := strings.ToLower(name); !w.names[taken] {
		w.names[taken] = true
		w.lines = append(w.lines, indexEntry{name: name, text: indexText(name, data), foreign: !wrote(name, []byte(data))})
	}
	if err := w.in.Put(name, []byte(data)); err != nil { // Put also marks an existing file as part of the result
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// skipReason says why a record is not written; empty: it is.
func skipReason(r memory.Record, now time.Time) string {
	switch {
	case !codec.Holds(r, now):
		return codec.NotHeld
	case strings.TrimSpace(r.Body.Text) == "":
		return lossBlank
	}
	return ""
}

// place finds the name and makes the file. It returns no name if none is free: the existing
// files belong to others, or were changed since Satchel wrote them.
func (w *notes) place(r memory.Record) (name, data string, err error) {
	data, whole := original(r)
	for _, name := range []string{ownName(r), entityName(r), madeName(r)} {
		if name == "" {
			continue
		}
		if !whole || name != ownName(r) {
			if data, err = newNote(r, stem(name)); err != nil {
				return "", "", err
			}
		}
		held, err := w.held(name)
		if err != nil {
			return "", "", err
		}
		taken := w.names[strings.ToLower(name)]
		if held == data && taken {
			w.lose(r, lossSame)
			return "", "", nil
		}
		if held == data || !taken && (held == "" || wrote(name, []byte(held))) {
			return name, data, nil
		}
		if !taken && name == ownName(r) {
			break
		}
	}
	w.lose(r, lossTaken)
	return "", "", nil
}

// held returns the content of a file; empty: there is none.
func (w *notes) held(name string) (string, error) {
	data, err := w.in.Held(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(data), err
}

func (w *notes) lose(r memory.Record, reason string) {
	w.losses = append(w.losses, codec.Loss{ID: r.ID, Reason: reason})
}

// recordLosses returns the losses of a record that comes back as again.
func recordLosses(r, again memory.Record) []codec.Loss {
	return codec.RoundTripLossesWith(r, again, map[string]string{
		"/body/text": lossText, "/time/created": lossDate, "/kind": lossKind, "/scope/project": lossScope,
	})
}

// Close writes the index.
func (w *notes) Close() error { return w.index() }

// Losses returns the data that the notes do not hold.
func (w *notes) Losses() []codec.Loss { return w.losses }
