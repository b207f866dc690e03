package sqlite

import (
	"database/sql"
	"errors"
	"slices"

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
var (
	auditTable       = newTable("audit")
	auditHashesTable = newTable("audit_hashes")
	auditHeadsTable  = newTable("audit_heads")
)

// AuditSize returns the owner's counters.
func (s *session) AuditSize() (entries, hashes int64, err error) {
	return s.owner.entries, s.owner.hashes, s.ready()
}

// AuditEntries reads the log up to a missing entry.
func (s *session) AuditEntries(from int64, max int) ([][]byte, error) {
	if max <= 0 {
		return nil, s.ready()
	}
	var entries [][]byte
	err := s.each(selectEntries, []any{s.owner.number, from, max}, func(rows *sql.Rows) error {
		var place int64
		var entry []byte
		err := rows.Scan(&place, &entry)
		if place == from+int64(len(entries)) {
			entries = append(entries, entry)
		}
		return err
	})
	return entries, err
}

const selectEntries = `SELECT place, entry FROM audit WHERE owner = ? AND place >= ? ORDER BY place LIMIT ?`

// AuditHashes looks hashes up, in one statement for many of them.
func (s *session) AuditHashes(places []int64) ([][]byte, error) {
	found := make(map[int64][]byte, len(places))
	for chunk := range slices.Chunk(places, hashesSize) {
		args := make([]any, 0, 1+hashesSize)
		for args = append(args, s.owner.number); len(args) <= hashesSize; {
			args = append(args, chunk[min(len(args), len(chunk))-1])
		}
		err := s.each(selectHashes, args, func(rows *sql.Rows) error {
			var place int64
			var hash []byte
			err := rows.Scan(&place, &hash)
			found[place] = hash
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	hashes := make([][]byte, len(places))
	for i, place := range places {
		hash, ok := found[place]
		if !ok {
			return nil, store.ErrNotFound
		}
		hashes[i] = hash
	}
	return hashes, s.ready()
}

// hashesSize is how many hashes one statement fetches: a proof takes about as
// many as the number of entries has bits.
const hashesSize = 32

var selectHashes = `SELECT place, hash FROM audit_hashes WHERE owner = ? AND place IN ` + marks(hashesSize)

// AuditHead returns the signed head.
func (s *session) AuditHead() ([]byte, error) {
	var head []byte
	err := s.first(`SELECT head FROM audit_heads WHERE owner = ?`, []any{s.owner.number}, &head)
	if err == store.ErrNotFound {
		return nil, nil // there is none yet
	}
	return head, err
}

// AppendAudit appends to both lists.
func (w *writer) AppendAudit(entries, hashes [][]byte) error {
	if err := w.enrol(); err != nil {
		return err
	}
	return errors.Join(
		w.appendList(auditTable, &w.owner.entries, entries),
		w.appendList(auditHashesTable, &w.owner.hashes, hashes))
}

func (w *writer) appendList(t table, size *int64, list [][]byte) error {
	start := *size
	*size += int64(len(list))
	return w.put(t, len(list), func(i int, values []any) []any {
		return append(values, start+int64(i), notNil(list[i]))
	})
}

// notNil makes a value of what may be nothing.
func notNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// SetAuditHead replaces the signed head.
func (w *writer) SetAuditHead(head []byte) error {
	if err := w.enrol(); err != nil {
		return err
	}
	return w.set(auditHeadsTable, notNil(head))
}
