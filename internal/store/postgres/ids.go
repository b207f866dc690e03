package postgres

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Beginning returns rows by the beginning of their ids. Staged ones are read too, so
// that it may take several steps to find as many as were asked for.
func (s *session) Beginning(prefix memory.ID, max int) ([]store.Row, error) {
	if max <= 0 {
		return nil, s.ready()
	}
	from := string(prefix[:min(len(prefix), shortHead)])
	to := from + strings.Repeat("\xff", shortSize+1) // after all that begin so
	var found []store.Row
	for {
		rows, err := s.rows(selectBeginning, from, to, max)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			from = short(row.ID) + "\x00" // the next one
			if !row.Columns.Staged && strings.HasPrefix(string(row.ID), string(prefix)) {
				found = append(found, row)
			}
		}
		// Long ids that begin alike stand in the order of their hashes.
		settled := len(rows) > 0 && len(rows[len(rows)-1].ID) < shortHead
		if len(rows) < max || len(found) >= max && settled {
			slices.SortFunc(found, func(a, b store.Row) int { return strings.Compare(string(a.ID), string(b.ID)) })
			return found[:min(len(found), max)], nil
		}
	}
}

var selectBeginning = selectRecords + ` AND by_id >= $2 AND by_id < $3 ORDER BY by_id LIMIT $4`
