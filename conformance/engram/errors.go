package engramsuite

import (
	"errors"
	"net/http"
	"strings"

	"github.com/satchel-memory/satchel/conformance"
	"github.com/satchel-memory/satchel/engram"
)

func errorChecks() []check {
	return []check{
		{"ENGRAM-3.9-ERR-6", func(r *run) error { return r.unknownBelief() }},
		{"ENGRAM-3.9-ERR-7", refuses(engram.InvalidScope, "scope=work", "scope=")},
		{"ENGRAM-3.9-ERR-8", func(r *run) error {
			if r.ReadOnly {
				return conformance.Lacks("the run proposes nothing")
			}
			return r.call(r.Token, http.MethodPost, correctPath, "{").refused(engram.InvalidRequest)
		}},
		{"ENGRAM-3.9-ERR-10", otherVersion},
		{"ENGRAM-3.10-9", otherVersion},
		{"ENGRAM-3.9-ERR-12", func(r *run) error {
			if err := r.unknownBelief(); err != nil {
				return err
			}
			a := r.call(r.Token, http.MethodPost, correctPath, r.proposal("b_999").text())
			if !strings.Contains(a.Value.Get("error").Get("message").Text(), "b_999") {
				return errors.New("the message does not name the belief that is not there")
			}
			return nil
		}},
	}
}

func (r *run) unknownBelief() error {
	if r.ReadOnly {
		return conformance.Lacks("the run proposes nothing")
	}
	return r.call(r.Token, http.MethodPost, correctPath, r.proposal("b_999").text()).refused(engram.BeliefNotFound)
}

// otherVersion requests an unknown version, and the existing one.
func otherVersion(r *run) error {
	return conformance.First(
		r.get("?engram_version=2.0").refused(engram.UnsupportedVersion),
		r.call(r.Token, http.MethodGet, contextPath, "", "Engram-Version: 2.0").refused(engram.UnsupportedVersion),
		r.call(r.Token, http.MethodGet, contextPath, "", "Engram-Version: 0.1").Is(200))
}
