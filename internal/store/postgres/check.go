package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// Check looks at the tables themselves and at who may do what with them, and then
// at the rows of one owner after the other, each in a snapshot of its own: whether
// every row is as it was written, whether the tables agree with one another, and
// whether the index says what the records list. Rows of somebody whose row in table
// owners is gone are counted where the user of the URL can see them, which the owner of
// the tables can.
func (s *Store) Check(ctx context.Context) ([]string, error) {
	x := check{store: s, seed: maphash.MakeSeed(), findings: []string{}, faulty: make(map[string]int)}
	if err := x.tables(ctx); err != nil {
		return nil, err
	}
	owners, err := s.Owners(ctx)
	if err != nil {
		return nil, err
	}
	for _, owner := range owners {
		if err := x.rows(ctx, owner); err != nil {
			return nil, err
		}
	}
	if err := x.orphans(ctx); err != nil {
		return nil, err
	}
	onTheWay, err := s.Arriving(ctx)
	if err != nil {
		return nil, err
	}
	for _, owner := range onTheWay {
		x.report("owner %s has not arrived wholly from another store: run satchel store move again, or abandon that move", owner)
	}
	for _, t := range tables() {
		if more := x.faulty[t.Name] - mostFindings; more > 0 {
			x.report("table %s: and %d more rows", t.Name, more)
		}
	}
	return x.findings, nil
}

// mostFindings is how many rows of a table are named.
const mostFindings = 20

// check is what a check has found.
type check struct {
	store    *Store
	findings []string
	seed     maphash.Seed
	faulty   map[string]int // by table: its rows that something is wrong with
}

func (x *check) report(format string, args ...any) {
	x.findings = append(x.findings, fmt.Sprintf(format, args...))
}

// tables looks at the tables and at the rights of the programs.
func (x *check) tables(ctx context.Context) error {
	s, err := x.store.reader(ctx, "")
	if err != nil {
		return err
	}
	defer s.tx.end()
	for _, look := range []func() ([]string, error){s.checkCatalogue, s.checkWall} {
		findings, err := look()
		if err != nil {
			return err
		}
		x.findings = append(x.findings, findings...)
	}
	return nil
}

// rows looks at all rows of an owner.
func (x *check) rows(ctx context.Context, did memory.DID) error {
	s, err := x.store.reader(ctx, did)
	if errors.Is(err, store.ErrArriving) {
		return nil // what there is of them is checked when they have arrived
	}
	if err != nil {
		return err
	}
	defer s.tx.end()
	if !s.owner.Known {
		x.report("owner %s: the owner's row was changed outside of satchel, so that nothing of the owner's is found", did)
		return nil
	}
	if err := s.tx.send(ctx, "check", statement{query: `SET LOCAL statement_timeout = 0`}); err != nil { // it takes as long as it takes
		return err
	}
	o := newOwnerCheck(x, s)
	for _, t := range tables() {
		if err := o.table(t); err != nil {
			return err
		}
	}
	o.sum()
	o.counters()
	return o.index()
}

// Unchecked lists the owners whose rows were sealed with a secret that is not at
// hand, so that Check does not find what was changed in them.
func (s *Store) Unchecked(ctx context.Context) ([]memory.DID, error) {
	type sealed struct {
		did    memory.DID
		secret []byte
	}
	owners, err := queryOwners(ctx, s, "check", `SELECT did, secret FROM owners ORDER BY enrolled, owner`, nil,
		func(rows pgx.Rows) (o sealed, err error) {
			err = rows.Scan(&o.did, &o.secret)
			return o, err
		})
	var dids []memory.DID
	for _, o := range owners {
		if strange(s.seals(o.did), o.secret) {
			dids = append(dids, o.did)
		}
	}
	return dids, err
}

// strange reports whether seals were made with a secret that is not at hand.
func strange(seals *stored.Sealer, secret []byte) bool {
	return !bytes.Equal(secret, seals.ID) && !bytes.Equal(secret, seals.Plain.ID)
}
