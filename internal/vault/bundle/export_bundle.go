package bundle

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// bundleExport is the export of one brain. It first decides what to export, in at most
// 32 bytes for each record, and reads the snapshot again at every walk.
type bundleExport struct {
	*Service
	ctx    context.Context
	rows   store.Reader
	gate   vault.Gate
	query  aimem.Export
	mapper aimem.Mapper
	report aimem.ExportReport
	model  model // the model whose vectors are exported; zero: none

	live     departures // the records to export as chunks
	spelled  marks      // births of records whose name only the record spells
	cut      marks      // births of redacted records
	entities marks      // URNs of the attached entities to export

	// Rows by their place in the snapshot.
	living     bits // rows exported as chunks
	former     bits // closed rows carried beside them
	relating   bits // live ones with relations to records, or of several chunks
	mentioning bits // live ones with relations to entities
	linked     bits // of those relating, the ones with an edge that stands nowhere else
	naming     bits // likewise of those mentioning

	named recent[memory.ID, aimem.URN] // names that records alone spell
	known recent[string, string]       // names of attached entities, by their URN
}

var _ aimem.Carrier = (*bundleExport)(nil)

// standing is the decision about a record.
type standing int

const (
	aside standing = iota // the caller may not know of it, or did not ask for it
	stays                 // it must not leave
	ended                 // it was true once
	leaves
)

// maxInBundle is the largest chunk that every reader of ours accepts.
const maxInBundle = 4 << 20

// maxNaming is how much its exported name may lengthen a chunk.
const maxNaming = 1 << 10

// newExport decides what to export.
func (s *Service) newExport(ctx context.Context, r store.Reader, c memory.Caller, q aimem.Export) (*bundleExport, error) {
	x := &bundleExport{
		Service: s, ctx: ctx, rows: r, query: q,
		mapper: aimem.Mapper{Forms: ump.Forms(), Owner: c.Owner, Namespace: aimem.Namespace(s.kernel.Producer()), OriginIDs: q.OriginIDs},
		report: aimem.ExportReport{Omitted: map[string]int{}},
		named:  recent[memory.ID, aimem.URN]{}, known: recent[string, string]{},
	}
	var err error
	if x.gate, err = s.kernel.Gate(r, c); err != nil {
		return nil, err
	}
	x.gate.Now = vault.Instant(x.gate.Now)
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
	return x, x.settleEdges()
}

// looked is what look found about a row.
type looked struct {
	rec   memory.Record // as stored
	err   error         // why it is not served
	shape shape
}

// shape describes the chunks that a record makes.
type shape struct {
	chunks   int // 0: it makes none
	tooLarge bool
}

