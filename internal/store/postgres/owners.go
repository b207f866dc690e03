package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
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

// Table owners: one row per owner, made by the first write. An Update locks and reads
// it when it begins and writes it once when it ends. Beside the columns of every
// store it has:
//
//	enrolled  when the row was made; it orders the owners and is not sealed
var ownersTable = tableOf(stored.OwnersTable)

// ownerID identifies an owner in every table.
type ownerID [16]byte

// idOf returns the id of an owner: the beginning of the SHA-256 of the DID.
func idOf(did memory.DID) ownerID {
	d := sha256.Sum256([]byte(did))
	return ownerID(d[:16])
}

// String returns the id in the form of app.owner.
func (id ownerID) String() string {
	h := hex.EncodeToString(id[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// ownerOf reads a row of ownersTable.
func ownerOf(raw [][]byte) (o stored.Owner, err error) {
	r, err := ownersTable.values(raw)
	if err == nil {
		o.Read(r.Values, r.Seal)
	}
	return o, err
}

// checkOwner fails if the row belongs to another DID with the same id, which cannot
// be brought about on purpose, or if the row was changed.
func checkOwner(o stored.Owner, did memory.DID) error {
	if o.Known && o.DID != string(did) {
		return refusal("read", store.ErrAltered, "the owner's row was changed outside of satchel; run satchel doctor")
	}
	return nil
}

var (
	insertOwner = `INSERT INTO owners (owner, enrolled, ` + ownersTable.list + `) VALUES ($1, ` + marks(2, len(ownersTable.Columns)+2) +
		`) ON CONFLICT DO NOTHING`
	updateOwner = `UPDATE owners SET ` + sets(ownersTable.Columns[1:]) + ` WHERE owner = $1`
)
