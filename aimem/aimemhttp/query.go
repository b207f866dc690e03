package aimemhttp

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aimem"
)

// parameters are the parameters of a query. Each occurs once, and an empty one counts as
// absent.
type parameters struct {
	url.Values
	err error // of the first that was wrong
}

// parametersOf reads the query and refuses unknown parameters: with a misspelled since, a
// client would get everything.
func parametersOf(r *http.Request, known ...string) *parameters {
	values, err := url.ParseQuery(r.URL.RawQuery)
	p := &parameters{Values: values}
	if err != nil {
		p.err = &statusError{status: http.StatusUnprocessableEntity, code: invalidQuery, detail: "the query is not spelled as one", err: err}
		return p
	}
	for name, said := range values {
		switch {
		case !slices.Contains(known, name):
			p.fail(&statusError{status: http.StatusUnprocessableEntity, code: invalidQuery,
				detail: "a parameter is not known here; there are " + strings.Join(known, ", ")})
		case len(said) > 1:
			p.fail(&statusError{status: http.StatusUnprocessableEntity, code: invalidQuery, detail: "the parameter " + name + " is there more than once; give it once"})
		}
	}
	return p
}

// fail keeps the first error.
func (p *parameters) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// flag reads a parameter that is true or false.
func (p *parameters) flag(name string) bool {
	switch p.Get(name) {
	case "", "false", "0":
		return false
	case "true", "1":
		return true
	}
	p.fail(invalid(name, "true or false"))
	return false
}

// exportQuery reads the query of an export (AIMEM-3.1-1, -5). The backend checks the scope
// and its requirements (AIMEM-3.1-6).
func exportQuery(r *http.Request) (aimem.Export, error) {
	p := parametersOf(r, "scope", "since", "include_embeddings", "embedding_model", "ids", "history", "to_peer")
	q := aimem.Export{
		Scope: aimem.Scope(p.Get("scope")), Embeddings: p.flag("include_embeddings"), Model: p.Get("embedding_model"),
		History: p.flag("history"), ToPeer: p.flag("to_peer"),
	}
	switch p.Get("ids") {
	case "", "own":
	case "origin":
		q.OriginIDs = true
	default:
		p.fail(invalid("ids", "own or origin"))
	}
	if q.Scope == aimem.Since {
		q.Since = p.since()
	}
	return q, p.err
}

// since reads the lower bound of the time window; zero: none. It applies to the scope
// SINCE alone.
func (p *parameters) since() time.Time {
	said := p.Get("since")
	if said == "" {
		return time.Time{}
	}
	at, ok := instant(said)
	if !ok {
		p.fail(&aimem.Fault{Code: aimem.BadSince, Rule: "AIMEM-3.1-6", Detail: "since is a time such as 2026-04-01T00:00:00Z, or a day such as 2026-04-01"})
	}
	return at
}

// instant reads a time in a query as decision AD-12 says: RFC 3339 with any offset, or a
// day, which begins in UTC. An unescaped "+" arrives as a space.
func instant(said string) (time.Time, bool) {
	at, ok := aimem.Instant(strings.Replace(said, " ", "+", 1))
	if day, err := time.Parse(time.DateOnly, said); err == nil {
		at, ok = day, true
	}
	if at.IsZero() { // Go's zero time means no time
		at = at.Add(1)
	}
	return at.UTC(), ok
}

// importQuery reads the query of an import (section 2.9, decision AD-16).
func importQuery(r *http.Request) (aimem.Import, error) {
	p := parametersOf(r, "on_newer", "dry_run", "foreign_ids", "restore")
	o := aimem.Import{DryRun: p.flag("dry_run"), Restore: p.flag("restore"), OnNewer: aimem.OnNewer(p.Get("on_newer"))}
	switch o.OnNewer {
	case "", aimem.RejectNewer, aimem.UpdateNewer:
	default:
		p.fail(invalid("on_newer", "reject or update"))
	}
	switch p.Get("foreign_ids") {
	case "", "reject":
	case "accept":
		o.ForeignIDs = true
	default:
		p.fail(invalid("foreign_ids", "reject or accept"))
	}
	return o, p.err
}
