package belief

import (
	"context"
	"slices"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// askedContext narrows a query to what the caller may have, and refuses one that goes
// beyond it (decision E-49). The owner's side may have everything, and the owner in
// person also the history. Others need a token for an assistant's context.
func (v *views) askedContext(c memory.Caller, q engram.Query) (engram.Query, error) {
	switch {
	case c.Owner == "" || c.Role == memory.Stranger:
		return q, v.noContext(c, &engram.Fault{Code: engram.Unauthorized, Rule: "ENGRAM-3.9-ERR-2", Detail: "say with a token whose context is meant"})
	case q.History && c.Role != memory.Owner:
		return q, v.noContext(c, &engram.Fault{Code: engram.Forbidden, Rule: "ENGRAM-3.9-ERR-4", Detail: "only the owner takes records along: use the command line"})
	case c.Speaks():
		return q, q.Check()
	case c.Grant == nil || c.Grant.Runtime == nil:
		return q, v.noContext(c, &engram.Fault{Code: engram.Forbidden, Rule: "ENGRAM-3.9-ERR-4",
			Detail: "this token is not for an assistant's context: ask the owner for one that is made with --runtime"})
	}
	if err := v.kernel.MayContext(contextOp, c, memory.ReadVerb); err != nil {
		return q, err
	}
	narrow := limited(*c.Grant.Runtime, q)
	if err := narrow.Check(); err != nil {
		return q, err
	}
	allowed := runtimeQuery(*c.Grant.Runtime)
	outside := func(category engram.Category) bool { return !allowed.Admits(category) }
	if slices.ContainsFunc(narrow.Included(), outside) || ofPerson(narrow) && !ofPerson(allowed) {
		return q, v.noContext(c, &engram.Fault{Code: engram.Forbidden, Rule: "ENGRAM-3.9-ERR-4",
			Detail: "the token is for a narrower part of the memory: leave scope and categories out, or ask the owner for another token"})
	}
	return narrow, nil
}

// ofPerson reports whether the answer to a query has the whole identity (decision E-14).
func ofPerson(q engram.Query) bool {
	s := q.ScopeName()
	return s != engram.Financial && s != engram.Custom
}

// noContext counts a refusal and returns it.
func (v *views) noContext(c memory.Caller, f *engram.Fault) error {
	kind := memory.ForbiddenScope
	if f.Code == engram.Unauthorized {
		kind = memory.Unauthorized
	}
	v.kernel.NoteRefused(c, contextOp, kind)
	return f
}

// runtimeQuery is the query for everything that a runtime may have.
func runtimeQuery(r memory.Runtime) engram.Query {
	if r.Scope != "" {
		return engram.Query{Scope: engram.Scope(r.Scope)}
	}
	q := engram.Query{Categories: []engram.Category{}}
	for _, c := range r.Categories {
		q.Categories = append(q.Categories, engram.Category(c))
	}
	return q
}

// limited applies the limits of a runtime to a query without scope and categories.
func limited(r memory.Runtime, q engram.Query) engram.Query {
	if q.Scope != "" || q.Categories != nil {
		return q
	}
	all := runtimeQuery(r)
	q.Scope, q.Categories = all.Scope, all.Categories
	return q
}

// viewContext runs fn on a snapshot of the caller's owner, with the owner's label and
// the number of full erasures. It refuses an owner that this store does not know.
func (v *views) viewContext(ctx context.Context, c memory.Caller, fn func(r store.Reader, label string, erasures int64) error) error {
	erasures, err := v.kernel.Erasures(ctx, c.Owner)
	if err != nil {
		return err
	}
	err = v.kernel.Store().View(ctx, c.Owner, func(r store.Reader) error {
		a, err := r.Account()
		if err != nil {
			return err
		}
		if a.Added.IsZero() && v.kernel.Home() != "" && c.Owner != v.kernel.Home() {
			return &engram.Fault{Code: engram.UserNotFound, Rule: "ENGRAM-3.9-ERR-5", Detail: "nothing is kept here for this subject"}
		}
		label := a.Label
		if label == vault.OperatorLabel {
			label = ""
		}
		return fn(r, label, erasures)
	})
	return v.contextRefusal(c, err)
}

// contextRefusal makes an error a refusal; it leaves faults as they are.
func (v *views) contextRefusal(c memory.Caller, err error) error {
	if vault.IsFault(err) {
		return err
	}
	return v.kernel.Refusal(c, contextOp, "", err)
}

// runtimeCovers reports whether a caller may have a category. A caller who acts for the
// owner may have all of them.
func runtimeCovers(c memory.Caller, category engram.Category) bool {
	return c.Speaks() || c.Grant != nil && c.Grant.Runtime != nil && runtimeQuery(*c.Grant.Runtime).Admits(category)
}
