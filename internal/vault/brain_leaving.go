package vault

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// leaving is a brain on its way out: what leaves is settled first, in at most 32
// bytes for each record, and read from the snapshot again at every walk.
type leaving struct {
	vault  *Vault
	ctx    context.Context
	rows   store.Reader
	gate   gate
	query  aimem.Export
	mapper aimem.Mapper
	report aimem.ExportReport
	model  model // whose vectors leave; zero: none

	// Records are named here by what their URN would be if they were born here.
	live     marks // those that leave as chunks
	former   marks // closed ones that leave beside them
	cut      marks // those from which something is redacted
	plain    marks // those that do not leave under the name they came with
	entities marks // URNs of the attached entities that leave

	linked, mentioning bool // some record that leaves has relations to records, to entities
}

var _ aimem.Carrier = (*leaving)(nil)

// standing is what becomes of a record.
type standing int

const (
	aside standing = iota // the caller does not know of it, or did not ask for it
	stays                 // it must not leave
	ended                 // it was true once
	leaves
)

// maxInBundle is how large a chunk is at most that every reader of ours takes.
const maxInBundle = 4 << 20

// leaving settles what leaves.
func (v *Vault) leaving(ctx context.Context, r store.Reader, c memory.Caller, q aimem.Export) (*leaving, error) {
	x := &leaving{
		vault: v, ctx: ctx, rows: r, query: q,
		mapper: aimem.Mapper{Forms: ump.Forms(), Owner: c.Owner, Producer: v.producer, OriginIDs: q.OriginIDs},
		report: aimem.ExportReport{Omitted: map[string]int{}},
	}
	var err error
	if x.gate, err = v.gate(r, c); err != nil {
		return nil, err
	}
	x.gate.now = instant(x.gate.now)
	if q.Embeddings {
		if err := mayHaveEmbeddings(r, c); err != nil {
			return nil, err
		}
	}
	if err := x.settleRecords(); err != nil {
		return nil, err
	}
	if err := x.settleEntities(); err != nil {
		return nil, err
	}
	if q.Embeddings {
		if err := x.settleModel(); err != nil {
			return nil, err
		}
	}
	return x, x.countEdges()
}

// settleRecords goes through all records once and decides about each.
func (x *leaving) settleRecords() error {
	var names, parts marks
	err := x.eachRow(func(row store.Row, altered bool) error {
		rec, how, why, err := x.judge(row, altered)
		if err != nil {
			return err
		}
		if how == leaves {
			how, why, err = x.fits(row, rec, &names, &parts)
		}
		switch how {
		case stays:
			x.report.Omitted[why]++
		case ended:
			x.former.add(x.born(row.ID))
		case leaves:
			x.live.add(x.born(row.ID))
		}
		return err
	})
	if err != nil {
		return err
	}
	x.live.settle()
	x.former.settle()
	x.cut.settle()
	x.plain.settle()
	return x.settleNames(&names, &parts)
}

// born is the URN of a record that was born here.
func (x *leaving) born(id memory.ID) string { return string(x.mapper.URN(id)) }

// eachRow hands on all rows of the snapshot, and whether each was changed behind
// our back.
func (x *leaving) eachRow(do func(row store.Row, altered bool) error) error {
	f := store.Filter{}
	if !x.query.Since.IsZero() {
		f.Since = x.query.Since.Truncate(time.Microsecond) // as exact as columns are
	}
	return eachPage(x.ctx, x.rows, f, func(rows []store.Row) error {
		altered, err := alteredOf(x.rows, rows)
		for _, row := range rows {
			if err != nil {
				return err
			}
			err = do(row, altered[row.Number])
		}
		return err
	})
}

// judge passes a row through the gate. It returns the record as it may leave.
func (x *leaving) judge(row store.Row, altered bool) (memory.Record, standing, string, error) {
	rec, err := x.vault.checked(row)
	if err != nil || altered {
		return rec, stays, "damaged", nil
	}
	if !x.gate.sees(rec) {
		return rec, aside, "", nil
	}
	out, why, err := x.gate.export(rec, x.query.ToPeer)
	switch {
	case err != nil:
		return rec, aside, "", err
	case why != "":
		return rec, stays, why, nil
	case x.isClosed(rec) && !x.query.History:
		return rec, stays, "replaced or ended", nil
	}
	if rec.Consent != nil && len(rec.Consent.Redact) > 0 {
		x.cut.add(x.born(rec.ID)) // what stands beside it may say it still
	}
	return x.inScope(out)
}

