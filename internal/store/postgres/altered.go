package postgres

import (
	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

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

// fits reports whether a row is as the store wrote it, as far as can be told.
func (s *session) fits(t table, values []any, seal []byte) bool {
	seals := s.secret()
	return seals == nil || seals.Fits(t.Name, values, seal)
}

// genuine runs a query for a row of a table, scans it and what was selected beyond
// it, and reports whether the row is as the store wrote it, as far as can be told.
// There may be none: [store.ErrNotFound].
func (s *session) genuine(t table, query string, args []any, more ...any) (bool, error) {
	found, genuine := false, false
	err := s.each(query, args, func(rows pgx.Rows) error {
		values, seal, err := t.scan(rows, more...)
		found, genuine = true, err == nil && s.fits(t, values, seal)
		return err
	})
	if err == nil && !found {
		err = store.ErrNotFound
	}
	return genuine, err
}

// remember keeps a row for Altered, in a View where the secret is at hand: in an
// Update it may change.
func (s *session) remember(doc int64, values []any, seal []byte) {
	if !s.writes && s.secret() != nil {
		s.seen.Keep(doc, values, seal)
	}
}

// Altered checks the seals of rows, where the owner's secret is at hand.
func (s *session) Altered(numbers []int64) ([]int64, error) {
	seals := s.secret()
	if seals == nil || len(numbers) == 0 {
		return nil, s.ready()
	}
	altered, unread := s.seen.Altered(recordsTable.Name, seals, numbers)
	if len(unread) == 0 {
		return altered, s.ready()
	}
	err := s.each(selectDocs, []any{unread}, func(rows pgx.Rows) error {
		values, seal, err := recordsTable.scan(rows)
		if err != nil || seals.Fits(recordsTable.Name, values, seal) {
			return err
		}
		if doc, ok := values[0].(int64); ok {
			altered = append(altered, doc)
		}
		return nil
	})
	return altered, err
}
