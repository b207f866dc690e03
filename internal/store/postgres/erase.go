package postgres

import (
	"errors"

	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// EraseOwner deletes the rows of the owner from every table but those of the
// audit log. The owner stays known, and its counters go on, so that no number of
// a document, an import or a change is ever given twice.
func (w *writer) EraseOwner() error {
	if err := w.Ready(); err != nil || !w.owner.Known {
		return err
	}
	if err := w.takeTime(); err != nil { // there may be many rows
		return err
	}
	w.owner.Leave()
	w.pending, w.ahead = stored.Pending{}, ahead{}
	for _, query := range []string{
		`DELETE FROM staged WHERE owner = $1 RETURNING seal`,
		`DELETE FROM relations WHERE owner = $1 RETURNING seal`,
		`DELETE FROM aliases WHERE owner = $1 RETURNING seal`,
		`DELETE FROM project_aliases WHERE owner = $1 RETURNING seal`,
		`DELETE FROM changes WHERE owner = $1 RETURNING seal`,
		`DELETE FROM receipts WHERE owner = $1 RETURNING seal`,
		`DELETE FROM grants WHERE owner = $1 RETURNING seal`,
		`DELETE FROM agents WHERE owner = $1 RETURNING seal`,
		`DELETE FROM states WHERE owner = $1 RETURNING seal`,
		`DELETE FROM spent WHERE owner = $1 RETURNING seal`,
		`DELETE FROM runs WHERE owner = $1 RETURNING seal`,
		`DELETE FROM run_events WHERE owner = $1 RETURNING seal`,
		`DELETE FROM sessions WHERE owner = $1 RETURNING seal`,
		`DELETE FROM readings WHERE owner = $1 RETURNING seal`,
		`DELETE FROM records WHERE owner = $1 RETURNING seal`,
		`DELETE FROM attachments WHERE owner = $1 RETURNING seal`,
		`DELETE FROM lessons WHERE owner = $1 RETURNING seal`,
		`DELETE FROM imports WHERE owner = $1 RETURNING seal`,
	} {
		if err := w.Drop(query); err != nil {
			return err
		}
	}
	w.later(`DELETE FROM postings WHERE owner = $1`)
	w.later(`DELETE FROM terms WHERE owner = $1`)
	w.later(`DELETE FROM rates WHERE owner = $1`)
	w.later(`DELETE FROM due WHERE owner = $1`)
	w.runs, w.taught, w.deleted, w.docs = nil, nil, nil, make(map[memory.ID]int64)
	return errors.Join(w.putOne(changesTable, w.owner.Empty()...), w.failed())
}
