package sqlite

import (
	"database/sql"
	"slices"

	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// sealer returns a new sealer of an owner, with the secret if it is at hand.
func (s *Store) sealer(did memory.DID) *stored.Sealer {
	if s.opt.Seal == nil {
		return stored.NewSealer(nil)
	}
	return stored.NewSealer(s.opt.Seal(did))
}

// secret returns what makes the seals of the owner, or nil where that is not at
// hand, so that nothing is known of what was changed.
func (s *session) secret() *stored.Sealer {
	if s.sealer == nil {
		return nil
	}
	if seals := s.sealer(); seals.Keyed {
		return seals
	}
	return nil
}

// genuine scans a row, see table.scan, and reports whether it is as the store
// wrote it, as far as can be told.
func (s *session) genuine(t table, scan func(...any) error, more ...any) (bool, error) {
	row, err := t.scan(scan, more...)
	if err != nil {
		return false, err
	}
	seals := s.secret()
	return seals == nil || seals.Fits(t.Name, row.values, row.seal), nil
}

// Altered checks the seals of rows, where the owner's secret is at hand.
func (s *session) Altered(numbers []int64) ([]int64, error) {
	seals := s.secret()
	if seals == nil || len(numbers) == 0 {
		return nil, s.ready()
	}
	altered, unread := s.seen.Altered(recordsTable.Name, seals, numbers)
	for chunk := range slices.Chunk(unread, alteredSize) {
		args := make([]any, alteredSize)
		for i := range args {
			args[i] = s.owner.key(chunk[min(i, len(chunk)-1)])
		}
		err := s.each(selectAltered, args, func(rows *sql.Rows) error {
			var doc int64
			genuine, err := s.genuine(recordsTable, rows.Scan, &doc)
			if err == nil && !genuine {
				altered = append(altered, number(doc))
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return altered, s.ready()
}

// alteredSize is how many rows one statement fetches.
const alteredSize = 16

var selectAltered = `SELECT ` + recordsTable.list + `, doc FROM records WHERE doc IN ` + marks(alteredSize)
