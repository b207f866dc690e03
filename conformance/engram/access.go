package engramsuite

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/satchel-memory/satchel/conformance"
	"github.com/satchel-memory/satchel/engram"
)

// anyTime is a since value that every store knows.
const anyTime = "2026-01-01T00:00:00Z"

func accessChecks() []check {
	return []check{
		{"ENGRAM-3.9-AUTH-1", everyEndpoint},
		{"ENGRAM-3.9-AUTH-2", func(r *run) error {
			return conformance.First(
				r.call("", http.MethodGet, contextPath, "").refused(engram.Unauthorized),
				r.call("", http.MethodGet, contextPath+"?scope=minimal", "").refused(engram.Unauthorized),
				r.call("", http.MethodGet, diffPath+"?since="+anyTime, "").refused(engram.Unauthorized),
				r.call("", http.MethodPost, correctPath, "{}").refused(engram.Unauthorized))
		}},
		{"ENGRAM-3.9-AUTH-3", func(r *run) error {
			for _, said := range []string{"Basic x", "Bearer", "Bearer nope"} {
				if err := r.call("", http.MethodGet, contextPath, "", "Authorization: "+said).challenged(engram.Unauthorized); err != nil {
					return fmt.Errorf("%q: %w", said, err)
				}
			}
			return nil
		}},
		{"ENGRAM-3.9-AUTH-4", expired},
		{"ENGRAM-3.9-AUTH-5", func(r *run) error {
			if err := narrow(r); err != nil {
				return err
			}
			if r.Reads == "" {
				return nil
			}
			return r.call(r.Reads, http.MethodPost, correctPath, r.proposal("b_999").text()).refused(engram.Forbidden)
		}},
		{"ENGRAM-3.9-AUTH-7", func(r *run) error {
			return conformance.First(r.open(engram.DiscoveryPath).Is(200), r.open(engram.KeysPath).Is(200))
		}},
		{"ENGRAM-3.9-ERR-2", func(r *run) error { return r.call("", http.MethodGet, contextPath, "").refused(engram.Unauthorized) }},
		{"ENGRAM-3.9-ERR-3", expired},
		{"ENGRAM-3.9-ERR-4", narrow},
		{"ENGRAM-3.9-DIFF-16", func(r *run) error {
			return r.call("", http.MethodGet, diffPath+"?since="+anyTime, "").refused(engram.Unauthorized)
		}},
		{"ENGRAM-3.2-23", func(r *run) error {
			if r.Narrow == "" {
				return conformance.Lacks("there is no token for the scope professional")
			}
			d, err := r.call(r.Narrow, http.MethodGet, contextPath, "").document()
			if err == nil && d.Subject.ID != r.first.Subject.ID {
				err = errors.New("another token of the same user gives another subject.id")
			}
			return err
		}},
	}
}

func everyEndpoint(r *run) error {
	for _, a := range []answer{
		r.get(""), r.get("?scope=minimal"), r.get("?categories=projects"), r.diff(anyTime), r.call(r.Token, http.MethodPost, correctPath, "{}"),
		r.open(engram.DiscoveryPath), r.open(engram.KeysPath),
	} {
		if a.Err != nil {
			return a.Err
		}
		if a.Status == http.StatusNotFound || a.Status == http.StatusMethodNotAllowed {
			return fmt.Errorf("%s answered %s", a.Asked, a.Said())
		}
	}
	return nil
}

func expired(r *run) error {
	if r.Expired == "" {
		return conformance.Lacks("there is no token that has expired")
	}
	return r.call(r.Expired, http.MethodGet, contextPath, "").refused(engram.TokenExpired)
}

// narrow tries a token for the scope professional. Without a scope in the request, the token
// yields that scope; with a wider scope it yields nothing (decision E-49).
func narrow(r *run) error {
	if r.Narrow == "" {
		return conformance.Lacks("there is no token for the scope professional")
	}
	d, err := r.call(r.Narrow, http.MethodGet, contextPath, "").document()
	if err != nil {
		return err
	}
	if d.Scope != engram.Professional {
		return fmt.Errorf("a token for the scope professional gets scope %q", d.Scope)
	}
	return conformance.First(
		r.call(r.Narrow, http.MethodGet, contextPath+"?scope=full", "").refused(engram.Forbidden),
		r.call(r.Narrow, http.MethodGet, contextPath+"?scope=financial", "").refused(engram.Forbidden))
}
