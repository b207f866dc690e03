package belief

import (
	"context"
	"slices"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// ExportContext passes the result of [views.Context] to yield, for a document that the
// owner gives to somebody else. The audit log notes the export with its scope, and
// whether it has the history, which only the owner should have. The whole present memory,
// exported by the owner in person, comes with the consents that the owner gave assistants.
// Errors are those of Context and of yield.
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
		view.Consents, err = s.consents(ctx, c, q)
	}
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

// consents returns what the owner granted to assistants that start from a context, in the
// order of time (Engram 12.1). Nobody else gets to know.
func (s *Service) consents(ctx context.Context, c memory.Caller, q engram.Query) (list []engram.Consent, err error) {
	if c.Role != memory.Owner || q.ScopeName() != engram.Full || !q.AsOf.IsZero() {
		return nil, nil
	}
	err = s.kernel.Store().View(ctx, c.Owner, func(r store.Reader) error {
		list = nil
		grants, err := r.Grants()
		for _, g := range grants {
			if len(g.Claims) == 0 { // issued elsewhere
				continue
			}
			claims, err := ump.ParseClaims(g.Claims)
			if err != nil {
				return err
			}
			if claims.Runtime != nil {
				list = append(list, consentOf(g, *claims.Runtime))
			}
		}
		slices.SortStableFunc(list, func(a, b engram.Consent) int { return a.GrantedAt.Compare(b.GrantedAt) })
		return err
	})
	return list, s.kernel.Refusal(c, "export", "", err)
}

func consentOf(g store.Grant, r memory.Runtime) engram.Consent {
	k := engram.Consent{ID: g.ID, GrantedTo: r.IssuedTo, Name: r.Name, Scope: engram.Scope(r.Scope), Purpose: r.Purpose,
		GrantedAt: g.Issued, ExpiresAt: g.Expires, RevokedAt: g.Revoked}
	if r.Scope == "" {
		k.Scope = engram.Custom
		for _, name := range r.Categories {
			k.Categories = append(k.Categories, engram.Category(name))
		}
	}
	return k
}
