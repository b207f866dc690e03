package stored

import (
	"errors"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// PageSize is how many bytes of rows end a page.
const PageSize = 4 << 20

// ErrNoImport refuses a staged row without an import.
var ErrNoImport = errors.New("a staged row needs an import")

// CheckAttachments fails if one of the new attachments is staged without an import.
func CheckAttachments(list []store.Attachment) error {
	for _, a := range list {
		if a.Staged && a.Import == 0 {
			return &memory.Error{Kind: memory.Internal, Op: "attach", Err: ErrNoImport}
		}
	}
	return nil
}

// AttachmentRow returns the columns of table attachments for an attachment. source and
// target are the numbers of its records, nil: none.
func AttachmentRow(number int64, a store.Attachment, source, target any) []any {
	var imp, data any
	if a.Import != 0 {
		imp = a.Import
	}
	if len(a.Data) > 0 {
		data = a.Data
	}
	return []any{number, a.Space, a.Key, source, target, imp, data}
}

// AttachmentOf is the inverse of [AttachmentRow], without the records' ids and without
// Staged. A column of a wrong type, as after a change outside of satchel, becomes empty.
func AttachmentOf(row []any) store.Attachment {
	var a store.Attachment
	a.Number, _ = row[0].(int64)
	a.Space, _ = row[1].(string)
	a.Key, _ = row[2].(string)
	a.Document, _ = row[3].(int64)
	a.Import, _ = row[5].(int64)
	if data, _ := row[6].([]byte); len(data) > 0 {
		a.Data = data
	}
	return a
}

// Spaces collects the results of next until it fails with [store.ErrNotFound].
func Spaces(next func() (string, error)) ([]string, error) {
	var spaces []string
	for {
		space, err := next()
		if errors.Is(err, store.ErrNotFound) {
			return spaces, nil
		}
		if err != nil {
			return nil, err
		}
		spaces = append(spaces, space)
	}
}
