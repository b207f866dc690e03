package server

import (
	"bufio"
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/formats"
	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// downloads are the formats that can be downloaded as one file: those that write one, need
// no signature over the whole, and do not change a file of somebody else.
func downloads() (all []codec.Format) {
	for _, f := range formats.All() {
		if f.Create != nil && f.CreateIn == nil && !f.Amends && f.Name != aimem.Name && f.Name != engram.Name {
			all = append(all, f)
		}
	}
	return all
}

// ExportFormats lists the formats for downloads.
func (p ownerPages) ExportFormats() (all []pages.ExportFormat) {
	for _, f := range downloads() {
		ending, name := endingOf(f), "memory"
		if !strings.Contains(ending, f.Name) {
			name += "-" + f.Name
		}
		all = append(all, pages.ExportFormat{Name: f.Name, Title: f.Title, File: name + ending, Whole: f.Whole})
	}
	return all
}

// endingOf returns how the name of a file in a format ends.
func endingOf(f codec.Format) string {
	if len(f.Extensions) == 0 {
		return ".txt"
	}
	return f.Extensions[0]
}

// ExportPlan writes an export to nowhere, and says what became of it.
func (p ownerPages) ExportPlan(ctx context.Context, c memory.Caller, q pages.ExportQuery) (plan pages.ExportPlan, err error) {
	leave, ok := p.whole.take(ctx, c.Owner)
	if !ok {
		return plan, busy("export")
	}
	defer leave()
	report, lost, err := p.exportTo(ctx, c, q, io.Discard, func(rec memory.Record) {
		if len(rec.SupersededBy) > 0 || rec.Lifecycle.Status.Or() != memory.Active {
			plan.Earlier++
		}
	})
	plan.Written, plan.Lost = report.Written, lossesOf(lost)
	for _, reason := range slices.Sorted(maps.Keys(report.Omitted)) {
		plan.Omitted = append(plan.Omitted, pages.Reason{Text: reason, Count: report.Omitted[reason]})
	}
	return plan, err
}

// ExportTo writes an export.
func (p ownerPages) ExportTo(ctx context.Context, c memory.Caller, q pages.ExportQuery, w io.Writer) error {
	leave, ok := p.exports.take(ctx, c.Owner)
	if !ok {
		return busy("export")
	}
	defer leave()
	out := bufio.NewWriterSize(w, pieceSize)
	_, _, err := p.exportTo(ctx, c, q, out, func(memory.Record) {})
	if err == nil {
		err = out.Flush()
	}
	return err
}

// exportTo writes the records that may leave, as satchel export does, and calls each with each of them.
func (p ownerPages) exportTo(ctx context.Context, c memory.Caller, q pages.ExportQuery, w io.Writer, each func(memory.Record)) (report vault.ExportReport, lost []codec.Loss, err error) {
	all := downloads()
	at := slices.IndexFunc(all, func(f codec.Format) bool { return f.Name == q.Format })
	if at < 0 {
		return report, nil, &memory.Error{Kind: memory.NotFound, Op: "export", Message: "there is no such format"}
	}
	f, o := all[at], codec.Options{Now: time.Now, NDJSON: strings.HasSuffix(endingOf(all[at]), ".ndjson")}
	if c.Owner == p.operator {
		o.Producer = p.producer
	}
	if !f.Whole {
		o.Owner = c.Owner
	}
	doc, err := f.Create(w, o)
	if err != nil {
		return report, nil, err
	}
	ask := vault.ExportQuery{ToPeer: q.ToPeer, Verbatim: f.Name == ump.Format().Name}
	if q.Project != "" {
		ask.Projects = []string{q.Project}
	}
	report, err = p.Vault.Export(ctx, c, ask, func(rec memory.Record) error {
		each(rec)
		return doc.Write(rec)
	})
	err = errors.Join(err, doc.Close())
	return report, append(doc.Losses(), report.Losses...), err
}
