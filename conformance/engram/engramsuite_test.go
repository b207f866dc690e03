package engramsuite

import (
	"crypto/rand"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/conformance"
)

// TestEveryRowIsTriedOrExplained holds the checks to the list of requirements.
func TestEveryRowIsTriedOrExplained(t *testing.T) {
	for _, gap := range new(run).course().Gaps() {
		t.Error(gap)
	}
}

// TestRowsAreTheList compares the rows with the list of requirements.
func TestRowsAreTheList(t *testing.T) {
	data, err := os.ReadFile("../requirements/engram.tsv")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")[1:]
	if len(lines) != len(rows()) || len(lines) < 290 {
		t.Fatalf("%d rows, and %d in the list", len(rows()), len(lines))
	}
	for i, w := range rows() {
		f := strings.Split(lines[i], "\t")
		if got := (conformance.Result{ID: f[0], Keyword: f[1], Level: f[2], Section: conformance.Section(f[0]), Title: f[4]}); got != w {
			t.Errorf("the list says %v, and the row %v", got, w)
		}
	}
}

func TestNoRun(t *testing.T) {
	closed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	defer closed.Close()
	for _, test := range []struct {
		name   string
		target Target
		token  bool // it is the token's fault
	}{
		{"no address", Target{URL: "nowhere", Token: "x"}, false},
		{"a token in the address", Target{URL: "http://a:b@127.0.0.1:1", Token: "x"}, false},
		{"no token", Target{URL: closed.URL}, true},
		{"a wrong token", Target{URL: closed.URL, Token: "x"}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.target.Now, test.target.Random = time.Now, rand.Reader
			if _, err := Run(t.Context(), test.target, nil); err == nil || errors.Is(err, ErrToken) != test.token {
				t.Errorf("%v", err)
			}
		})
	}
	if _, err := Run(t.Context(), Target{URL: closed.URL, Token: "x"}, nil); err == nil {
		t.Error("ran without clock and randomness")
	}
}

func TestTries(t *testing.T) {
	for only, want := range map[string]bool{"ENGRAM-3.8-9": true, "ENGRAM-3.9": true, "ENGRAM-3.9-CORR": true, "ENGRAM-12": true, "ENGRAM-13": false, "UMP-1-1": false} {
		if Tries(only) != want {
			t.Errorf("%s: %v", only, !want)
		}
	}
}
