package aimemsuite

import (
	"crypto/rand"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/conformance"
)

// same answers every request alike, with the Content-Type that its route should have.
func same(status int, body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		media := map[string]string{exportPath: bundleType, streamPath: streamType, keyPath: "application/cose-key"}[r.URL.Path]
		if status >= 400 {
			media = "application/problem+json"
		}
		if media == "" {
			media = "application/json"
		}
		w.Header().Set("Content-Type", media)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}

// TestNothingPassesOnOneAnswer puts every row to servers that answer all requests alike.
// A row passes only where that answer is what the row asks for.
func TestNothingPassesOnOneAnswer(t *testing.T) {
	const problem = `{"type":"urn:aimem:problem:not_found","title":"not_found","detail":"there is nothing","status":404}`
	for _, test := range []struct {
		name   string
		answer http.Handler
		pass   map[string]string // the rows that may pass, and why
	}{
		{"AIMEM-2.9-1 {}", same(200, "{}"), nil},
		{"{} on a line", same(200, "{}\n"), nil},
		{"200 without a body", same(200, ""), nil},
		{"404 without a body", same(404, ""), nil},
		{"404 as a problem", same(404, problem), map[string]string{"AIMEM-3-3": "the row asks for errors in this form, and every answer is one"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			listening := httptest.NewServer(test.answer)
			defer listening.Close()
			r, err := prepare(t.Context(), Target{
				URL: listening.URL, Token: "owner", Reader: "reader", Client: listening.Client(), Strict: true, Erase: true, Now: time.Now, Random: rand.Reader,
			})
			if err != nil {
				t.Fatal(err)
			}
			r.first = object(`{}`)
			r.course().Run(t.Context(), r, &r.Log)
			if len(r.Results) != len(rows()) {
				t.Fatalf("%d of %d rows have a result", len(r.Results), len(rows()))
			}
			for _, result := range r.Results {
				if passed, may := result.Outcome == conformance.Pass, test.pass[result.ID] != ""; passed != may {
					t.Errorf("%s (%s) %s: %s", result.ID, result.Keyword, result.Outcome, result.Title)
				}
			}
			if r.summary().OK() || r.wrote > 0 {
				t.Errorf("the run is content, and wrote %d chunks", r.wrote)
			}
		})
	}
}

// TestBothRoles grants the level of both roles only where every MUST of them was tried.
func TestBothRoles(t *testing.T) {
	for _, test := range []struct {
		name, id string
		outcome  conformance.Outcome
		want     conformance.Outcome
	}{
		{"AIMEM-4-3 every row is kept", "AIMEM-2.8-8", conformance.Pass, conformance.Pass},
		{"AIMEM-4-3 a row of MUST is not tried", "AIMEM-2.8-8", conformance.NotTried, conformance.NotTried},
		{"AIMEM-4-3 a row of MUST has no result", "AIMEM-2.8-8", "", conformance.NotTried},
		{"AIMEM-4-3 a row of MUST fails", "AIMEM-2.8-8", conformance.Fail, conformance.Fail},
		{"AIMEM-4-3 a row of SHOULD is not tried", "AIMEM-3.1-10", conformance.NotTried, conformance.Pass},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := new(run)
			for _, result := range Rows() {
				if result.Outcome == "" {
					result.Outcome = conformance.Pass
				}
				if result.ID == test.id {
					result.Outcome = test.outcome
				}
				if result.ID != "AIMEM-4-3" && result.Outcome != "" {
					r.Note(result)
				}
			}
			if got, why := conformance.Judge(bothRoles(r), "MUST", true); got != test.want {
				t.Errorf("%s: %s", got, why)
			}
		})
	}
}

// TestErasureIsOpen: a server without erasure over HTTP does not keep all of AIMEM so far as is known.
func TestErasureIsOpen(t *testing.T) {
	t.Run("AIMEM-5.2-1 erasure that is not offered is not tried", func(t *testing.T) {
		listening := httptest.NewServer(same(404, ""))
		defer listening.Close()
		r, err := prepare(t.Context(), Target{URL: listening.URL, Token: "owner", Client: listening.Client(), Erase: true, Now: time.Now, Random: rand.Reader})
		if err != nil {
			t.Fatal(err)
		}
		if got, why := conformance.Judge(r.eraseAll(), "MUST", true); got != conformance.NotTried {
			t.Errorf("%s: %s", got, why)
		}
	})
}
