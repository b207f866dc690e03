package replicate

import (
	"bytes"
	"errors"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// settle writes the present form of all touched records, and of those that depend on a form it
// wrote. It fails if that goes on for too long.
func (t *tx) settle() error {
	for n := 0; ; n++ {
		id, ok := t.touched.next()
		if !ok {
			return nil
		}
		if n > 16*vault.ChainLimit {
			return &memory.Error{Kind: memory.Internal, Op: "sync", Message: "versions name each other in too many ways"}
		}
		if err := t.settleOne(id); err != nil {
			return err
		}
	}
}

// settleOne writes the present form of a record, and its lineage.
func (t *tx) settleOne(id memory.ID) error {
	row, err := t.w.Row(id)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	rec, damage, err := t.kernel.Read(t.w, row)
	if err != nil || damage != nil {
		return err
	}
	lineage, err := t.lineageOf(row, rec)
	if err != nil {
		return err
	}
	if len(rec.Supersedes) > 0 {
		t.forked.add(lineage)
	}
	was := row
	row.Columns.Lineage = lineage
	if row.Origin == nil {
		err = t.settleShell(was, row, rec)
	} else {
		err = t.settleRow(was, row)
	}
	if err != nil || lineage == was.Columns.Lineage {
		return err
	}
	users, err := t.w.Relating(string(id))
	t.touched.add(users...)
	return err
}

// noteForks stores the memories with several current versions, for their owner to decide. It
// returns how many were not stored before.
func (t *tx) noteForks() (added int, err error) {
	for lineage, ok := t.forked.next(); ok; lineage, ok = t.forked.next() {
		apart, err := vault.VersionsApart(t.kernel, t.w, lineage, time.Time{})
		if err != nil {
			return added, err
		}
		_, err = t.w.Attached(vault.ForkSpace, string(lineage), 0)
		switch known := err == nil; {
		case err != nil && !errors.Is(err, store.ErrNotFound):
			return added, err
		case len(apart) > 0 && !known:
			added++
			err = store.PutAttachment(t.w, store.Attachment{Space: vault.ForkSpace, Key: string(lineage)})
		case known && len(apart) == 0:
			err = t.w.Detach(vault.ForkSpace, string(lineage))
		default:
			err = nil
		}
		if err != nil {
			return added, err
		}
	}
	return added, nil
}

// lineageOf returns the first version of a record's memory: the lineage of the first superseded
// record that this machine has, else the lineage that the row has.
func (t *tx) lineageOf(row store.Row, rec memory.Record) (memory.ID, error) {
	for _, id := range rec.Supersedes {
		if id == row.ID {
			continue
		}
		prior, err := t.w.Row(id)
		if errors.Is(err, store.ErrNotFound) || err == nil && vault.OfAnother(prior, rec) {
			continue
		}
		return prior.Columns.Lineage, err
	}
	if len(rec.Supersedes) == 0 {
		return row.ID, nil
	}
	return row.Columns.Lineage, nil
}

func (t *tx) settleRow(was, row store.Row) error {
	born, err := authored(row)
	if err != nil {
		return nil //nolint:nilerr // doctor reports it
	}
	f, err := t.factsOf(row.ID)
	if err != nil {
		return err
	}
	a, err := t.relatedTo(row, born)
	if err != nil {
		return err
	}
	is, err := t.present(row, f, a)
	if memory.KindOf(err) == memory.InvalidRecord {
		return nil // the record is too large to change
	}
	if err != nil {
		return err
	}
	return t.replace(was, row, is)
}

// replace writes a row and its record, unless was holds the same.
func (t *tx) replace(was, row store.Row, rec memory.Record) error {
	if bytes.Equal(was.Current, rec.Current) && was.Columns.Lineage == row.Columns.Lineage && was.Columns.Import == row.Columns.Import && bytes.Equal(was.Origin, row.Origin) {
		return nil
	}
	next := vault.ReworkedRow(row, rec)
	if row.Columns.Duplicate == "" {
		next.Columns.Duplicate = ""
	}
	if rec.Origin == nil {
		next.Columns.Expires, next.Columns.Duplicate = time.Time{}, ""
	}
	return t.w.Replace(next, vault.LinksOf(rec))
}

// settleShell adds the successors of an emptied record to its shell, and the end of its validity.
func (t *tx) settleShell(was, row store.Row, rec memory.Record) error {
	a, err := t.relatedTo(row, rec)
	if err != nil {
		return err
	}
	next := rec
	var by []memory.ID
	for _, one := range a.successors {
		by = append(by, one.ID)
		next.Time = vault.Until(next.Time, one.Time)
	}
	next.SupersededBy = slices.Clone(vault.Union(next.SupersededBy, by))
	slices.Sort(next.SupersededBy)
	if slices.Equal(next.SupersededBy, rec.SupersededBy) && next.Time.ValidTo.Equal(rec.Time.ValidTo) {
		return t.replace(was, row, rec)
	}
	signed, err := t.signedShell(next)
	if err != nil {
		return err
	}
	return t.replace(was, row, signed)
}

func (t *tx) signedShell(rec memory.Record) (memory.Record, error) {
	rec.Origin, rec.Current, rec.Integrity = nil, nil, nil
	rec, err := ump.Present(rec, t.keyFor(rec))
	if err == nil {
		t.kernel.Vouch(rec)
	}
	return rec, err
}

// shellRecord reads a shell of another machine, and signs it. It fails with
// [replica.ErrMalformed] unless the shell is one of an emptied record with this id.
func (t *tx) shellRecord(id memory.ID, shell []byte) (memory.Record, error) {
	rec, err := ump.DecodeForm(shell, codec.Options{})
	if err != nil || rec.ID != id || rec.Body.Text != ump.ErasedExpired || len(rec.Body.Structured) > 0 || len(rec.Relations) > 0 {
		return rec, errors.Join(replica.ErrMalformed, err)
	}
	v, err := canon.Parse(shell, canon.Options{})
	if err != nil {
		return rec, errors.Join(replica.ErrMalformed, err)
	}
	rec, err = t.signedShell(rec)
	if err != nil {
		return rec, err
	}
	made, err := shellForm(rec.Current)
	if err == nil && !bytes.Equal(made, v.AppendCanonical(nil)) {
		err = replica.ErrMalformed
	}
	return rec, err
}
