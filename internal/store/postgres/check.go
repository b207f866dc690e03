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

// Check looks at the tables and at the rights on them. Then it looks at the rows of
// one owner after the other, each in a snapshot of its own. It checks that every row
// is as it was written, that the tables agree, and that the index holds the terms the
// records list. It counts rows of owners whose row in table owners is missing where
// the user of the URL can see them; the owner of the tables can.
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

// mostFindings is how many rows of a table a check names.
const mostFindings = 20

// check holds the findings of a check.
type check struct {
	store    *Store
	findings []string
	seed     maphash.Seed
	faulty   map[string]int // by table: the number of its faulty rows
}

func (x *check) report(format string, args ...any) {
	x.findings = append(x.findings, fmt.Sprintf(format, args...))
}

// tables checks the tables and the rights of the programs.
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

// rows checks all rows of an owner.
func (x *check) rows(ctx context.Context, did memory.DID) error {
	s, err := x.store.reader(ctx, did)
	if errors.Is(err, store.ErrArriving) {
		return nil // its rows are checked after they have arrived
	}
	if err != nil {
		return err
	}
	defer s.tx.end()
	if !s.owner.Known {
		x.report("owner %s: the owner's row was changed outside of satchel, so that nothing of the owner's is found", did)
		return nil
	}
	if err := s.tx.send(ctx, "check", statement{query: `SET LOCAL statement_timeout = 0`}); err != nil { // a check has no time limit
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
// hand. Check cannot find changes in their rows.
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
