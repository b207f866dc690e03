package replicate

import (
	"bytes"
	"errors"
	"strings"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// pageSize is how many changes or rows are read at once.
const pageSize = 256

// scan finds the changes on this machine since the last scan, and notes them.
func (t *tx) scan() error {
	if t.scanned == 0 {
		if err := t.assignLessons(); err != nil {
			return err
		}
	}
	if err := t.scanRecords(); err != nil {
		return err
	}
	if err := t.scanCollections(); err != nil {
		return err
	}
	if err := t.settle(); err != nil {
		return err
	}
	if _, err := t.noteForks(); err != nil {
		return err
	}
	head, err := t.w.Head()
	if err != nil {
		return err
	}
	return t.setScanned(head)
}

// unscanned reports whether a scan would find anything.
func unscanned(r store.Reader) (bool, error) {
	after, err := scannedTo(r)
	for err == nil {
		var changes []store.Change
		if changes, err = r.Changes(after, pageSize); err != nil || len(changes) == 0 {
			break
		}
		for _, c := range changes {
			switch c.Type {
			case store.Created, store.Merged, store.Revised, store.Tombstoned, store.Imported, store.Erased, store.ErasedPrivately:
				return true, nil
			}
			after = c.Sequence
		}
	}
	if err != nil {
		return false, err
	}
	imports, err := readImportKeys(r)
	if err != nil {
		return false, err
	}
	found := false
	err = eachChanged(r, imports, func(string, replica.Known) error { found = true; return nil })
	return found, err
}

// scanRecords scans the change feed.
func (t *tx) scanRecords() error {
	seen := map[memory.ID]bool{}
	for after := t.scanned; ; {
		changes, err := t.w.Changes(after, pageSize)
		if err != nil || len(changes) == 0 {
			return err
		}
		for _, c := range changes {
			if err := t.scanChange(c, seen); err != nil {
				return err
			}
		}
		after = changes[len(changes)-1].Sequence
	}
}

func (t *tx) scanChange(c store.Change, seen map[memory.ID]bool) error {
	switch c.Type {
	case store.Created, store.Merged, store.Revised, store.Tombstoned:
		if seen[c.ID] {
			return nil
		}
		seen[c.ID] = true
		row, err := t.w.Row(c.ID)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		return t.scanRow(row)
	case store.Imported:
		return eachNumbered(t.w, c.First, c.Last, t.scanRow)
	case store.Erased, store.ErasedPrivately:
		_, err := t.w.Row(c.ID)
		if errors.Is(err, store.ErrNotFound) {
			err = nil
			if mark := t.mark(c.ID); !t.erasures[mark].Erased() {
				err = t.setErasure(mark, t.erasures[mark]+1)
			}
		}
		return err
	}
	return nil
}

// scanRow notes the facts of a changed record. A record that was erased and has a row again was
// restored.
func (t *tx) scanRow(row store.Row) error {
	if t.isErased(row.ID) {
		mark := t.mark(row.ID)
		if err := t.setErasure(mark, t.erasures[mark]+1); err != nil {
			return err
		}
	}
	if err := t.learnFacts(row); err != nil || row.Current == nil && !maySupersede(row.Origin) {
		return err
	}
	rec, err := vault.Decoded(row)
	if err != nil {
		return nil //nolint:nilerr // doctor reports it
	}
	if row.Current != nil || len(rec.Supersedes) > 0 {
		t.touchAround(rec)
	}
	return nil
}

// maySupersede reports whether a form may name records that it supersedes. It is faster than to
// decode the form.
func maySupersede(form []byte) bool {
	return bytes.Contains(form, []byte("supersedes")) || bytes.Contains(form, []byte(`\u`))
}

// eachNumbered calls do with the rows from one document number to another, both included. It
// leaves out rows of imports that are not published.
func eachNumbered(r store.Reader, first, last int64, do func(store.Row) error) error {
	for ; first <= last; first += pageSize {
		numbers := make([]int64, 0, pageSize)
		for n := first; n <= min(last, first+pageSize-1); n++ {
			numbers = append(numbers, n)
		}
		rows, err := r.Numbered(numbers)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if row.Columns.Staged {
				continue
			}
			if err := do(row); err != nil {
				return err
			}
		}
	}
	return nil
}

// before returns the part of a key before its NUL, and after the part that follows the NUL.
func before(key string) string { s, _, _ := strings.Cut(key, "\x00"); return s }

func after(key string) string { _, s, _ := strings.Cut(key, "\x00"); return s }
