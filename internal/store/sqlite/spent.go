package sqlite

import (
	"database/sql"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// Table spent: tokens that serve once and have.
//
//	owner, issuer, jti  key
//	until               when it would not be taken any more; index spent_until finds those
var spentTable = newTable("spent")

// Spend adds a token and drops those that are past their time.
func (w *writer) Spend(t store.Spent, now time.Time) error {
	if err := w.enrol(); err != nil {
		return err
	}
	if err := w.drop(deleteSpent, w.owner.number, stored.Micros(now)); err != nil {
		return err
	}
	return w.putNew(spentTable, stored.SpentRow(t), 0)
}

// Unspend drops a token.
func (w *writer) Unspend(issuer, jti string) error {
	return w.drop(deleteToken, w.owner.number, issuer, jti)
}

// IsSpent looks a token up.
func (s *session) IsSpent(issuer, jti string) (bool, error) {
	_, err := spentTable.scan(func(into ...any) error {
		return s.first(spentTable.row, []any{s.owner.number, issuer, jti}, into...)
	})
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// SpentList reads what is remembered.
func (s *session) SpentList(now time.Time) (found []store.Spent, err error) {
	err = s.each(selectSpent, []any{s.owner.number, stored.Micros(now)}, func(rows *sql.Rows) error {
		row, err := spentTable.scan(rows.Scan)
		if err == nil {
			found = append(found, stored.SpentOf(row.values))
		}
		return err
	})
	return found, err
}

var selectSpent = `SELECT ` + spentTable.list + ` FROM spent WHERE owner = ? AND until >= ? ORDER BY issuer, jti`

const (
	deleteSpent = `DELETE FROM spent WHERE owner = ? AND until < ? RETURNING seal`
	deleteToken = `DELETE FROM spent WHERE owner = ? AND issuer = ? AND jti = ? RETURNING seal`
)
