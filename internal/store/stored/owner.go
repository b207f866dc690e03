package stored

import (
	"time"

	"github.com/satchel-memory/satchel/internal/store"
)

// Owner is an owner's row. A transaction reads it at its beginning, and an Update writes it
// at its end. The zero Owner has no row.
type Owner struct {
	Known        bool // there is a row
	DID          string
	Numbered     int64  // the last used document number
	Imported     int64  // the last used import number
	Attached     int64  // the last used attachment number
	Sequence     int64  // the last used change number
	Began        int64  // the change number after which the feed begins
	Entries      int64  // of the audit log
	Hashes       int64  // of the audit log
	Documents    int64  // indexed ones, staged ones included
	Length       int64  // the sum of their lengths
	Records      int64  // staged ones included
	Bytes        int64  // of origins and currents, of the data of attachments, and of the documents of agents, states and events of runs
	Erased       int64  // how many Updates removed content
	Cleaned      int64  // how many of these the files were cleaned of
	Added        int64  // when the operator added the owner; the zero time: never
	QuotaRecords int64  // the limit of records; 0: none
	QuotaBytes   int64  // the limit of bytes; 0: none
	Revoked      []byte // which grants are revoked, see [RevokedDigest]
	Moved        string // how far the owner has moved, see [store.Trust]
	Label        string // the operator's name for the owner
	Account      []byte // the owner's key, sealed; nil: it is held elsewhere
	Total        Sum    // of the seals of the owner's rows in the other tables
	Secret       []byte // identifies the secret of the seals

	Seal    []byte  // of the row as it was read
	Heir    *Sealer // for an Update: makes the row's next seal; nil: the seal stays
	Changed bool    // the Update has to write the row
	// Recorded: the feed grew in the Update, so that Tell is due if it is filed.
	Recorded bool
	left     bool // this Update has counted its removal of content
}

// Fields returns pointers to the columns of the row, in their order: to a string, an int64,
// bytes or a [Sum], which reads bytes.
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

// Read sets the columns of the row and its seal. A column of a wrong type, as after a
// change outside of satchel, becomes empty.
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

// Begin makes a new owner's row.
func (o *Owner) Begin(did string, seals *Sealer) {
	o.DID, o.Heir, o.Secret, o.Revoked, o.Changed = did, seals, seals.ID, RevokedDigest(nil), true
	o.Added = Micros(time.Time{}) // no operator added the owner
}

// Inherit chooses the seal of the row for an Update that changes it.
func (o *Owner) Inherit(seals *Sealer) {
	if o.Known {
		o.Heir = seals.Heir(o.Secret, OwnersTable, o.Values(), o.Seal)
	}
}

// Finish returns the columns that an Update writes at its end, and the seal.
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

// Leave counts the Update among those that removed content, once.
func (o *Owner) Leave() {
	if !o.left {
		o.Erased++
		o.left, o.Changed = true, true
	}
}

// Use counts added or removed records and bytes.
func (o *Owner) Use(records, bytes int) {
	o.Records += int64(records)
	o.Bytes += int64(bytes)
	o.Changed = true
}

// Index counts a document that enters or leaves the index.
func (o *Owner) Index(documents, length int64) {
	o.Documents += documents
	o.Length += length
	o.Changed = true
}

// Gain adds the seal of a new row to the sum.
func (o *Owner) Gain(seal []byte) { o.Total, o.Changed = o.Total.Plus(seal), true }

// Lose subtracts the seal of a deleted row from the sum.
func (o *Owner) Lose(seal []byte) { o.Total, o.Changed = o.Total.minus(seal), true }

// Reseal returns the new seal of a changed row, and updates the sum.
func (o *Owner) Reseal(seals *Sealer, table string, old TableRow, values []any) []byte {
	o.Changed = true
	heir := seals.Heir(o.Secret, table, old.Values, old.Seal)
	if heir == nil {
		return old.Seal
	}
	seal := heir.Seal(table, values)
	o.Total = o.Total.minus(old.Seal).Plus(seal)
	return seal
}

// Empty resets the row after a complete erasure. The erasure takes a number of the change
// feed, so that Began identifies each erasure. Empty returns the row of table changes for
// it.
func (o *Owner) Empty() []any {
	o.Sequence++
	o.Began = o.Sequence
	o.Documents, o.Length, o.Records, o.Bytes = 0, 0, 0, 0
	o.Revoked, o.Changed = RevokedDigest(nil), true
	return []any{o.Began, int64(0), "emptied", "", int64(0), o.Numbered, o.Numbered, ""}
}

// account returns the owner's account.
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
