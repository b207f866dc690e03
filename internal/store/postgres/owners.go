package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/memory"
)

// Few statements read the rows of all owners, and only those in tables owners and due.
// They run in transactions of their own, which set app.scope.
const (
	scopeList = `SET LOCAL app.scope = 'owners'`

	selectOwners = `SELECT did FROM owners WHERE moved <> '` + arriving + `' AND did <> '` + string(nobody) + `' ORDER BY enrolled, owner`
	selectOwed   = `SELECT true FROM owners WHERE erased > cleaned LIMIT 1`
	selectDebts  = `SELECT did, erased FROM owners WHERE erased > cleaned`
	selectStates = `SELECT owner, sequence, entries, erased, cleaned, moved, account, total, seal FROM owners WHERE owner = ANY ($1)`
)

// queryOwners runs a statement on all owners' rows in table owners, in one round
// trip.
func queryOwners[T any](ctx context.Context, s *Store, op, query string, args []any, scan func(pgx.Rows) (T, error)) ([]T, error) {
	for attempt := 0; ; attempt++ {
		list, err := listOnce(ctx, s, op, query, args, scan)
		if err == nil || !s.retry(ctx, attempt, err) {
			return list, (&ownerTx{ctx: ctx}).refused(err)
		}
	}
}

func listOnce[T any](ctx context.Context, s *Store, op, query string, args []any, scan func(pgx.Rows) (T, error)) ([]T, error) {
	conn, err := s.acquire(ctx)
	if err != nil {
		return nil, err
	}
	t := &tx{conn: conn, store: s}
	defer t.end()
	var v version
	list := []T{}
	err = t.send(ctx, op, statement{query: beginView}, statement{query: scopeList},
		statement{query: statements[schemaStatement], scan: func(rows pgx.Rows) error { return v.read(rows.RawValues()) }},
		statement{query: query, args: args, scan: func(rows pgx.Rows) error {
			item, err := scan(rows)
			list = append(list, item)
			return err
		}},
		statement{query: commit})
	if t.cause != nil {
		return nil, t.cause
	}
	if err = errors.Join(err, v.acceptable(s.schema)); err != nil {
		return nil, err
	}
	return list, nil
}

// Owners lists the owners in the order of their enrolment, see [store.Store].
func (s *Store) Owners(ctx context.Context) ([]memory.DID, error) {
	return queryOwners(ctx, s, "list owners", selectOwners, nil, scanDID)
}
