package sqlite

import (
	"database/sql"
	"errors"
	"slices"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// Table attachments: what stands beside the records.
//
//	doc             key made of the owner's number and the attachment's
//	owner           whose
//	space, key      its name, see [store.Attachment]
//	source, target  numbers of the records it hangs on, NULL: none
//	import          NULL: none
//	data            nearly last because it can be large; NULL: nothing
//
// Whether an attachment is staged stands in table staged. The indexes are named
// after what they find.
var attachmentsTable = newTable("attachments")

// selectAttachments reads attachments, and the ids of the records they hang on.
var selectAttachments = `SELECT ` + attachmentsTable.list + `, doc, (SELECT id FROM records AS r WHERE r.doc = (a.owner << 40 | a.source)),
	(SELECT id FROM records AS r WHERE r.doc = (a.owner << 40 | a.target)) FROM attachments AS a INDEXED BY `

// Attached returns an attachment by its key.
func (s *session) Attached(space, key string, imp int64) (store.Attachment, error) {
	if err := s.loadRuns(); err != nil {
		return store.Attachment{}, err
	}
	a, genuine, err := s.attachment(func(into ...any) error {
		return s.first(selectAttached, []any{s.owner.number, space, key}, into...)
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

// attachment reads a row of selectAttachments, and reports whether it is as the
// store wrote it, as far as can be told. Its number is right in any case.
func (s *session) attachment(scan func(...any) error) (store.Attachment, bool, error) {
	var doc int64
	var from, to sql.NullString
	row, err := attachmentsTable.scan(scan, &doc, &from, &to)
	if err != nil {
		return store.Attachment{}, false, err
	}
	v := row.values
	a := stored.AttachedOf(v)
	a.Number, a.From, a.To = number(doc), memory.ID(from.String), memory.ID(to.String)
	a.Staged = s.staging(stored.Attached+a.Number) != nil
	seals := s.secret()
	genuine := (v[3] == nil || from.Valid) && (v[4] == nil || to.Valid) &&
		(seals == nil || seals.Fits(attachmentsTable.Name, v, row.seal))
	return a, genuine, nil
}

// Attachments reads page after page until there is something to return.
func (s *session) Attachments(f store.AttachmentFilter, after int64, max int) ([]store.Attachment, error) {
	if err := s.loadRuns(); err != nil {
		return nil, err
	}
	way, err := s.wayTo(f)
	if errors.Is(err, store.ErrNotFound) { // nothing hangs on what is not there
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	page := stored.AttachedPage{Max: max, Staged: s.hidden(f.Import), Read: way.read}
	return page.After(after)
}

// attachmentWay is an index that yields attachments in the order of their numbers,
// and what must hold of them.
type attachmentWay struct {
	session      *session
	index, where string
	args         []any
}

func (s *session) wayTo(f store.AttachmentFilter) (attachmentWay, error) {
	way := attachmentWay{session: s, index: "attachments_space", where: " AND space = ?", args: []any{s.owner.number, f.Space}}
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
		doc, err := s.find(end.id)
		if err != nil {
			return way, err
		}
		by(end.index, end.column, number(doc))
	}
	return way, nil
}

// read hands attachments of a stretch to yield, see [stored.AttachedPage].
func (w attachmentWay) read(s stored.Stretch, limit int, yield func(store.Attachment, bool) error) error {
	query := selectAttachments + w.index + ` WHERE owner = ?` + w.where + ` AND doc BETWEEN ? AND ? ORDER BY doc LIMIT ?`
	o := w.session.owner
	return w.session.each(query, slices.Concat(w.args, []any{o.key(s.First), o.key(s.Last), limit}), func(rows *sql.Rows) error {
		a, genuine, err := w.session.attachment(rows.Scan)
		if err != nil {
			return err
		}
		return yield(a, genuine)
	})
}

// Spaces goes from each space to the next.
func (s *session) Spaces() ([]string, error) {
	query, args := selectFirstSpace, []any{s.owner.number}
	return stored.Spaces(func() (space string, err error) {
		err = s.first(query, args, &space)
		query, args = selectNextSpace, []any{s.owner.number, space}
		return space, err
	})
}

const (
	selectFirstSpace = `SELECT space FROM attachments WHERE owner = ? ORDER BY space LIMIT 1`
	selectNextSpace  = `SELECT space FROM attachments WHERE owner = ? AND space > ? ORDER BY space LIMIT 1`
)
