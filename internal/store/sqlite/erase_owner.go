package sqlite

import "github.com/satchel-memory/satchel/internal/store/stored"

// EraseOwner deletes the rows of the owner from every table but those of the
// audit log. The owner stays known, and its counters go on, so that no number of
// a document, an import or a change is ever given twice.
func (w *writer) EraseOwner() error {
	if err := w.Ready(); err != nil || !w.owner.Known {
		return err
	}
	w.owner.Leave()
	w.pending, w.waiting, w.removals, w.tail = stored.Pending{}, nil, removals{}, tail{known: true}
	for _, table := range []string{
		"staged", "relations", "aliases", "project_aliases", "changes", "receipts", "grants",
		"agents", "states", "spent", "runs", "run_events", "sessions", "readings",
	} {
		if err := w.drop(`DELETE FROM `+table+` WHERE owner = ? RETURNING seal`, w.owner.number); err != nil {
			return err
		}
	}
	for _, query := range []string{`DELETE FROM postings WHERE owner = ?`, clearDue} {
		if _, err := w.exec(query, w.owner.number); err != nil {
			return err
		}
	}
	for _, table := range []string{"records", "attachments", "lessons", "imports"} {
		err := w.drop(`DELETE FROM `+table+` WHERE doc BETWEEN ? AND ? RETURNING seal`,
			w.owner.key(0), w.owner.key(1<<40-1))
		if err != nil {
			return err
		}
	}
	w.runs, w.knows, w.taught, w.deleted = nil, false, nil, nil
	return w.putOne(changesTable, w.owner.Empty()...)
}
