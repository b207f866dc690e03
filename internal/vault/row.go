package vault

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// Decoded reads a row and does not verify it; see [verifier.record].
func Decoded(row store.Row) (memory.Record, error) {
	return decodedBy(ump.DecodeForm, row)
}

// formOf returns the present form of a row's record.
func formOf(row store.Row) []byte {
	if row.Current != nil {
		return row.Current
	}
	return row.Origin
}

// decodedBy reads a row with one of the functions of package ump.
func decodedBy(decode func([]byte, codec.Options) (memory.Record, error), row store.Row) (memory.Record, error) {
	rec, err := decode(formOf(row), codec.Options{})
	return recordOf(row, rec, err)
}

// recordOf completes the record that was decoded from a row.
func recordOf(row store.Row, rec memory.Record, err error) (memory.Record, error) {
	if err == nil && rec.ID != row.ID {
		err = errors.New("the row holds another record than its id says")
	}
	if err != nil {
		return memory.Record{}, &memory.Error{
			Kind: memory.Internal, Op: "read", ID: row.ID, Err: err,
			Message: "the stored record is damaged; satchel doctor says more",
		}
	}
	rec.Origin, rec.Current = row.Origin, row.Current
	return rec, nil
}

// ownerOf returns the owner of a row's record, "" for a damaged row. It reads no further
// than the owner.
func ownerOf(row store.Row) memory.DID {
	d := json.NewDecoder(bytes.NewReader(formOf(row)))
	if !enter(d, "scope") || !enter(d, "owner") {
		return ""
	}
	owner, err := d.Token()
	text, ok := owner.(string)
	if err != nil || !ok {
		return ""
	}
	return memory.DID(text)
}

// enter reads an object up to the value of a member.
func enter(d *json.Decoder, member string) bool {
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return false
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return false
		}
		if name == member {
			return true
		}
		var passed json.RawMessage
		if d.Decode(&passed) != nil {
			return false
		}
	}
	return false
}

// row lays a record out for the store. lineage is the first record of its chain,
// empty when it begins one.
func row(rec memory.Record, lineage memory.ID) store.Row {
	return rowOf(rec, lineage, ump.DuplicateKey(rec))
}

// rowOf is row where the record's digest is known.
func rowOf(rec memory.Record, lineage memory.ID, duplicate string) store.Row {
	if lineage == "" {
		lineage = rec.ID
	}
	return store.Row{ID: rec.ID, Origin: rec.Origin, Current: rec.Current, Columns: columns(rec, lineage, duplicate)}
}

func columns(rec memory.Record, lineage memory.ID, duplicate string) store.Columns {
	c := store.Columns{
		Kind: rec.Kind, Status: rec.Lifecycle.Status.Or(), Visibility: rec.Scope.Visibility,
		Project: rec.Scope.Project, User: rec.Scope.User, Agent: rec.Scope.Agent, Session: rec.Scope.Session,
		Created: rec.Time.Created, From: rec.Time.From(), To: rec.Time.ValidTo,
		Duplicate: duplicate, Lineage: lineage,
	}
	if c.Visibility == "" {
		c.Visibility = memory.Private
	}
	if at, ok := ump.Expiry(rec); ok {
		c.Expires = at
	}
	return c
}

// ReworkedRow lays out a changed record. It keeps the columns that only the store knows
// from the row it replaces.
func ReworkedRow(old store.Row, rec memory.Record) store.Row {
	r := row(rec, old.Columns.Lineage)
	r.Number = old.Number
	r.Columns.Import, r.Columns.Staged = old.Columns.Import, old.Columns.Staged
	if r.Columns.Status == memory.Tombstoned {
		r.Columns.Duplicate = old.Columns.Duplicate // an import recognises a forgotten record
	}
	return r
}

// LinksOf lists what a record points to.
func LinksOf(rec memory.Record) store.Links {
	return store.Links{Relations: rec.Relations, Supersedes: rec.Supersedes}
}

// Document returns the index entry of a record. It stays as long as the text, so that
// the owner can search for forgotten records.
func Document(rec memory.Record) store.Document { return DocumentBy(new(recall.Indexer), rec) }

// DocumentBy is Document with the given indexer.
func DocumentBy(x *recall.Indexer, rec memory.Record) store.Document {
	d := x.Document(rec)
	terms, order := make(map[string]int, len(d.Terms)), make([]string, len(d.Terms))
	for i, t := range d.Terms {
		terms[t.Term], order[i] = t.Frequency, t.Term
	}
	return store.Document{Terms: terms, Length: d.Length, Version: recall.Version, Order: order, Digest: writeDigest(d.Digest, rec)}
}

// A digest in the store begins with what the vault wants to know of a record: a byte, 1 if
// the record is protected, and four of a check sum of its owner.
const digestHead = 1 + crc32.Size

func writeDigest(digest []byte, rec memory.Record) []byte {
	head := make([]byte, 1, digestHead+len(digest))
	if protected(rec) {
		head[0] = 1
	}
	return append(binary.BigEndian.AppendUint32(head, crc32.ChecksumIEEE([]byte(rec.Scope.Owner))), digest...)
}

// readDigest returns the digest of an owner's own record, and whether that is protected.
func readDigest(stored []byte, owner memory.DID) (digest []byte, protected, ok bool) {
	if len(stored) < digestHead || binary.BigEndian.Uint32(stored[1:]) != crc32.ChecksumIEEE([]byte(owner)) {
		return nil, false, false
	}
	return stored[digestHead:], stored[0] == 1, true
}

// Instant cuts a clock reading to whole milliseconds in UTC, the resolution at
// which the engine dates records.
func Instant(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// The owner alone determines the secret that seals the owner's rows, and nothing in the
// store does: anybody who can write the store could remove an account with its key. The
// keys of the home owner and of former home owners, in the home folder, seal their rows.
// The key of the store seals all other rows; it stays when the home owner changes keys.

// SealSecret returns the secret that seals the rows of an owner whose key is in the home
// folder, so that nobody without the key can change them unseen.
func SealSecret(k keys.Private) []byte { return k.Secret("satchel seals of rows") }

// SealSecretOf returns the secret that seals the rows of any other owner, made from the
// key of the store; nil without that key. An owner without a key, known by name only,
// has none: nobody is admitted as one.
func SealSecretOf(store keys.Private, owner memory.DID) []byte {
	if _, err := keys.Public(owner); err != nil {
		return nil
	}
	return store.Secret("satchel seals of rows of " + string(owner))
}

// StoreKey returns the key of a store whose first home owner has the given key, so that
// a recovery kit restores both.
func StoreKey(home keys.Private) (keys.Private, error) {
	return keys.FromSeed(home.Secret("satchel key of a store"))
}
