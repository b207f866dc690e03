package bundle

import (
	"errors"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Edges yields the edges between exported records: first the attached ones, as they
// came, then those that only relations give.
func (x *bundleExport) Edges(yield func(aimem.Edge) error) error {
	err := vault.EachBeside(x.rows, store.AttachmentFilter{Space: vault.EdgeSpace}, func(a store.Attachment) error {
		edge, ok, err := x.attachedEdge(a)
		if err != nil || !ok {
			return errors.Join(err, x.ctx.Err())
		}
		return yield(edge)
	})
	if err != nil {
		return err
	}
	return x.eachIn(&x.linked, func(rec memory.Record) error {
		edges, _, err := x.relationEdges(rec)
		for _, edge := range edges {
			if err == nil {
				err = yield(edge)
			}
		}
		return err
	})
}

// settleEdges counts the edges that are omitted because one end is, and determines which
// records have edges and links that only their relations give.
func (x *bundleExport) settleEdges() error {
	err := vault.EachBeside(x.rows, store.AttachmentFilter{Space: vault.EdgeSpace}, func(a store.Attachment) error {
		from, to, err := x.ends(a)
		if err == nil && (from == "" || to == "") {
			x.report.OmittedEdges++
		}
		return errors.Join(err, x.ctx.Err())
	})
	if err != nil || x.relating.n+x.mentioning.n == 0 {
		return err
	}
	return x.eachPage(func(before int, rows []store.Row) error {
		for i, row := range rows {
			if err := x.settleRelations(before+i, row); err != nil {
				return err
			}
		}
		return nil
	})
}

// settleRelations reads the relations of one record.
func (x *bundleExport) settleRelations(at int, row store.Row) error {
	relates, mentions := x.relating.has(at), x.mentioning.has(at)
	if !relates && !mentions {
		return nil
	}
	rec, err := x.redacted(row)
	if err != nil {
		return err
	}
	if relates {
		edges, omitted, err := x.relationEdges(rec)
		if err != nil {
			return err
		}
		x.report.OmittedEdges += omitted
		if len(edges) > 0 {
			x.linked.add(at)
		}
	}
	if mentions {
		_, links, err := x.mentions(rec)
		if err != nil {
			return err
		}
		if len(links) > 0 {
			x.naming.add(at)
		}
	}
	return nil
}

// ends returns the names of both ends of an attached edge; "" for an end that is not
// exported.
func (x *bundleExport) ends(a store.Attachment) (from, to aimem.URN, err error) {
	kind := edgeKind(a)
	source, err := x.heir(a.From, func(r memory.Relation) bool { return r.Target == string(a.To) && aimem.EdgeType(r.Type) == kind })
	if err != nil || source == "" {
		return "", "", err
	}
	if from, err = x.urn(source); err == nil {
		to, err = x.urn(a.To)
	}
	return from, to, err
}

// edgeKind is the type of an attached edge.
func edgeKind(a store.Attachment) string { return a.Key[strings.LastIndexByte(a.Key, 0)+1:] }

// attachedEdge returns an attached edge, or false when one of its ends is not exported.
func (x *bundleExport) attachedEdge(a store.Attachment) (aimem.Edge, bool, error) {
	from, to, err := x.ends(a)
	if err != nil || from == "" || to == "" {
		return aimem.Edge{}, false, err
	}
	v, err := canon.Parse(a.Data, canon.Options{})
	if err != nil {
		return aimem.Edge{}, false, err
	}
	v = aimem.RenameKind(v).With("source_id", canon.String(string(from))).With("target_id", canon.String(string(to)))
	return aimem.Edge{Source: from, Target: to, Type: edgeKind(a), Weight: v.Get("weight").Float(), CreatedAt: v.Get("created_at").Text(), Value: v}, true, nil
}

// heir returns the exported record that keeps the attachments of a record: itself, or a
// later version with the same relation; "" for none. A redacted record keeps only
// attachments that its relations still give.
func (x *bundleExport) heir(id memory.ID, says func(memory.Relation) bool) (memory.ID, error) {
	first := id
	for range maxAncestry {
		leaves := x.leaves(id)
		if leaves && id == first && !x.cut.has(x.born(id)) {
			return id, nil
		}
		row, err := x.rows.Row(id)
		if errors.Is(err, store.ErrNotFound) {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		rec, err := x.redacted(row)
		if err != nil {
			return "", nil // damaged: it has no heir
		}
		if leaves {
			return heirIf(id, rec, says), nil
		}
		if len(rec.SupersededBy) == 0 {
			return "", nil
		}
		id = rec.SupersededBy[0]
	}
	return "", nil
}

func heirIf(id memory.ID, rec memory.Record, says func(memory.Relation) bool) memory.ID {
	for _, r := range rec.Relations {
		if says(r) {
			return id
		}
	}
	return ""
}

// relationEdges returns the edges that only a record's relations give, and the number of
// others whose target is not exported.
func (x *bundleExport) relationEdges(rec memory.Record) ([]aimem.Edge, int, error) {
	if len(rec.Relations)+len(rec.Supersedes) == 0 && len(rec.Body.Text) <= aimem.MaxContent {
		return nil, 0, nil
	}
	chunks, err := x.heads(rec)
	if err != nil {
		return nil, 0, err
	}
	targets := map[aimem.URN]memory.ID{}
	omitted := 0
	all, err := x.mapper.Edges(rec, chunks, func(id memory.ID) (aimem.URN, error) {
		urn, err := x.urn(id)
		switch {
		case err != nil:
		case urn != "":
			targets[urn] = id
		case !slices.Contains(rec.Supersedes, id): // an earlier version is no loss
			omitted++
		}
		return urn, err
	})
	if err != nil || len(all) == 0 {
		return nil, omitted, err
	}
	beside, err := x.ancestry(rec)
	if err != nil {
		return nil, 0, err
	}
	var edges []aimem.Edge
	for _, edge := range all {
		attached, err := x.isAttached(beside, targets[edge.Target], edge.Type)
		if err != nil {
			return nil, 0, err
		}
		if !attached {
			edges = append(edges, edge)
		}
	}
	return edges, omitted, nil
}

// heads returns the chunks of a record with the members that edges need.
func (x *bundleExport) heads(rec memory.Record) ([]aimem.Chunk, error) {
	if len(rec.Body.Text) <= aimem.MaxContent {
		return []aimem.Chunk{{ID: x.name(rec)}}, nil
	}
	chunks, _, err := x.mapper.Chunks(rec, x.name(rec), nil)
	return chunks, err
}

// isAttached reports whether an edge is attached to a record or to one of its ancestors.
func (x *bundleExport) isAttached(sources []memory.ID, target memory.ID, kind string) (bool, error) {
	if target == "" {
		return false, nil // it joins two parts of one text
	}
	for _, source := range sources {
		_, err := x.rows.Attached(vault.EdgeSpace, edgeKey(source, target, kind), 0)
		if !errors.Is(err, store.ErrNotFound) {
			return err == nil, err
		}
	}
	return false, nil
}
