package sqlite

import (
	"database/sql"
	"slices"
)

// secret returns what makes the seals of the owner, or nil where that is not at
// hand, so that nothing is known of what was changed.
func (s *session) secret() *sealer {
	if s.sealer == nil {
		return nil
	}
	if seals := s.sealer(); seals.keyed {
		return seals
	}
	return nil
}

// genuine scans a row, see table.scan, and reports whether it is as the store
// wrote it, as far as can be told.
func (s *session) genuine(t table, scan func(...any) error, more ...any) (bool, error) {
	values, seal, err := t.scan(scan, more...)
	if err != nil {
		return false, err
	}
	seals := s.secret()
	return seals == nil || seals.fits(t.name, values, seal), nil
}

// Altered checks the seals of rows, where the owner's secret is at hand.
func (s *session) Altered(numbers []int64) ([]int64, error) {
	seals := s.secret()
	if seals == nil || len(numbers) == 0 {
		return nil, s.ready()
	}
	var altered []int64
	for chunk := range slices.Chunk(numbers, alteredSize) {
		args := make([]any, alteredSize)
		for i := range args {
			args[i] = s.owner.key(chunk[min(i, len(chunk)-1)])
		}
		err := s.each(selectAltered, args, func(rows *sql.Rows) error {
			values, seal, err := recordsTable.scan(rows.Scan)
			if err != nil || seals.fits(recordsTable.name, values, seal) {
				return err
			}
			if doc, ok := values[0].(int64); ok {
				altered = append(altered, number(doc))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return altered, nil
}

// alteredSize is how many rows one statement fetches.
const alteredSize = 16

var selectAltered = `SELECT ` + recordsTable.list + ` FROM records WHERE doc IN ` + marks(alteredSize)
