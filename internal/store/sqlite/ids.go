package sqlite

import (
	"database/sql"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Beginning returns rows by the beginning of their ids.
func (s *session) Beginning(prefix memory.ID, max int) ([]store.Row, error) {
	if err := s.loadRuns(); err != nil || max <= 0 {
		return nil, err
	}
	var rows []store.Row
	err := s.each(selectBeginning, []any{s.owner.number, string(prefix), beyond(prefix)}, func(r *sql.Rows) error {
		row, err := s.scanRow(r.Scan)
		if err == nil && !row.Columns.Staged {
			rows = append(rows, row)
		}
		if err == nil && len(rows) == max {
			return errEnough
		}
		return err
	})
	if err == errEnough {
		err = nil
	}
	return rows, err
}

// beyond returns what sorts after every id that begins with prefix, and before any
// other that sorts after prefix. SQLite sorts bytes after every text.
func beyond(prefix memory.ID) any {
	for last := len(prefix) - 1; last >= 0; last-- {
		if prefix[last] < 0xff {
			return string(prefix[:last]) + string([]byte{prefix[last] + 1})
		}
	}
	return []byte{}
}

var selectBeginning = `SELECT ` + rowColumns + ` FROM records INDEXED BY records_id
	WHERE owner = ? AND id >= ? AND id < ? ORDER BY id`
