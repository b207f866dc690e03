package postgres

import (
	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// attacher writes table attachments.
type attacher struct{ *writeTx }

// AttachAll checks all attachments in one round trip, and queues them.
func (w attacher) AttachAll(list []store.Attachment) ([]int64, error) {
	if err := w.Enrol(); err != nil {
		return nil, err
	}
	if err := stored.CheckAttachments(list); err != nil {
		return nil, err
	}
	taken, err := w.survey(list)
	if err != nil {
		return nil, err
	}
	numbers, rows := make([]int64, len(list)), make([][]any, 0, len(list))
	for i, a := range list {
		name := attachmentName(a.Space, a.Key)
		if taken[name] {
			continue
		}
		taken[name] = true
		w.owner.Attached++
		w.owner.Use(0, len(a.Data))
		numbers[i] = w.owner.Attached
		rows = append(rows, w.attachmentValues(a))
		if a.Staged {
			w.stage(stored.AttachmentBase+numbers[i], a.Import)
		}
	}
	return numbers, w.putAttached(rows)
}

// attachmentValues returns the columns of the attachment that was numbered last.
func (w attacher) attachmentValues(a store.Attachment) []any {
	hangs := func(id memory.ID) any {
		if id == "" {
			return nil
		}
		return w.docs[id]
	}
	return stored.AttachmentRow(w.owner.Attached, a, hangs(a.From), hangs(a.To))
}

// putAttached queues rows, as many per statement as the size limit allows.
func (w attacher) putAttached(rows [][]any) error {
	for len(rows) > 0 {
		n, size := 0, 0
		for ; n < len(rows) && (n == 0 || size < stored.PageSize); n++ {
			data, _ := rows[n][6].([]byte)
			size += len(data)
		}
		some := rows[:n]
		if err := w.put(attachmentsTable, n, func(i int) []any { return some[i] }); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return w.failed()
}

// survey finds the records that attachments belong to, and the names in use.
func (w attacher) survey(list []store.Attachment) (taken map[string]bool, err error) {
	if len(list) == 0 {
		return nil, w.failed()
	}
	taken = make(map[string]bool)
	var names, ids []string
	asked := make(map[memory.ID]bool)
	for _, a := range list {
		names = append(names, attachmentName(a.Space, a.Key))
		for _, id := range []memory.ID{a.From, a.To} {
			if _, known := w.docs[id]; !known && !asked[id] && id != "" {
				asked[id], ids = true, append(ids, short(id))
			}
		}
	}
	all := []statement{{query: selectTaken, args: []any{names}, scan: func(rows pgx.Rows) error {
		var name string
		err := rows.Scan(&name)
		taken[name] = true
		return err
	}}}
	if len(ids) > 0 {
		all = append(all, statement{query: selectNumbers, args: []any{ids}, scan: func(rows pgx.Rows) error {
			var id memory.ID
			var doc int64
			err := rows.Scan(&id, &doc)
			w.know(id, doc)
			return err
		}})
	}
	if err := w.all(all...); err != nil {
		return nil, err
	}
	return taken, w.allHeld(list)
}

// allHeld fails when an attachment belongs to a record that does not exist. survey
// must run first.
func (w attacher) allHeld(list []store.Attachment) error {
	for _, a := range list {
		for _, id := range []memory.ID{a.From, a.To} {
			if id != "" && w.docs[id] == 0 {
				w.know(id, 0)
				return store.ErrNotFound
			}
		}
	}
	return nil
}

// These look up one name or id after the other. The server would plan = ANY for ten, and may
// rather compare all rows of the owner with all of thousands.
const (
	selectTaken = `SELECT a.by_name FROM unnest($2::bytea[]) AS t (name) CROSS JOIN LATERAL (SELECT by_name FROM attachments
		WHERE owner = $1 AND by_name = t.name LIMIT 1) AS a`
	selectNumbers = `SELECT r.id, r.doc FROM unnest($2::bytea[]) AS t (id) CROSS JOIN LATERAL (SELECT id, doc FROM records
		WHERE owner = $1 AND by_id = t.id LIMIT 1) AS r`
)

// Detach removes an attachment by its key.
func (w attacher) Detach(space, key string) error {
	n, err := w.detach(deleteAttached, attachmentName(space, key))
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
	n, err := w.detach(deleteImported, imp, max)
	if n > 0 {
		w.owner.Leave()
	}
	return n, err
}

// detach runs a statement that deletes attachments, and returns their number.
func (w attacher) detach(query string, args ...any) (n int, err error) {
	if err := w.Ready(); err != nil {
		return 0, err
	}
	w.tx.wrote = true
	st := w.detaching(query, args...)
	scan := st.scan
	st.scan = func(rows pgx.Rows) error {
		n++
		return scan(rows)
	}
	if err := w.all(st); err != nil {
		return 0, err
	}
	return n, nil
}

// unattach queues the removal of a record's attachments.
func (w attacher) unattach(doc int64) error {
	w.queue(w.detaching(deleteFrom, doc))
	w.queue(w.detaching(deleteTo, doc))
	return w.failed()
}

// detaching returns a statement that deletes attachments.
func (w attacher) detaching(query string, args ...any) statement {
	return statement{query: query, args: args, drops: true, scan: func(rows pgx.Rows) error {
		var seal []byte
		var bytes int
		var doc int64
		err := rows.Scan(&seal, &bytes, &doc)
		w.owner.Lose(seal)
		w.owner.Use(0, -bytes)
		w.gone = append(w.gone, stored.AttachmentBase+doc)
		return err
	}}
}

const (
	returnAttached = ` RETURNING seal, coalesce(octet_length(data), 0)::bigint, doc`
	deleteAttached = `DELETE FROM attachments WHERE owner = $1 AND by_name = $2` + returnAttached
	deleteFrom     = `DELETE FROM attachments WHERE owner = $1 AND source = $2` + returnAttached
	deleteTo       = `DELETE FROM attachments WHERE owner = $1 AND target = $2` + returnAttached
	deleteImported = `DELETE FROM attachments WHERE owner = $1 AND doc = ANY (ARRAY(SELECT doc FROM attachments
		WHERE owner = $1 AND import = $2 LIMIT $3))` + returnAttached
)