// settleRecords reads all records once and decides about each.
func (x *bundleExport) settleRecords() error {
	var parts marks
	err := x.eachPage(func(before int, rows []store.Row) error {
		altered, err := x.kernel.AlteredOf(x.rows, rows)
		if err != nil {
			return err
		}
		all := make([]looked, len(rows))
		const together = 64
		atOnce((len(rows)+together-1)/together, func(n int) {
			from, to := n*together, min((n+1)*together, len(rows))
			x.look(rows[from:to], all[from:to])
		})
		for i, row := range rows {
			if altered[row.Number] {
				all[i].err = vault.Altered(row)
			}
			if err := x.settle(before+i, row, &all[i], &parts); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	x.live.settle()
	x.spelled.settle()
	x.cut.settle()
	return x.settleNames(&parts)
}

// look reads and verifies rows, and determines the shapes of their unredacted chunks. It
// may run for several groups of rows at once.
func (x *bundleExport) look(rows []store.Row, found []looked) {
	records, damage := x.kernel.CheckedAll(rows, x.gate.Caller.Owner)
	for i, rec := range records {
		found[i] = looked{rec: rec, err: damage[i]}
		if damage[i] == nil && !redacts(rec) && !x.isClosed(rec) && rec.Lifecycle.Status.Or() == memory.Active {
			found[i].shape = x.shape(rec)
		}
	}
}

func redacts(rec memory.Record) bool { return rec.Consent != nil && len(rec.Consent.Redact) > 0 }

func (x *bundleExport) shape(rec memory.Record) shape {
	chunks, _, err := x.mapper.Chunks(rec, x.mapper.URN(rec.ID), nil)
	if err != nil {
		return shape{}
	}
	s := shape{chunks: len(chunks)}
	for _, c := range chunks {
		if len(rec.Form()) > maxInBundle/4 && len(c.Value.AppendCanonical(nil)) > maxInBundle-maxNaming {
			s.tooLarge = true
		}
	}
	return s
}

// settle decides about one row.
func (x *bundleExport) settle(at int, row store.Row, j *looked, parts *marks) error {
	rec, how, why, err := x.judge(j)
	if err != nil {
		return err
	}
	if how == leaves {
		if j.shape.chunks == 0 {
			j.shape = x.shape(rec)
		}
		how, why = fits(j.shape)
	}
	switch how {
	case stays:
		x.report.Omitted[why]++
	case ended:
		x.former.add(at)
	case leaves:
		return x.leave(at, row, rec, j.shape.chunks, parts)
	}
	return nil
}

// fits decides whether a record that may leave can be a chunk.
func fits(s shape) (standing, string) {
	switch {
	case s.chunks == 0:
		return stays, "cannot be a chunk"
	case s.tooLarge:
		return stays, "too large for a chunk"
	}
	return leaves, ""
}

// leave notes that a record is exported as a number of chunks, the names that it claims,
// and the targets of its relations.
func (x *bundleExport) leave(at int, row store.Row, rec memory.Record, chunks int, parts *marks) error {
	name, err := x.claim(row, rec)
	if err != nil {
		return err
	}
	x.living.add(at)
	x.departs(rec.ID, name)
	relates, mentions := len(rec.Supersedes) > 0 || chunks > 1, false
	for _, r := range rec.Relations {
		relates = relates || vault.IsRecord(r.Target)
		mentions = mentions || !vault.IsRecord(r.Target)
	}
	if relates {
		x.relating.add(at)
	}
	if mentions {
		x.mentioning.add(at)
	}
	if chunks == 1 {
		return nil
	}
	all, _, err := x.mapper.Chunks(rec, name, nil)
	for _, c := range all[min(1, len(all)):] {
		key, _ := x.pack(c.ID)
		parts.list = append(parts.list, key)
	}
	return err
}

// born is the URN of a record that was created here.
func (x *bundleExport) born(id memory.ID) string { return string(x.mapper.URN(id)) }

// judge passes a record through the gate and returns it in its exported form.
func (x *bundleExport) judge(j *looked) (memory.Record, standing, string, error) {
	rec := j.rec
	if j.err != nil {
		return rec, stays, "damaged", nil
	}
	if sees, err := x.gate.Sees(rec); !sees || err != nil {
		return rec, aside, "", err
	}
	out, why, err := x.gate.Export(rec, x.query.ToPeer)
	switch {
	case err != nil:
		return rec, aside, "", err
	case why != "":
		return rec, stays, why, nil
	case x.isClosed(rec) && !x.query.History:
		return rec, stays, "replaced or ended", nil
	}
	if redacts(rec) {
		x.cut.add(x.born(rec.ID)) // its attachments may still say it
	}
	return x.inScope(out)
}

// inScope decides about a record that may be exported.
func (x *bundleExport) inScope(rec memory.Record) (memory.Record, standing, string, error) {
	if x.query.Scope != aimem.Full {
		chunk := x.mapper.StoredChunk(rec)
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
func (x *bundleExport) isClosed(rec memory.Record) bool {
	to := rec.Time.ValidTo
	return len(rec.SupersededBy) > 0 || !to.IsZero() && !x.gate.Now.Before(to)
}

// redacted returns a row that was judged before, in its exported form.
func (x *bundleExport) redacted(row store.Row) (memory.Record, error) {
	rec, err := vault.Decoded(row)
	if err == nil && redacts(rec) {
		rec, err = ump.Redact(rec, x.kernel.Holder(rec.Scope.Owner))
	}
	if err != nil {
		return rec, err
	}
	return x.withoutVector(rec)
}

// withoutVector removes the embedding from a record's residue, unless embeddings may be
// exported. A record from a UMP document made of a bundle has one.
func (x *bundleExport) withoutVector(rec memory.Record) (memory.Record, error) {
	if x.query.Embeddings || !bytes.Contains(rec.Body.Structured, []byte(`"embedding"`)) {
		return rec, nil
	}
	residue, ok := codec.Residue(rec, aimem.Name)
	if !ok || !residue.Has("embedding") {
		return rec, nil
	}
	return ump.Amend(codec.WithResidue(rec, aimem.Name, residue.Without("embedding")), x.kernel.Holder(rec.Scope.Owner))
}

// ancestry returns the ids of a record and its ancestors, as far as they are here.
func (x *bundleExport) ancestry(rec memory.Record) ([]memory.ID, error) {
	ids := []memory.ID{rec.ID}
	for next := rec.Supersedes; len(next) > 0 && len(ids) < maxAncestry; {
		id := next[0]
		next = next[1:]
		if slices.Contains(ids, id) {
			continue
		}
		row, err := x.rows.Row(id)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
		if prior, err := vault.Decoded(row); err == nil {
			next = append(slices.Clone(next), prior.Supersedes...)
		}
	}
	return ids, nil
}

// maxAncestry is the most versions of a record whose attachments are looked up.
const maxAncestry = 64
