package vault

import (
	"bytes"
	"encoding/json"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// Decoded reads a row and does not verify it; see [Vault.record].
func Decoded(row store.Row) (memory.Record, error) {
	form := row.Current
	if form == nil {
		form = row.Origin
	}
	rec, err := ump.Decode(form, codec.Options{})
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

// ownerOf returns whose record a row holds, and "" of a damaged one. It reads no further
// than to the owner.
func ownerOf(row store.Row) memory.DID {
	form := row.Current
	if form == nil {
		form = row.Origin
	}
	d := json.NewDecoder(bytes.NewReader(form))
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

// ReworkedRow lays out a record that has changed: the columns that only the store
// knows are kept from the row it replaces.
func ReworkedRow(old store.Row, rec memory.Record) store.Row {
	r := row(rec, old.Columns.Lineage)
	r.Number = old.Number
	r.Columns.Import, r.Columns.Staged = old.Columns.Import, old.Columns.Staged
	if r.Columns.Status == memory.Tombstoned {
		r.Columns.Duplicate = old.Columns.Duplicate // an import recognises what was forgotten
	}
	return r
}

// LinksOf lists what a record points to.
func LinksOf(rec memory.Record) store.Links {
	return store.Links{Relations: rec.Relations, Supersedes: rec.Supersedes}
}

// Document is what is indexed for a record. It stays as long as the text does, so
// that the owner can look for what was forgotten.
func Document(rec memory.Record) store.Document { return StoredDocument(recall.NewDocument(rec)) }

// StoredDocument lays out what recall indexes for the store.
func StoredDocument(d recall.Document) store.Document {
	terms, order := make(map[string]int, len(d.Terms)), make([]string, len(d.Terms))
	for i, t := range d.Terms {
		terms[t.Term], order[i] = t.Frequency, t.Term
	}
	return store.Document{Terms: terms, Length: d.Length, Version: recall.Version, Order: order}
}

// Instant cuts a clock reading to whole milliseconds in UTC, the resolution at
// which the engine dates records.
func Instant(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }
