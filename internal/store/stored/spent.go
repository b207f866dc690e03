package stored

import "github.com/satchel-memory/satchel/internal/store"

// SpentRow returns the columns of table spent for a token.
func SpentRow(t store.Spent) []any { return []any{t.Issuer, t.JTI, Micros(t.Until)} }

// SpentOf is the inverse of [SpentRow], as [AgentOf] is of [AgentRow].
func SpentOf(row []any) store.Spent {
	var t store.Spent
	t.Issuer, _ = row[0].(string)
	t.JTI, _ = row[1].(string)
	until, _ := row[2].(int64)
	t.Until = Instant(until)
	return t
}
