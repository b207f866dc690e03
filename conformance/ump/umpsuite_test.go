package umpsuite

import (
	"crypto/rand"
	"encoding/csv"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/conformance"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umphttp"
	"github.com/satchel-memory/satchel/ump/umptest"
)

const (
	owner  = memory.DID("did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK")
	secret = "the-owner's-token"
)

// TestEveryRow holds the checks to the list of requirements, and the rows of a run to its
// text.
func TestEveryRow(t *testing.T) {
	file, err := os.Open("../requirements/ump.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	in := csv.NewReader(file)
	in.Comma, in.LazyQuotes = '\t', true
	listed, err := in.ReadAll()
	if err != nil || len(listed) < 200 || len(rows()) != len(listed)-1 {
		t.Fatalf("%d rows, %d are listed, %v", len(rows()), len(listed)-1, err)
	}
	for _, gap := range new(run).course().Gaps() {
		t.Error(gap)
	}
	for _, c := range checks() {
		if c.Try == nil {
			t.Errorf("%s is not tried", c.ID)
		}
	}
	for i, want := range listed[1:] {
		section, _, _ := strings.Cut(want[3], " ")
		w := rows()[i]
		if got := []string{w.ID, w.Keyword, w.Level, w.Section, w.Title}; !slices.Equal(got, []string{want[0], want[1], want[2], section, want[4]}) {
			t.Errorf("%v is listed, %v is here", want, got)
		}
	}
}

// plainServer serves a vault of level 2 without tokens of any kind but one, and
// notes which routes are asked for.
func plainServer(t *testing.T, asked *[]string) *httptest.Server {
	t.Helper()
	handler := umphttp.New(umptest.New(), umphttp.Options{Authenticate: func(r *http.Request) (memory.Caller, error) {
		if r.Header.Get("Authorization") != "Bearer "+secret {
			return memory.Caller{}, &memory.Error{Kind: memory.Unauthorized, Message: "send the token"}
		}
		return memory.Caller{Owner: owner, Role: memory.Owner}, nil
	}})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked != nil {
			*asked = append(*asked, r.Method+" "+r.URL.Path)
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func targetOf(s *httptest.Server) Target {
	return Target{URL: s.URL + "/ump", Token: secret, Client: s.Client(), Now: time.Now, Random: rand.Reader}
}

func TestRun(t *testing.T) {
	t.Run("UMP-3.1-9 a run asks what is offered before anything else", func(t *testing.T) {
		var asked []string
		target := targetOf(plainServer(t, &asked))
		target.Only = []string{"UMP-3.4-1"}
		if _, err := Run(t.Context(), target, nil); err != nil {
			t.Fatal(err)
		}
		if len(asked) < 3 || asked[0] != "GET /ump/capabilities" {
			t.Errorf("asked %v", asked)
		}
	})
	t.Run("only what is asked for is tried, and the server is left as it was", func(t *testing.T) {
		var asked []string
		server := plainServer(t, &asked)
		target := targetOf(server)
		target.Only = []string{"UMP-3.2-2", "UMP-3.4"}
		var tried []string
		summary, err := Run(t.Context(), target, func(r conformance.Result) { tried = append(tried, r.ID) })
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range tried {
			if id != "UMP-3.2-2" && !strings.HasPrefix(id, "UMP-3.4-") {
				t.Errorf("%s was tried", id)
			}
		}
		if len(tried) != 6 || summary.Level != "L2" || summary.Owner != owner || len(summary.Left) > 0 {
			t.Errorf("%v, %+v", tried, summary)
		}
		writes, removals := 0, 0
		for _, a := range asked {
			switch a {
			case "POST /ump/remember":
				writes++
			case "POST /ump/forget":
				removals++
			}
		}
		if writes == 0 || removals < writes {
			t.Errorf("%d were written, %d removed", writes, removals)
		}
	})
	t.Run("a row of a higher level does not apply", func(t *testing.T) {
		target := targetOf(plainServer(t, nil))
		target.Only = []string{"UMP-5.2"}
		_, err := Run(t.Context(), target, func(r conformance.Result) {
			if r.Outcome != conformance.NotApplicable {
				t.Errorf("%s: %s", r.ID, r.Outcome)
			}
		})
		if err != nil {
			t.Error(err)
		}
	})
	t.Run("without a key what needs one is not tried", func(t *testing.T) {
		target := targetOf(plainServer(t, nil))
		target.Only = []string{"UMP-3.3-4"}
		_, err := Run(t.Context(), target, func(r conformance.Result) {
			if r.Outcome != conformance.NotTried || !strings.Contains(r.Message, "key") {
				t.Errorf("%+v", r)
			}
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func TestKeywords(t *testing.T) {
	server := plainServer(t, nil)
	for _, c := range []struct {
		name   string
		id     string
		strict bool
		want   conformance.Outcome
	}{
		{"a row of MUST always counts", "UMP-3.3-7", false, conformance.Fail}, // umptest keeps what is past its retention
		{"another is a warning", "UMP-3.2-2", false, conformance.Pass},
		{"an implied one warns", "UMP-6.2-2", false, conformance.Warn}, // umptest counts its ids
		{"an implied one fails a strict run", "UMP-6.2-2", true, conformance.Fail},
	} {
		t.Run(c.name, func(t *testing.T) {
			target := targetOf(server)
			target.Only, target.Strict = []string{c.id}, c.strict
			summary, err := Run(t.Context(), target, func(r conformance.Result) {
				if r.Outcome != c.want {
					t.Errorf("%s: %s %s", r.ID, r.Outcome, r.Message)
				}
			})
			if err != nil || len(summary.Failed) != summary.Counts[conformance.Fail] || summary.OK() != (c.want == conformance.Pass) {
				t.Errorf("%v %+v", err, summary)
			}
		})
	}
}

func TestBlocked(t *testing.T) {
	handler := plainServer(t, nil)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/ump/remember" {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		handler.Config.Handler.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	target := targetOf(s)
	target.Only = []string{"UMP-3.3-1", "UMP-3.4-1"}
	got := map[string]conformance.Outcome{}
	summary, err := Run(t.Context(), target, func(r conformance.Result) { got[r.ID] = r.Outcome })
	if err != nil || got["UMP-3.3-1"] != conformance.Warn || got["UMP-3.4-1"] != conformance.Blocked || summary.OK() {
		t.Errorf("%v %v %+v", err, got, summary)
	}
}

// TestJunk tries servers that answer everything with the same.
func TestJunk(t *testing.T) {
	key, err := keys.Generate(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	offer := `"ump":"0.1","conformance":"L3","kinds":null,"max_recall":"many"`
	for name, body := range map[string]string{
		"nothing else": `{` + offer + `}`,
		"an odd id":    `{` + offer + `,"id":"\"\\","result":"created","supersedes":["\""],"record":{"id":5},"results":[5,null,{}]}`,
		"one record":   `{` + offer + `,"id":"urn:ump:a","result":"created","record":{"id":"urn:ump:a","body":{"text":"x"},"integrity":{"signer":"x"}},"results":[{"record":{"id":"urn:ump:a"},"score":1}]}`,
		"lists":        `{` + offer + `,"id":["urn:ump:a"],"result":[],"record":[],"results":{},"framed":["x"],"injected":{},"exports":[{"url":"%zz"},{"url":"http://[::1"},5]}`,
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, body)
			}))
			t.Cleanup(server.Close)
			target := Target{URL: server.URL, Client: server.Client(), Key: &key, Strict: true, Now: time.Now, Random: rand.Reader, Patience: 10 * time.Millisecond}
			rows := 0
			summary, err := Run(t.Context(), target, func(conformance.Result) { rows++ })
			if err != nil || summary.OK() || rows != len(checks())+len(absent()) || len(summary.Failed) < 100 {
				t.Errorf("%v, %d rows, %v", err, rows, summary.Counts)
			}
		})
	}
}

func TestNoServer(t *testing.T) {
	nothing := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(nothing.Close)
	for name, address := range map[string]string{
		"no address": "somewhere", "another scheme": "ftp://localhost/ump", "with a password": "http://a:b@localhost", "with a query": "http://localhost/?a",
		"nobody there": "http://127.0.0.1:1", "something else there": nothing.URL,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Run(t.Context(), Target{URL: address, Now: time.Now, Random: rand.Reader}, nil)
			if err == nil || strings.Contains(err.Error(), ":b@") {
				t.Errorf("error %v", err)
			}
		})
	}
	if _, err := Run(t.Context(), Target{URL: nothing.URL}, nil); err == nil {
		t.Error("ran without clock and randomness")
	}
}
