package sqlite

import (
	"database/sql"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// attacher writes table attachments.
type attacher struct{ *writeTx }

// AttachAll finds all records first, so that it files all attachments or none.
func (w attacher) AttachAll(list []store.Attachment) ([]int64, error) {
	if err := w.Enrol(); err != nil {
		return nil, err
	}
	if err := w.loadRuns(); err != nil {
		return nil, err
	}
	if err := stored.CheckAttachments(list); err != nil {
		return nil, err
	}
	docs := make(map[memory.ID]any)
	for _, a := range list {
		for _, id := range []memory.ID{a.From, a.To} {
			if _, known := docs[id]; known || id == "" {
				continue
			}
			doc, err := w.find(id)
			if err != nil {
				return nil, err
			}
			docs[id] = number(doc)
		}
	}
	numbers := make([]int64, len(list))
	for i, a := range list {
		var err error
		if numbers[i], err = w.attach(a, docs[a.From], docs[a.To]); err != nil {
			return nil, err
		}
	}
	return numbers, nil
}

// attach files an attachment unless its key is taken.
func (w attacher) attach(a store.Attachment, source, target any) (int64, error) {
	next := w.owner.Attached + 1
	values := stored.AttachmentRow(next, a, source, target)
	seal := w.seals.Seal(attachmentsTable.Name, values)
	n, err := w.exec(insertAttachment, append(attachmentsTable.lay(nil, w.owner.number, values), seal)...)
	if err != nil || n == 0 {
		return 0, err
	}
	w.owner.Attached = next
	w.owner.Gain(seal)
	w.owner.Use(0, len(a.Data))
	if a.Staged {
		err = w.stage(stored.AttachmentBase+next, a.Import)
	}
	return next, err
}

var insertAttachment = attachmentsTable.insert.sql(1) + ` ON CONFLICT (owner, space, key) DO NOTHING`

// Detach removes an attachment by its key.
func (w attacher) Detach(space, key string) error {
	n, err := w.dropAttached(deleteAttached, w.owner.number, space, key)
	if n > 0 && !store.HoldsNoContent(space) {
		w.owner.Leave()
	}
	if err == nil && n == 0 {
		err = store.ErrNotFound
	}
	return err
}

// DetachImport removes up to max attachments of an import.
func (w attacher) DetachImport(imp int64, max int) (int, error) {
	if max <= 0 {
		return 0, w.Ready()
	}
	n, err := w.dropAttached(deleteImported, w.owner.number, imp, max)
	if n > 0 {
		w.owner.Leave()
	}
	return n, err
}

// unattach removes the attachments of a record.
func (w attacher) unattach(document int64) error {
	for _, query := range []string{deleteFrom, deleteTo} {
		n, err := w.dropAttached(query, w.owner.number, document)
		if err != nil {
			return err
		}
		if n > 0 {
			w.owner.Leave()
		}
	}
	return nil
}

const (
	returnAttached = ` RETURNING seal, coalesce(octet_length(data), 0), doc`
	deleteAttached = `DELETE FROM attachments WHERE owner = ? AND space = ? AND key = ?` + returnAttached
	deleteFrom     = `DELETE FROM attachments WHERE owner = ? AND source = ?` + returnAttached
	deleteTo       = `DELETE FROM attachments WHERE owner = ? AND target = ?` + returnAttached
	deleteImported = `DELETE FROM attachments WHERE doc IN (SELECT doc FROM attachments INDEXED BY attachments_import
		WHERE owner = ? AND import = ? LIMIT ?)` + returnAttached
)

// dropAttached runs a statement that deletes attachments, and returns their number.
func (w attacher) dropAttached(query string, args ...any) (int, error) {
	if err := w.loadRuns(); err != nil {
		return 0, err
	}
	if w.failed != nil {
		return 0, w.failed
	}
	var gone []int64
	err := w.c.each(query, args, func(rows *sql.Rows) error {
		var seal sql.RawBytes
		var bytes int
		var doc int64
		err := rows.Scan(&seal, &bytes, &doc)
		w.owner.Lose(seal)
		w.owner.Use(0, -bytes)
		gone = append(gone, stored.AttachmentBase+number(doc))
		return err
	})
	if w.failed = translate("write", err); w.failed != nil || len(gone) == 0 {
		return 0, w.failed
	}
	return len(gone), w.unstage(gone...)
}
