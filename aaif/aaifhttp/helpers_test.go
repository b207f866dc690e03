package aaifhttp_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/aaifhttp"
	"github.com/satchel-memory/satchel/aaif/aaiftest"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

const (
	home   = "here.example"
	abroad = "source.example"
	token  = "the-token-of-the-owner"
	owner  = memory.DID("did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK")
)

// recipient is for whom states are taken in that come without credentials.
var recipient = memory.Caller{Owner: owner, Role: memory.Owner, Session: "migration"}

// site is the binding over a platform in memory, with a source that it trusts.
type site struct {
	*aaifhttp.Handler
	platform *aaiftest.Platform
	source   *aaiftest.Source
	told     []memory.ErrorKind
	causes   []error
	as       memory.Role
	barred   atomic.Bool // nobody is let in any more
}

func serve(t testing.TB, o aaifhttp.Options) *site {
	t.Helper()
	s := &site{platform: aaiftest.New(home, aaiftest.Noon), as: memory.Owner}
	var err error
	if s.source, err = aaiftest.NewSource(abroad, s.platform); err != nil {
		t.Fatal(err)
	}
	o.Authenticate = func(r *http.Request) (memory.Caller, error) {
		if r.Header.Get("Authorization") != "Bearer "+token || s.barred.Load() {
			return memory.Caller{}, &memory.Error{Kind: memory.Unauthorized}
		}
		return memory.Caller{Owner: owner, Role: s.as}, nil
	}
	o.Recipient = recipient
	o.Refused = func(_ *http.Request, k memory.ErrorKind) { s.told = append(s.told, k) }
	o.Report = func(_ *http.Request, err error) { s.causes = append(s.causes, err) }
	s.Handler = aaifhttp.New(s.platform, o)
	return s
}

// withAgent lets the platform know the agent whose states come.
func (s *site) withAgent(t testing.TB) *site {
	t.Helper()
	if _, err := s.platform.Intake(t.Context(), memory.Caller{}, aaiftest.Definition(aaiftest.AgentID, ""), aaif.IntakeOptions{}); err != nil {
		t.Fatal(err)
	}
	return s
}

// ready returns a state that is good to come in here.
func (s *site) ready(t testing.TB, state canon.Value, id string) canon.Value {
	t.Helper()
	v, err := s.source.Ready(state, home, id)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// nothing makes sure that of states and tokens there are as many as before.
func (s *site) nothing(t testing.TB) {
	t.Helper()
	s.holds(t, 0)
}

func (s *site) holds(t testing.TB, states int) {
	t.Helper()
	if _, landed, spent := s.platform.Kept(); landed != states || spent != states {
		t.Errorf("there are %d states and %d tokens, want %d", landed, spent, states)
	}
}

// said is an answer that was read.
type said struct {
	*http.Response
	body []byte
}

// do sends a request of the owner's, over TLS if it looks so. Headers are spelled as in
// HTTP; one without a value is left out.
func (s *site) do(method, target, body string, header ...string) said {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, h := range header {
		name, value, _ := strings.Cut(h, ":")
		if value = strings.TrimSpace(value); value == "" {
			r.Header.Del(name)
		} else {
			r.Header.Set(name, value)
		}
	}
	return s.send(r)
}

func (s *site) send(r *http.Request) said {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	got := w.Result()
	data, _ := io.ReadAll(got.Body)
	return said{got, data}
}

// object reads an answer that is one, of a status.
func (s said) object(t testing.TB, status int) canon.Value {
	t.Helper()
	v, err := canon.Parse(s.body, canon.Options{})
	if err != nil || s.StatusCode != status || s.Header.Get("Content-Type") != "application/json" {
		t.Fatalf("%d %v, want %d: %s", s.StatusCode, s.Header, status, s.body)
	}
	return v
}

// refused makes sure that an answer refuses with a status and a code.
func (s said) refused(t testing.TB, status int, code aaif.Code) canon.Value {
	t.Helper()
	v := s.object(t, status)
	if v.Get("code").Text() != string(code) || v.Get("message").Text() == "" {
		t.Errorf("%s, want %s", s.body, code)
	}
	return v
}

// clock is a clock that is put where it is to stand.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }
