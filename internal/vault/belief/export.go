package belief

import (
	"context"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// ExportContext passes the result of [views.Context] to yield, for a document that the
// owner gives to somebody else. The audit log notes the export with its scope, and
// whether it has the history, which only the owner should have. Errors are those of
// Context and of yield.
func (s *Service) ExportContext(ctx context.Context, c memory.Caller, q engram.Query, yield func(engram.View) error) error {
	noted := func(ctx context.Context, how string, n int) error {
		if s.kernel.ReadOnly() {
			return nil
		}
		what := string(q.ScopeName())
		if q.History {
			what += "+residue"
		}
		return s.kernel.Refusal(c, "export", "", s.kernel.Store().Update(ctx, c.Owner, func(w store.Writer) error {
			return s.kernel.Note(w, c, audit.Entry{Act: audit.Export, Reason: how, Count: n, Format: engram.Name, Result: what})
		}))
	}
	if err := s.kernel.May("export", c, memory.ExportVerb); err != nil {
		return err
	}
	if err := noted(ctx, "begun", 0); err != nil {
		return err
	}
	written := 0
	view, err := s.Context(ctx, c, q)
	if err == nil {
		err = yield(view)
	}
	if err == nil {
		written = len(view.Beliefs)
	}
	if failed := noted(context.WithoutCancel(ctx), "done", written); err == nil {
		err = failed
	}
	return err
}
