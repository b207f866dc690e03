package postgres

import (
	"crypto/sha256"
	"errors"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// Table attachments: data kept beside the records.
//
//	owner, doc        key; doc is the number of the attachment
//	space, key        its name, see [store.Attachment]
//	source, target    the records it belongs to, NULL: none
//	import            NULL: none
//	data              NULL: no data
//	by_space          see short
//	by_name           the key of its index, see attachmentName
//
// Table staged says whether an attachment is staged. Each index is named after the
// columns it serves.
var attachmentsTable = tableOf("attachments")

// attachments reads the table.
type attachments struct{ *ownerTx }

// selectAttachments reads attachments and the ids of their records.
var selectAttachments = `SELECT ` + attachmentsTable.list + `,
	(SELECT r.id FROM records AS r WHERE r.owner = $1 AND r.doc = a.source),
	(SELECT r.id FROM records AS r WHERE r.owner = $1 AND r.doc = a.target) FROM attachments AS a WHERE a.owner = $1`

// attachmentName returns the index key of an attachment: a hash of space and key. Two
// indexes that share a prefix would serve both, but the server could not tell which
// of the two finds fewer rows.
// not tell which of the two finds less.
func attachmentName(space, key string) string {
	first := sha256.Sum256([]byte(space))
	name := sha256.Sum256(append(first[:], key...))
	return string(name[:])
}

// Attached returns an attachment by its key.
func (r attachments) Attached(space, key string, imp int64) (store.Attachment, error) {
	var a store.Attachment
	found := false
	err := r.each(selectAttached, []any{attachmentName(space, key)}, func(rows pgx.Rows) (err error) {
		a, found, err = r.attachment(rows)
		return err
	})
	if err == nil && (!found || a.Staged && a.Import != imp) {
		err = store.ErrNotFound
	}
	if err != nil {
		return store.Attachment{}, err
	}
	return a, nil
}

var selectAttached = selectAttachments + ` AND a.by_name = $2`

// attachment reads a row of selectAttachments. It reports whether the row is as the
// store wrote it, as far as the store can tell.
func (r attachments) attachment(rows pgx.Rows) (store.Attachment, bool, error) {
	var from, to memory.ID
	row, err := attachmentsTable.scan(rows, &from, &to)
	if err != nil {
		return store.Attachment{}, false, err
	}
	v := row.Values
	a := stored.AttachmentOf(v)
	a.From, a.To = from, to
	a.Staged = r.runs.Staging(stored.AttachmentBase+a.Number) != nil
	hangs := (v[3] == nil || a.From != "") && (v[4] == nil || a.To != "")
	return a, hangs && stored.Genuine(r, attachmentsTable.Name, row), nil
}

// Attachments reads page after page until it has something to return.
func (r attachments) Attachments(f store.AttachmentFilter, after int64, max int) ([]store.Attachment, error) {
	query, args, err := r.selection(f)
	if errors.Is(err, store.ErrNotFound) { // a record that does not exist has no attachments
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	page := stored.AttachmentPage{Max: max, Staged: r.runs.Hidden(f.Import)}
	page.Read = func(stretch stored.Stretch, limit int, yield func(store.Attachment, bool) error) error {
		all := append(args[:len(args):len(args)], stretch.First, stretch.Last, limit)
		return r.each(query, all, func(rows pgx.Rows) error {
			a, genuine, err := r.attachment(rows)
			if err != nil {
				return err
			}
			return yield(a, genuine)
		})
	}
	found, err := page.After(after)
	if err != nil {
		return nil, err
	}
	return found, r.Ready()
}

// selection returns the statement that finds the attachments of a filter, and all its
// arguments but the last three.
func (r attachments) selection(f store.AttachmentFilter) (query string, args []any, err error) {
	query, args = selectAttachments+` AND a.by_space = $2`, []any{short(f.Space)}
	by := func(column string, value int64) {
		args = append(args, value)
		query += ` AND a.` + column + ` = $` + strconv.Itoa(len(args)+1)
	}
	if f.Import != 0 {
		by("import", f.Import)
	}
	for _, end := range []struct {
		id     memory.ID
		column string
	}{{f.To, "target"}, {f.From, "source"}} {
		if end.id == "" {
			continue
		}
		doc, err := r.Document(end.id)
		if err != nil {
			return "", nil, err
		}
		by(end.column, doc)
	}
	n := len(args) + 2
	return query + ` AND a.doc BETWEEN $` + strconv.Itoa(n) + ` AND $` + strconv.Itoa(n+1) +
		` ORDER BY a.doc LIMIT $` + strconv.Itoa(n+2), args, nil
}

// Spaces reads one space after the other.
func (r attachments) Spaces() ([]string, error) {
	query, args := selectFirstSpace, []any(nil)
	return stored.Spaces(func() (space string, err error) {
		var place string
		err = r.first(query, args, &space, &place)
		query, args = selectNextSpace, []any{place}
		return space, err
	})
}

const (
	selectFirstSpace = `SELECT space, by_space FROM attachments WHERE owner = $1 ORDER BY by_space LIMIT 1`
	selectNextSpace  = `SELECT space, by_space FROM attachments WHERE owner = $1 AND by_space > $2 ORDER BY by_space LIMIT 1`
)
