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
	err := s.each(selectBeginning, []any{s.owner.number, string(prefix), string(prefix) + afterIDs}, func(r *sql.Rows) error {
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

// afterIDs sorts after every character that an id may hold (decision UD-4).
const afterIDs = "\x7f"

const selectBeginning = `SELECT ` + columns + ` FROM records INDEXED BY records_id
	WHERE owner = ? AND id >= ? AND id < ? ORDER BY id`