// inScope reports what becomes of a record that may leave.
func (x *leaving) inScope(rec memory.Record) (memory.Record, standing, string, error) {
	if x.query.Scope != aimem.Full {
		chunk := x.mapper.Standing(rec)
		if x.query.Scope == aimem.DNAOnly && !chunk.Protected() || chunk.Created.Before(x.query.Since) {
			return rec, aside, "", nil
		}
	}
	if x.isClosed(rec) {
		return rec, ended, "", nil
	}
	return rec, leaves, "", nil
}

// isClosed reports whether a record was true once, and is not now.
func (x *leaving) isClosed(rec memory.Record) bool {
	to := rec.Time.ValidTo
	return len(rec.SupersededBy) > 0 || !to.IsZero() && !x.gate.now.Before(to)
}

// fits decides whether a record that may leave can be a chunk, and notes the names
// it claims.
func (x *leaving) fits(row store.Row, rec memory.Record, names, parts *marks) (standing, string, error) {
	name, err := x.claim(row, rec)
	if err != nil {
		return aside, "", err
	}
	chunks, _, err := x.mapper.Chunks(rec, name, nil)
	if err != nil || len(chunks) == 0 {
		return stays, "cannot be a chunk", nil
	}
	for _, c := range chunks {
		if len(rec.Form()) > maxInBundle/4 && len(c.Value.AppendCanonical(nil)) > maxInBundle {
			return stays, "too large for a chunk", nil
		}
	}
	if string(name) != x.born(rec.ID) {
		names.add(string(name))
	}
	for _, c := range chunks[1:] {
		parts.add(string(c.ID))
	}
	for _, r := range rec.Relations {
		x.linked = x.linked || isRecord(r.Target)
		x.mentioning = x.mentioning || !isRecord(r.Target)
	}
	x.linked = x.linked || len(rec.Supersedes) > 0 || len(chunks) > 1
	return leaves, "", nil
}

// redacted returns a row that was judged before, as it leaves.
func (x *leaving) redacted(row store.Row) (memory.Record, error) {
	rec, err := decoded(row)
	if err == nil && rec.Consent != nil && len(rec.Consent.Redact) > 0 {
		rec, err = ump.Redact(rec, x.vault.holder(rec.Scope.Owner))
	}
	if err != nil {
		return rec, err
	}
	return x.withoutVector(rec)
}

// withoutVector returns a record without the embedding in its residue, which one has
// that came in as a UMP document made of a bundle, unless embeddings may leave.
func (x *leaving) withoutVector(rec memory.Record) (memory.Record, error) {
	if x.query.Embeddings || !bytes.Contains(rec.Body.Structured, []byte(`"embedding"`)) {
		return rec, nil
	}
	residue, ok := codec.Residue(rec, bundled)
	if !ok || !residue.Has("embedding") {
		return rec, nil
	}
	return ump.Amend(codec.WithResidue(rec, bundled, residue.Without("embedding")), x.vault.holder(rec.Scope.Owner))
}

// eachLive hands on the records that leave as chunks.
func (x *leaving) eachLive(do func(memory.Record) error) error {
	return x.eachIn(&x.live, do)
}

func (x *leaving) eachIn(chosen *marks, do func(memory.Record) error) error {
	return x.eachRow(func(row store.Row, _ bool) error {
		if !chosen.has(x.born(row.ID)) {
			return nil
		}
		rec, err := x.redacted(row)
		if err != nil {
			return err
		}
		return do(rec)
	})
}

// ancestry returns the ids of a record and of those it goes back to, as far as they
// are here.
func (x *leaving) ancestry(rec memory.Record) ([]memory.ID, error) {
	ids := []memory.ID{rec.ID}
	for next := rec.Supersedes; len(next) > 0 && len(ids) < maxAncestry; {
		id := next[0]
		next = next[1:]
		row, err := x.rows.Row(id)
		if errors.Is(err, store.ErrNotFound) || slices.Contains(ids, id) {
			continue
		}
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
		if prior, err := decoded(row); err == nil {
			next = append(slices.Clone(next), prior.Supersedes...)
		}
	}
	return ids, nil
}

// maxAncestry is how many versions of a record are asked what stands beside them.
const maxAncestry = 64
