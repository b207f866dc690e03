package stored

import (
	"time"

	"github.com/satchel-memory/satchel/internal/store"
)

// Owner is an owner's row, as a transaction reads it when it begins and an Update
// writes it when it ends. The zero Owner stands for an owner who has none.
type Owner struct {
	Known        bool // there is a row
	DID          string
	Numbered     int64  // the last document number given
	Imported     int64  // the last import number given
	Attached     int64  // the last attachment number given
	Sequence     int64  // the last change number given
	Began        int64  // the change number after which the feed begins
	Entries      int64  // of the audit log
	Hashes       int64  // of the audit log
	Documents    int64  // that are indexed, staged ones included
	Length       int64  // the sum of their lengths
	Records      int64  // staged ones included
	Bytes        int64  // of origins and currents, of the data of attachments, and of the documents of agents and states
	Erased       int64  // how many Updates have let content leave
	Cleaned      int64  // how many of these the files have been cleaned of
	Added        int64  // when the operator let the owner in; the zero time: nobody did
	QuotaRecords int64  // how many records the owner may have; 0: any number
	QuotaBytes   int64  // how many bytes; 0: any number
	Revoked      []byte // which grants are revoked, see [RevokedDigest]
	Moved        string // how far the owner has gone over to another, see [store.Trust]
	Label        string // by which the operator knows the owner
	Account      []byte // the owner's key, sealed; nil: it is held elsewhere
	Total        Sum    // of the seals of the owner's rows in the other tables
	Secret       []byte // tells apart the secrets that seals are made with

	Seal    []byte  // of the row as it was read
	Heir    *Sealer // for an Update: whose seal the row gets; nil: it keeps that one
	Changed bool    // the Update has to write the row
	left    bool    // content has left in this Update, and that is counted
}

// Fields returns where the columns of the row are read into, in their order: pointers
// to a string, an int64, bytes or a [Sum], which reads bytes.
func (o *Owner) Fields() []any {
	return []any{&o.DID, &o.Numbered, &o.Imported, &o.Attached, &o.Sequence, &o.Began, &o.Entries, &o.Hashes, &o.Documents,
		&o.Length, &o.Records, &o.Bytes, &o.Erased, &o.Cleaned, &o.Added, &o.QuotaRecords, &o.QuotaBytes, &o.Revoked,
		&o.Moved, &o.Label, &o.Account, &o.Total, &o.Secret}
}

// Values returns the columns of the row, in their order.
func (o *Owner) Values() []any {
	return []any{o.DID, o.Numbered, o.Imported, o.Attached, o.Sequence, o.Began, o.Entries, o.Hashes, o.Documents,
		o.Length, o.Records, o.Bytes, o.Erased, o.Cleaned, o.Added, o.QuotaRecords, o.QuotaBytes, o.Revoked,
		o.Moved, o.Label, o.Account, o.Total.Bytes(), o.Secret}
}

// Read takes the columns of the row and its seal. What a column does not hold, as
// after a change outside of satchel, is left empty.
func (o *Owner) Read(values []any, seal []byte) {
	for i, into := range o.Fields() {
		switch into := into.(type) {
		case *string:
			*into, _ = values[i].(string)
		case *int64:
			*into, _ = values[i].(int64)
		case *[]byte:
			*into, _ = values[i].([]byte)
		case *Sum:
			b, _ := values[i].([]byte)
			*into = ParseSum(b)
		}
	}
	o.Known, o.Seal = true, seal
}

// Begin makes the row of an owner who has none.
func (o *Owner) Begin(did string, seals *Sealer) {
	o.DID, o.Heir, o.Secret, o.Revoked, o.Changed = did, seals, seals.ID, RevokedDigest(nil), true
	o.Added = Micros(time.Time{}) // nobody let the owner in
}

// Inherit finds out whose seal the row gets when an Update changes it.
func (o *Owner) Inherit(seals *Sealer) {
	if o.Known {
		o.Heir = seals.Heir(o.Secret, OwnersTable, o.Values(), o.Seal)
	}
}

// Finish returns the columns that an Update writes when it ends, and the seal.
func (o *Owner) Finish(seals *Sealer) (values []any, seal []byte) {
	if seals.Keyed {
		o.Secret = seals.ID
	}
	values = o.Values()
	if o.Heir != nil {
		o.Seal = o.Heir.Seal(OwnersTable, values)
	}
	return values, o.Seal
}

// Leave counts the Update among those that let content leave, once.
func (o *Owner) Leave() {
	if !o.left {
		o.Erased++
		o.left, o.Changed = true, true
	}
}

// Use counts records that came or went, and bytes.
func (o *Owner) Use(records, bytes int) {
	o.Records += int64(records)
	o.Bytes += int64(bytes)
	o.Changed = true
}

// Index counts a document that is indexed from now on, or no longer.
func (o *Owner) Index(documents, length int64) {
	o.Documents += documents
	o.Length += length
	o.Changed = true
}

// Gain adds the seal of a new row to the sum of all.
func (o *Owner) Gain(seal []byte) { o.Total, o.Changed = o.Total.Plus(seal), true }

// Lose takes the seal of a row that is deleted off the sum of all.
func (o *Owner) Lose(seal []byte) { o.Total, o.Changed = o.Total.Minus(seal), true }

// Reseal returns the seal of a row of a table that is about to change, and keeps the
// sum.
func (o *Owner) Reseal(seals *Sealer, table string, old TableRow, values []any) []byte {
	o.Changed = true
	heir := seals.Heir(o.Secret, table, old.Values, old.Seal)
	if heir == nil {
		return old.Seal
	}
	seal := heir.Seal(table, values)
	o.Total = o.Total.Minus(old.Seal).Plus(seal)
	return seal
}

// Empty resets what an owner has none of once everything is erased. The erasure takes
// a number of the change feed, so that Began tells each erasure apart. Empty returns
// the row of table changes that says so.
func (o *Owner) Empty() []any {
	o.Sequence++
	o.Began = o.Sequence
	o.Documents, o.Length, o.Records, o.Bytes = 0, 0, 0, 0
	o.Revoked, o.Changed = RevokedDigest(nil), true
	return []any{o.Began, int64(0), "emptied", "", int64(0), o.Numbered, o.Numbered, ""}
}

// account returns what the operator filed of the owner.
func (o *Owner) account() store.Account {
	if !o.Known {
		return store.Account{}
	}
	a := store.Account{Key: content(o.Account), Label: o.Label, Quota: store.Quota{Records: o.QuotaRecords, Bytes: o.QuotaBytes}}
	if at := Instant(o.Added); at.After(time.Time{}) {
		a.Added = at
	}
	return a
}

func (o *Owner) setAccount(a store.Account) {
	o.Account, o.Label, o.Added = content(a.Key), a.Label, Micros(a.Added)
	o.QuotaRecords, o.QuotaBytes, o.Changed = a.Quota.Records, a.Quota.Bytes, true
}
