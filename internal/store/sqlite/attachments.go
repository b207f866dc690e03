package sqlite

import (
	"database/sql"
	"errors"
	"slices"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// Table attachments: data kept beside the records.
//
//	doc             key made of the owner's number and the attachment's
//	owner           number of the owner
//	space, key      its name, see [store.Attachment]
//	source, target  numbers of the records it belongs to, NULL: none
//	import          NULL: none
//	data            nearly last because it can be large; NULL: no data
//
// Table staged says whether an attachment is staged. Each index is named after the
// columns it serves.
var attachmentsTable = tableOf("attachments")

// attachments reads the table.
type attachments struct{ *ownerTx }

// selectAttachments reads attachments and the ids of their records.
var selectAttachments = `SELECT ` + attachmentsTable.list + `, doc, (SELECT id FROM records AS r WHERE r.doc = (a.owner << 40 | a.source)),
	(SELECT id FROM records AS r WHERE r.doc = (a.owner << 40 | a.target)) FROM attachments AS a INDEXED BY `

// Attached returns an attachment by its key.
func (r attachments) Attached(space, key string, imp int64) (store.Attachment, error) {
	if err := r.loadRuns(); err != nil {
		return store.Attachment{}, err
	}
	a, genuine, err := r.attachment(func(into ...any) error {
		return r.first(selectAttached, []any{r.owner.number, space, key}, into...)
	})
	if err == nil && (!genuine || a.Staged && a.Import != imp) {
		err = store.ErrNotFound
	}
	if err != nil {
		return store.Attachment{}, err
	}
	return a, nil
}

var selectAttached = selectAttachments + `attachments_key WHERE owner = ? AND space = ? AND key = ?`

// attachment reads a row of selectAttachments. It reports whether the row is as the
// store wrote it, as far as the store can tell. The number is right in any case.
func (r attachments) attachment(scan func(...any) error) (store.Attachment, bool, error) {
	var doc int64
	var from, to sql.NullString
	row, err := attachmentsTable.scan(scan, &doc, &from, &to)
	if err != nil {
		return store.Attachment{}, false, err
	}
	v := row.Values
	a := stored.AttachmentOf(v)
	a.Number, a.From, a.To = number(doc), memory.ID(from.String), memory.ID(to.String)
	a.Staged = r.runs.Staging(stored.AttachmentBase+a.Number) != nil
	hangs := (v[3] == nil || from.Valid) && (v[4] == nil || to.Valid)
	return a, hangs && stored.Genuine(r, attachmentsTable.Name, row.TableRow), nil
}

// Attachments reads page after page until it has something to return.
func (r attachments) Attachments(f store.AttachmentFilter, after int64, max int) ([]store.Attachment, error) {
	if err := r.loadRuns(); err != nil {
		return nil, err
	}
	way, err := r.plan(f)
	if errors.Is(err, store.ErrNotFound) { // a record that does not exist has no attachments
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	page := stored.AttachmentPage{Max: max, Staged: r.runs.Hidden(f.Import), Read: way.read}
	return page.After(after)
}

// attachmentPlan is an index that yields attachments in the order of their numbers,
// and the conditions on them.
type attachmentPlan struct {
	attachments
	index, where string
	args         []any
}

func (r attachments) plan(f store.AttachmentFilter) (attachmentPlan, error) {
	way := attachmentPlan{attachments: r, index: "attachments_space", where: " AND space = ?", args: []any{r.owner.number, f.Space}}
	by := func(index, column string, value int64) {
		way.index, way.where, way.args = index, way.where+" AND "+column+" = ?", append(way.args, value)
	}
	if f.Import != 0 {
		by("attachments_import", "import", f.Import)
	}
	for _, end := range []struct {
		id            memory.ID
		index, column string
	}{{f.To, "attachments_target", "target"}, {f.From, "attachments_source", "source"}} {
		if end.id == "" {
			continue
		}
		doc, err := r.find(end.id)
		if err != nil {
			return way, err
		}
		by(end.index, end.column, number(doc))
	}
	return way, nil
}

// read hands attachments of a stretch to yield, see [stored.AttachmentPage].
func (w attachmentPlan) read(s stored.Stretch, limit int, yield func(store.Attachment, bool) error) error {
	query := selectAttachments + w.index + ` WHERE owner = ?` + w.where + ` AND doc BETWEEN ? AND ? ORDER BY doc LIMIT ?`
	o := &w.owner
	return w.each(query, slices.Concat(w.args, []any{o.key(s.First), o.key(s.Last), limit}), func(rows *sql.Rows) error {
		a, genuine, err := w.attachment(rows.Scan)
		if err != nil {
			return err
		}
		return yield(a, genuine)
	})
}

// Spaces reads one space after the other.
func (r attachments) Spaces() ([]string, error) {
	query, args := selectFirstSpace, []any{r.owner.number}
	return stored.Spaces(func() (space string, err error) {
		err = r.first(query, args, &space)
		query, args = selectNextSpace, []any{r.owner.number, space}
		return space, err
	})
}

const (
	selectFirstSpace = `SELECT space FROM attachments WHERE owner = ? ORDER BY space LIMIT 1`
	selectNextSpace  = `SELECT space FROM attachments WHERE owner = ? AND space > ? ORDER BY space LIMIT 1`
)
