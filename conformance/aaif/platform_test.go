package aaifsuite_test

import (
	"crypto/rand"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif/aaifhttp"
	"github.com/satchel-memory/satchel/aaif/aaiftest"
	"github.com/satchel-memory/satchel/conformance"
	aaifsuite "github.com/satchel-memory/satchel/conformance/aaif"
	"github.com/satchel-memory/satchel/memory"
)

// binding is the HTTP binding over a platform in memory.
func binding(t *testing.T) (aaifsuite.Target, *aaiftest.Platform, http.Handler) {
	t.Helper()
	p := aaiftest.New("here.example", aaiftest.Noon)
	source, err := aaiftest.NewSource("source.example", p)
	if err != nil {
		t.Fatal(err)
	}
	var o aaifhttp.Options
	o.Authenticate = func(r *http.Request) (memory.Caller, error) {
		if r.Header.Get("Authorization") != "Bearer secret" {
			return memory.Caller{}, &memory.Error{Kind: memory.Unauthorized}
		}
		return memory.Caller{Role: memory.Owner}, nil
	}
	handler := aaifhttp.New(p, o)
	return aaifsuite.Target{Token: "secret", Key: source.Key, Issuer: source.Name, Now: aaiftest.Noon, Random: rand.Reader}, p, handler
}

// outcomes tries a platform, and returns the ids of its rows by what became of them.
func outcomes(t *testing.T, target aaifsuite.Target) map[conformance.Outcome][]string {
	t.Helper()
	all := map[conformance.Outcome][]string{}
	if _, err := aaifsuite.Run(t.Context(), target, func(r conformance.Result) { all[r.Outcome] = append(all[r.Outcome], r.ID) }); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestBinding tries the binding over a platform that knows no signatures of definitions,
// no persons and no secrets in states, which has to be found out.
func TestBinding(t *testing.T) {
	target, p, handler := binding(t)
	server := httptest.NewTLSServer(handler)
	defer server.Close()
	target.URL, target.Client = server.URL, server.Client()
	got := outcomes(t, target)
	if fails := strings.Join(got[conformance.Fail], " "); fails != "AAIF-12-3" || len(got[conformance.Pass]) < 40 {
		t.Errorf("%v", got)
	}
	if warns := strings.Join(got[conformance.Warn], " "); warns != "AAIF-7-14 AAIF-12-17 AAIF-8.2-9" {
		t.Errorf("%s", warns)
	}
	if agents, states, _ := p.Kept(); agents == 0 || states == 0 {
		t.Error("nothing came of what is good")
	}
}

// TestInTheClear tries a platform that is named without TLS.
func TestInTheClear(t *testing.T) {
	target, p, handler := binding(t)
	server := httptest.NewServer(handler)
	defer server.Close()
	target.URL = server.URL
	got := outcomes(t, target)
	for _, id := range []string{"AAIF-8.3-5", "AAIF-12-11", "AAIF-13.1-2"} {
		if !slices.Contains(got[conformance.Pass], id) {
			t.Errorf("%s: %v", id, got)
		}
	}
	if _, states, _ := p.Kept(); states != 0 || !slices.Contains(got[conformance.NotTried], "AAIF-8.3-9") {
		t.Errorf("%d states: %v", states, got)
	}
}

// TestTrust makes sure that a key that the platform does not know is no proof of anything.
func TestTrust(t *testing.T) {
	target, _, handler := binding(t)
	server := httptest.NewTLSServer(handler)
	defer server.Close()
	target.URL, target.Client, target.Issuer = server.URL, server.Client(), "nobody.example"
	got := outcomes(t, target)
	for _, id := range []string{"AAIF-8.2-3", "AAIF-12-13", "AAIF-8.3-9"} {
		if !slices.Contains(got[conformance.NotTried], id) {
			t.Errorf("%s: %v", id, got)
		}
	}
}

// TestReports breaks what a platform claims, in one way each.
func TestReports(t *testing.T) {
	for _, c := range []struct{ rows, old, other string }{
		{"", "", ""},
		{"AAIF-6-20", `"passed":1`, `"passed":0`},
		{"AAIF-6-13 AAIF-6-18", `"consumer"`, `"sideways"`},
		{"AAIF-6-13 AAIF-6-18", `"level":"Core"`, `"level":"Gold"`},
		{"AAIF-6-18", `"sc_standard":"SC-006"`, `"sc_standard":"SC-005"`},
		{"AAIF-6-19", "application/json", "text/plain"},
	} {
		t.Run(c.rows+" "+c.other, func(t *testing.T) {
			target, _, handler := binding(t)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != aaifhttp.ReportPath {
					handler.ServeHTTP(w, r)
					return
				}
				got := httptest.NewRecorder()
				handler.ServeHTTP(got, r)
				w.Header().Set("Content-Type", strings.Replace(got.Header().Get("Content-Type"), c.old, c.other, 1))
				w.WriteHeader(got.Code)
				_, _ = w.Write([]byte(strings.Replace(got.Body.String(), c.old, c.other, 1)))
			}))
			defer server.Close()
			target.URL, target.Strict = server.URL, true
			target.Only = []string{"AAIF-6-13", "AAIF-6-18", "AAIF-6-19", "AAIF-6-20"}
			if got := outcomes(t, target); strings.Join(slices.Sorted(slices.Values(got[conformance.Fail])), " ") != c.rows || len(got[conformance.Pass])+len(got[conformance.Fail]) != 4 {
				t.Errorf("%v", got)
			}
		})
	}
}

// TestBlind makes sure that where a platform shows nothing of what it keeps, that nothing
// is kept is never taken for shown.
func TestBlind(t *testing.T) {
	target, _, handler := binding(t)
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, "/aaif/") {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	defer server.Close()
	target.URL, target.Client = server.URL, server.Client()
	got := outcomes(t, target)
	for _, id := range []string{"AAIF-7-7", "AAIF-7-8", "AAIF-8.2-4", "AAIF-8.3-7", "AAIF-8.3-10", "AAIF-13.1-3"} {
		if !slices.Contains(got[conformance.NotTried], id) {
			t.Errorf("%s: %v", id, got)
		}
	}
	if !slices.Contains(got[conformance.Pass], "AAIF-8.3-9") {
		t.Errorf("%v", got)
	}
}

func TestNoRun(t *testing.T) {
	target, _, handler := binding(t)
	server := httptest.NewServer(handler)
	defer server.Close()
	target.URL = server.URL
	for name, change := range map[string]func(*aaifsuite.Target){
		"no token":       func(t *aaifsuite.Target) { t.Token = "" },
		"nobody's token": func(t *aaifsuite.Target) { t.Token = "x" },
	} {
		bad := target
		change(&bad)
		if _, err := aaifsuite.Run(t.Context(), bad, nil); !errors.Is(err, aaifsuite.ErrToken) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, url := range []string{"ftp://x", "x", "http://127.0.0.1:1"} {
		bad := target
		bad.URL = url
		if _, err := aaifsuite.Run(t.Context(), bad, nil); err == nil {
			t.Errorf("%s is no address", url)
		}
	}
	if !aaifsuite.Tries("AAIF-8.3") || aaifsuite.Tries("AAIF-99") {
		t.Error("Tries")
	}
}
