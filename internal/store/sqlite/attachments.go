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
	a := store.Attachment{Number: number(doc), From: memory.ID(from.String), To: memory.ID(to.String), Import: numberOr(v[5], 0)}
	a.Space, _ = v[1].(string)
	a.Key, _ = v[2].(string)
	if data, _ := v[6].([]byte); len(data) > 0 {
		a.Data = data
	}
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
	p := attachmentPage{session: s, max: max}
	for p.size < pageSize && len(p.found) < max {
		first, last := s.stretch(after, f.Import)
		if first > last {
			break
		}
		if after, err = p.read(way, first, last); err != nil {
			return nil, err
		}
	}
	return p.found, nil
}

// attachmentWay is an index that yields attachments in the order of their numbers,
// and what must hold of them.
type attachmentWay struct {
	index, where string
	args         []any
}

func (s *session) wayTo(f store.AttachmentFilter) (attachmentWay, error) {
	way := attachmentWay{index: "attachments_space", where: " AND space = ?", args: []any{s.owner.number, f.Space}}
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

// stretch returns the next numbers after one between which nothing is staged; an
// import of its own sees all.
func (s *session) stretch(after, imp int64) (first, last int64) {
	first, last = min(max(after, 0), stored.Attached-1)+1, stored.Attached-1
	for _, r := range s.runs {
		from, to := r.first-stored.Attached, r.last-stored.Attached
		switch {
		case imp != 0 || to < first:
		case from <= first:
			first = to + 1
		default:
			return first, from - 1
		}
	}
	return first, last
}

// Spaces goes from each space to the next.
func (s *session) Spaces() ([]string, error) {
	var spaces []string
	query, args := selectFirstSpace, []any{s.owner.number}
	for {
		space := ""
		err := s.first(query, args, &space)
		if errors.Is(err, store.ErrNotFound) {
			return spaces, nil
		}
		if err != nil {
			return nil, err
		}
		spaces, query, args = append(spaces, space), selectNextSpace, []any{s.owner.number, space}
	}
}

const (
	selectFirstSpace = `SELECT space FROM attachments WHERE owner = ? ORDER BY space LIMIT 1`
	selectNextSpace  = `SELECT space FROM attachments WHERE owner = ? AND space > ? ORDER BY space LIMIT 1`
)

// attachmentPage is what Attachments has found.
type attachmentPage struct {
	*session
	max   int
	found []store.Attachment
	size  int // of all data in found
}

// read adds attachments with numbers from first to last and returns the last number
// that was looked at.
func (p *attachmentPage) read(way attachmentWay, first, last int64) (int64, error) {
	query := selectAttachments + way.index + ` WHERE owner = ?` + way.where + ` AND doc BETWEEN ? AND ? ORDER BY doc LIMIT ?`
	limit, seen, at := p.max-len(p.found), 0, last
	args := slices.Concat(way.args, []any{p.owner.key(first), p.owner.key(last), limit})
	err := p.each(query, args, func(rows *sql.Rows) error {
		a, genuine, err := p.attachment(rows.Scan)
		if err != nil {
			return err
		}
		seen, at = seen+1, a.Number
		if !genuine {
			return nil
		}
		p.found, p.size = append(p.found, a), p.size+len(a.Data)
		if p.size >= pageSize {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return at, nil
	}
	if seen < limit {
		at = last
	}
	return at, err
}
