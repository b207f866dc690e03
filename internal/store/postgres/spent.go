package postgres

import (
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// Table spent: tokens that serve once and have.
//
//	owner, issuer, jti  key
//	until               when it would not be taken any more; index spent_until finds those
//	by_issuer, by_jti   see short
var spentTable = newTable("spent")

// Spend adds a token and drops those that are past their time.
func (w *writer) Spend(t store.Spent, now time.Time) error {
	if err := w.enrol(); err != nil {
		return err
	}
	if err := w.drop(deleteSpent, stored.Micros(now)); err != nil {
		return err
	}
	return w.putNew(spentTable, stored.SpentRow(t), 0)
}

// Unspend drops a token.
func (w *writer) Unspend(issuer, jti string) error {
	return w.drop(deleteToken, spentTable.by([]any{issuer, jti})...)
}

// IsSpent looks a token up.
func (s *session) IsSpent(issuer, jti string) (bool, error) {
	_, _, err := s.whole(spentTable, issuer, jti)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// SpentList reads what is remembered.
func (s *session) SpentList(now time.Time) (found []store.Spent, err error) {
	err = s.each(selectSpent, []any{stored.Micros(now)}, func(rows pgx.Rows) error {
		values, _, err := spentTable.scan(rows)
		if err == nil {
			found = append(found, stored.SpentOf(values))
		}
		return err
	})
	return found, err
}

var selectSpent = `SELECT ` + spentTable.list + ` FROM spent WHERE owner = $1 AND until >= $2 ORDER BY by_issuer, by_jti`

const (
	deleteSpent = `DELETE FROM spent WHERE owner = $1 AND until < $2 RETURNING seal`
	deleteToken = `DELETE FROM spent WHERE owner = $1 AND by_issuer = $2 AND by_jti = $3 RETURNING seal`
)
