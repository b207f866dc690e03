package engramsuite

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/satchel-memory/satchel/conformance"
	"github.com/satchel-memory/satchel/engram"
)

// lateChecks judge the evidence of all answers, after refusals of every kind.
func lateChecks() []check {
	return []check{
		{"ENGRAM-3.9-ERR-1", func(r *run) error { return r.refused("ENGRAM-3.9-ERR-1") }},
		{"ENGRAM-3.9-ERR-9", func(r *run) error {
			if r.seen.throttles == 0 {
				return &conformance.Skipped{Outcome: conformance.NotApplicable, Reason: "the store turned no request away, and a run does not flood one"}
			}
			return r.seen.wrong["ENGRAM-3.9-ERR-9"]
		}},
		{"ENGRAM-3.9-ERR-13", func(r *run) error {
			none, wrong := r.call(r.Token, http.MethodGet, "/v1/nope", ""), r.call(r.Token, http.MethodPut, contextPath, "{}")
			if err := conformance.First(none.Is(404), wrong.Is(405)); err != nil {
				return err
			}
			if none.code() == "" || wrong.code() == "" || !strings.Contains(wrong.Header.Get("Allow"), http.MethodGet) {
				return errors.New("a wrong route or method has no error of the standard, or no Allow")
			}
			return r.refused("ENGRAM-3.9-ERR-13")
		}},
		{"ENGRAM-3.9-AUTH-8", func(r *run) error {
			wrong := "conformance-token-" + r.nonce
			if r.call(wrong, http.MethodGet, contextPath, "").tells(wrong) {
				return errors.New("a token that opens nothing stands in the answer")
			}
			return r.refused("ENGRAM-3.9-AUTH-8")
		}},
	}
}

// tooMuch is a size that no correction has. A store refuses such a body for its size, or
// because it is no object.
const tooMuch = 128 << 10

// refused requests refusals of every kind, once. It returns the fault of a row in those
// answers or in any other.
func (r *run) refused(id string) error {
	if r.turnedAway {
		return r.seen.wrong[id]
	}
	r.turnedAway = true
	r.call("", http.MethodGet, contextPath, "")
	r.get("?scope=work")
	r.get("?categories=foo")
	r.get("?engram_version=2.0")
	r.diff("x")
	r.call(r.Token, http.MethodGet, "/v1/nope", "")
	r.call(r.Token, http.MethodDelete, contextPath, "")
	if r.Narrow != "" {
		r.call(r.Narrow, http.MethodGet, contextPath+"?scope=full", "")
	}
	if r.Expired != "" {
		r.call(r.Expired, http.MethodGet, contextPath, "")
	}
	if !r.ReadOnly {
		r.call(r.Token, http.MethodPost, correctPath, "{")
		r.call(r.Token, http.MethodPost, correctPath, r.proposal("b_999").text())
		r.call(r.Token, http.MethodPost, correctPath, "["+strings.Repeat(" ", tooMuch)+"]")
	}
	return r.seen.wrong[id]
}

// tells reports whether an answer contains a word.
func (a answer) tells(word string) bool {
	return strings.Contains(string(a.Body), word) || strings.Contains(fmt.Sprint(a.Header), word)
}

// challenged returns nil for a refusal that says how to sign in (RFC 9110, section 15.5.2).
func (a answer) challenged(code engram.Code) error {
	if err := a.refused(code); err != nil {
		return err
	}
	if a.Header.Get("WWW-Authenticate") == "" {
		return fmt.Errorf("%s answered 401 without WWW-Authenticate", a.Asked)
	}
	return nil
}
