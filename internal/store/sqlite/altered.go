package sqlite

import (
	"database/sql"
	"slices"
	"strings"
)

// Altered checks the seals of rows, where the owner's secret is at hand.
func (s *session) Altered(numbers []int64) ([]int64, error) {
	if s.sealer == nil || len(numbers) == 0 {
		return nil, s.ready()
	}
	seals := s.sealer()
	if !seals.keyed {
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

var selectAltered = `SELECT ` + strings.Join(recordsTable.columns, ", ") + `, seal FROM records WHERE doc IN ` + marks(alteredSize)
