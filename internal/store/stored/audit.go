package stored

import (
	"errors"

	"github.com/satchel-memory/satchel/internal/store"
)

// The audit log of each owner is three tables, two of which only grow.
//
//	audit         owner, place  key; places count from 0
//	              entry         what happened, as the log says it
//	audit_hashes  owner, place  the same
//	              hash          of the tree over the entries
//	audit_heads   owner         key
//	              head          signed
//
// How long the lists are stands in table owners.

// AuditSQL are a store's statements on the audit log.
type AuditSQL struct {
	// Entries selects place and entry from a place on, at most so many.
	Entries string
	// Head selects the head.
	Head string
	// Hashes passes the place and the hash of each of some places to scan.
	Hashes func(tx Tx, places []int64, scan func(Scanner) error) error
}

// Audit reads the audit log: a [store.Audit].
type Audit struct {
	tx  Tx
	sql *AuditSQL
}

// NewAudit returns the audit log of the owner of a transaction.
func NewAudit(tx Tx, sql *AuditSQL) Audit { return Audit{tx, sql} }

// AuditSize returns the owner's counters.
func (a Audit) AuditSize() (entries, hashes int64, err error) {
	o := a.tx.OwnerRow()
	return o.Entries, o.Hashes, a.tx.Ready()
}

// AuditEntries reads the log up to a missing entry.
func (a Audit) AuditEntries(from int64, max int) ([][]byte, error) {
	if max <= 0 {
		return nil, a.tx.Ready()
	}
	var entries [][]byte
	err := a.tx.Query(a.sql.Entries, []any{from, max}, func(row Scanner) error {
		var place int64
		var entry []byte
		err := row.Scan(&place, &entry)
		if place == from+int64(len(entries)) {
			entries = append(entries, entry)
		}
		return err
	})
	return entries, err
}

// AuditHashes looks hashes up, with few statements for many of them.
func (a Audit) AuditHashes(places []int64) ([][]byte, error) {
	hashes := make([][]byte, len(places))
	if len(places) == 0 {
		return hashes, a.tx.Ready()
	}
	found := make(map[int64][]byte, len(places))
	err := a.sql.Hashes(a.tx, places, func(row Scanner) error {
		var place int64
		var hash []byte
		err := row.Scan(&place, &hash)
		found[place] = hash
		return err
	})
	if err != nil {
		return nil, err
	}
	for i, place := range places {
		hash, ok := found[place]
		if !ok {
			return nil, store.ErrNotFound
		}
		hashes[i] = hash
	}
	return hashes, a.tx.Ready()
}

// AuditHead returns the signed head.
func (a Audit) AuditHead() ([]byte, error) {
	var head []byte
	err := First(a.tx, a.sql.Head, nil, &head)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil // there is no head yet
	}
	return head, err
}

// AuditKeeper is an audit log that an Update can append to: a [store.AuditKeeper].
type AuditKeeper struct {
	Audit
	tx WriteTx
}

// NewAuditKeeper returns the audit log of the owner of an Update.
func NewAuditKeeper(tx WriteTx, sql *AuditSQL) AuditKeeper { return AuditKeeper{Audit{tx, sql}, tx} }

// AppendAudit appends to both lists.
func (a AuditKeeper) AppendAudit(entries, hashes [][]byte) error {
	if err := a.tx.Enrol(); err != nil {
		return err
	}
	o := a.tx.OwnerRow()
	if err := a.grow("audit", &o.Entries, entries); err != nil {
		return err
	}
	return a.grow("audit_hashes", &o.Hashes, hashes)
}

func (a AuditKeeper) grow(table string, size *int64, list [][]byte) error {
	start := *size
	*size += int64(len(list))
	return a.tx.Put(table, len(list), func(i int, values []any) []any {
		return append(values, start+int64(i), some(list[i]))
	})
}

// SetAuditHead replaces the signed head.
func (a AuditKeeper) SetAuditHead(head []byte) error {
	if err := a.tx.Enrol(); err != nil {
		return err
	}
	return a.tx.Set("audit_heads", some(head))
}
