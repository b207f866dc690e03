package stored

import (
	"errors"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
)

// Table spent: tokens that serve once and have.
//
//	owner, issuer, jti  key
//	until               when nobody would take it any more anyhow; index spent_until finds those
var spentTable = Named("spent")

// spentRow returns the columns of table spent for a token.
func spentRow(t store.Spent) []any { return []any{t.Issuer, t.JTI, Micros(t.Until)} }

// spentOf is the inverse of [spentRow], as [AgentOf] is of [agentRow].
func spentOf(row []any) store.Spent {
	var t store.Spent
	t.Issuer, _ = row[0].(string)
	t.JTI, _ = row[1].(string)
	until, _ := row[2].(int64)
	t.Until = Instant(until)
	return t
}

// IsSpent looks a token up.
func (a Agents) IsSpent(issuer, jti string) (bool, error) {
	_, err := a.tx.Find("spent", issuer, jti)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// SpentList reads the remembered tokens.
func (a Agents) SpentList(now time.Time) (found []store.Spent, err error) {
	err = a.tx.Whole("spent", a.sql.Spent, []any{Micros(now)}, func(row TableRow) error {
		found = append(found, spentOf(row.Values))
		return nil
	})
	return found, err
}

// Spend adds a token and drops expired ones.
func (a AgentKeeper) Spend(t store.Spent, now time.Time) error {
	if err := a.tx.Enrol(); err != nil {
		return err
	}
	if err := a.tx.Drop(a.sql.DropPast, Micros(now)); err != nil {
		return err
	}
	return putNew(a.tx, spentTable, spentRow(t), 0)
}

// Unspend drops a token.
func (a AgentKeeper) Unspend(issuer, jti string) error {
	return a.tx.Drop(a.sql.DropSpent, a.tx.Key(issuer), a.tx.Key(jti))
}
