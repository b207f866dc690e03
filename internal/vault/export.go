package vault

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// ExportQuery selects the records to export. The destination is the owner unless ToPeer
// or PublicOnly says otherwise.
type ExportQuery struct {
	ToPeer     bool        // somebody else: private records and limited retention stay behind
	PublicOnly bool        // only what anyone may read
	Verbatim   bool        // the format carries whole signed records: also those of other owners
	IDs        []memory.ID // only these; one that must not leave is a consent_violation
	Projects   []string    // none: every project
	Kinds      []memory.Kind
	Since      time.Time // created at or after this instant
}

// ExportReport counts the exported and omitted records, with reasons.
type ExportReport struct {
	Written int
	Omitted map[string]int // reason -> records
	Losses  []codec.Loss   // foreign records in an edition that is not emitted here, each
}

// Export passes the owner's records to yield, in the order of their creation, in the
// form for a file: redacted, and without records that must not leave. All come from one
// snapshot.
func (v *Vault) Export(ctx context.Context, c memory.Caller, q ExportQuery, yield func(memory.Record) error) (ExportReport, error) {
	const op = "export"
	report := ExportReport{Omitted: map[string]int{}}
	verb := memory.ExportVerb
	if q.PublicOnly {
		verb = memory.ReadVerb
	}
	if err := v.may(op, c, verb); err != nil {
		return report, err
	}
	q.ToPeer = q.ToPeer || !c.Speaks()
	x := export{vault: v, query: q, yield: yield, report: &report}
	if err := v.noteExport(ctx, c, q, "begun", 0); err != nil {
		return report, v.refusal(c, op, "", err)
	}
	err := v.store.View(ctx, c.Owner, func(r store.Reader) (err error) {
		if x.gate, err = v.gate(r, c); err != nil {
			return err
		}
		x.gate.verbatim = q.Verbatim
		if x.gate.edition, err = EditionOf(r); err != nil {
			return err
		}
		if len(q.IDs) > 0 {
			return x.named(r)
		}
		return x.all(ctx, r)
	})
	if noted := v.noteExport(context.WithoutCancel(ctx), c, q, "done", report.Written); err == nil {
		err = noted
	}
	if e, ok := errors.AsType[*YieldError](err); ok {
		return report, e.Err // the reader of the export failed, not the vault
	}
	return report, v.refusal(c, op, "", err)
}

// noteExport puts an export for somebody else into the audit log.
func (j *journal) noteExport(ctx context.Context, c memory.Caller, q ExportQuery, how string, n int) error {
	switch {
	case !q.ToPeer && c.Speaks(), j.readOnly && c.Speaks():
		return nil
	case c.Role == memory.Stranger:
		j.tally.add(c, audit.Entry{Act: audit.Export, Reason: how, Count: n})
		return nil
	}
	return j.store.Update(ctx, c.Owner, func(w store.Writer) error {
		return j.note(w, c, audit.Entry{Act: audit.Export, Reason: how, Count: n})
	})
}

// YieldError carries a failure of the receiver past the vault's own refusals.
type YieldError struct{ Err error }

// Error returns the receiver's message.
func (e *YieldError) Error() string { return e.Err.Error() }

// export is one export in progress.
type export struct {
	vault  *Vault
	gate   Gate
	query  ExportQuery
	yield  func(memory.Record) error
	report *ExportReport

	altered map[int64]bool // rows of the page at hand that were changed behind our back
}

// exportPage is how many rows are held at once.
const exportPage = 500

func (x *export) all(ctx context.Context, r store.Reader) error {
	f := store.Filter{Kinds: x.query.Kinds, Since: x.query.Since}
	n, err := projectNames(r)
	if err != nil {
		return err
	}
	for _, p := range x.query.Projects {
		f.Projects = append(f.Projects, n.spellings(p)...)
	}
	return EachPage(ctx, r, f, func(rows []store.Row) error {
		if x.altered, err = x.vault.alteredOf(r, rows); err != nil {
			return err
		}
		records, damage := x.vault.checkedAll(rows, x.gate.Caller.Owner)
		for i, row := range rows {
			if _, err := x.one(row, records[i], damage[i]); err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
		}
		return nil
	})
}

// EachPage passes the rows that a filter selects to do, page by page, in the order of
// their creation.
func EachPage(ctx context.Context, r store.Reader, f store.Filter, do func([]store.Row) error) error {
	for after := (store.Cursor{}); ; {
		rows, err := r.Rows(f, after, exportPage)
		if err == nil {
			err = do(rows)
		}
		if err = errors.Join(err, ctx.Err()); err != nil || len(rows) < exportPage {
			return err
		}
		last := rows[len(rows)-1]
		after = store.Cursor{Created: last.Columns.Created, Number: last.Number}
	}
}

// named exports single records; one that must not leave refuses the export.
func (x *export) named(r store.Reader) error {
	for _, id := range x.query.IDs {
		row, err := r.Row(id)
		if err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
		if x.altered, err = x.vault.alteredOf(r, []store.Row{row}); err != nil {
			return err
		}
		rec, damage := x.vault.checked(row, x.gate.Caller.Owner)
		why, err := x.one(row, rec, damage)
		if err != nil {
			return err
		}
		if why != "" {
			return &memory.Error{Kind: memory.ConsentViolation, Op: "export", ID: id, Rule: "UMP-2.7-6",
				Message: "this record must not leave: " + why}
		}
	}
	return nil
}

// one exports the record of a row unless it is damaged, and says why it is left out.
func (x *export) one(row store.Row, rec memory.Record, damage error) (string, error) {
	if damage != nil || x.altered[row.Number] {
		x.report.Omitted["damaged"]++
		return "damaged", nil
	}
	sees, err := x.gate.Sees(rec)
	if err != nil {
		return "", err
	}
	if !sees {
		return "", store.ErrNotFound
	}
	if x.query.PublicOnly && rec.Scope.Visibility != memory.Public {
		x.report.Omitted["not public"]++
		return "not public", nil
	}
	out, why, err := x.gate.Export(rec, x.query.ToPeer)
	if err != nil {
		return "", err
	}
	if why != "" {
		x.report.Omitted[why]++
		if why == earlierEdition {
			x.report.Losses = append(x.report.Losses, codec.Loss{ID: rec.ID, Pointer: "/ump", Reason: why})
		}
		return why, nil
	}
	if err := x.yield(out); err != nil {
		return "", &YieldError{err}
	}
	x.report.Written++
	return "", nil
}
