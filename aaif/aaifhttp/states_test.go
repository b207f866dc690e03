package aaifhttp_test

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/aaifhttp"
	"github.com/satchel-memory/satchel/aaif/aaiftest"
	"github.com/satchel-memory/satchel/aaif/handoff"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// push sends a state as somebody without credentials does, over TLS.
func (s *site) push(body string, header ...string) said {
	return s.do("POST", "https://here.example/aaif/states", body, append([]string{"Authorization:"}, header...)...)
}

func TestStates(t *testing.T) {
	t.Run("AAIF-8.2-3_a_state_comes_in_whole", func(t *testing.T) {
		s := serve(t, aaifhttp.Options{}).withAgent(t)
		state := s.ready(t, aaiftest.Checkpoint(), "1")
		got := s.push(string(state.Append(nil)))
		v := got.object(t, 201)
		if v.Get("state_id").Text() != aaiftest.StateID || v.Get("status").Text() != "awaiting_approval" || got.Header.Get("Location") != "/aaif/states/"+aaiftest.StateID {
			t.Errorf("%v %s", got.Header, got.body)
		}
		s.holds(t, 1)
		if who := s.platform.Callers(); who[len(who)-1] != recipient {
			t.Errorf("it came for %+v", who)
		}
		back := s.do("GET", "https://here.example/aaif/states/"+aaiftest.StateID, "").object(t, 200)
		if string(back.AppendCanonical(nil)) != string(state.AppendCanonical(nil)) {
			t.Errorf("another one: %s", back.Append(nil))
		}
		for query, n := range map[string]int{"": 1, "?agent_id=" + aaiftest.AgentID: 1, "?agent_id=x": 0, "?limit=1": 1} {
			list := s.do("GET", "/aaif/states"+query, "").object(t, 200).Get("states")
			if list.Len() != n || strings.Contains(string(list.Append(nil)), "receipt") {
				t.Errorf("%s: %s", query, list.Append(nil))
			}
		}
		s.do("GET", "https://here.example/aaif/states/x", "").refused(t, 404, "NOT_FOUND")
		s.do("GET", "https://here.example/aaif/states/"+aaiftest.StateID, "", "Authorization:").refused(t, 401, "UNAUTHORIZED")
	})
	t.Run("AAIF-9-8_in_CBOR_and_in_JSON", func(t *testing.T) {
		s := serve(t, aaifhttp.Options{}).withAgent(t)
		s.push(cbor(t, s.ready(t, aaiftest.Checkpoint(), "1").Append(nil)), "Content-Type: application/cbor").object(t, 201)
		s = serve(t, aaifhttp.Options{}).withAgent(t)
		s.push(string(s.ready(t, aaiftest.Checkpoint(), "1").Append(nil)), "Content-Type: application/json").object(t, 201)
	})
	t.Run("AAIF-8.2-8_second_use_is_TOKEN_REPLAYED", func(t *testing.T) {
		s := serve(t, aaifhttp.Options{}).withAgent(t)
		body := string(s.ready(t, aaiftest.Checkpoint(), "1").Append(nil))
		s.push(body).object(t, 201)
		s.push(body).refused(t, 409, aaif.TokenReplayed)
		s.holds(t, 1)
		if fmt.Sprint(s.told) != "[forbidden_scope]" {
			t.Errorf("%v were told", s.told)
		}
	})
	for _, c := range refusals() {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, aaifhttp.Options{}).withAgent(t)
			s.push(string(c.state(t, s).Append(nil))).refused(t, c.status, c.code)
			s.nothing(t)
		})
	}
	t.Run("AAIF-12-14_50_bits_are_flipped", func(t *testing.T) {
		s := serve(t, aaifhttp.Options{}).withAgent(t)
		whole := s.ready(t, aaiftest.Checkpoint(), "1").Append(nil)
		random := rand.New(rand.NewPCG(1, 2))
		for range 50 {
			body := append([]byte(nil), whole...)
			body[random.IntN(len(body))] ^= 1 << random.IntN(7)
			if got := s.push(string(body)); got.StatusCode < 400 && !canon.Equal(parsed(t, body), parsed(t, whole)) {
				t.Errorf("%d: %s", got.StatusCode, body)
			}
		}
	})
	t.Run("no_state_at_all", func(t *testing.T) {
		s := serve(t, aaifhttp.Options{MaxState: 1000})
		s.push(string(aaiftest.Definition("", ""))).refused(t, 422, aaif.UnknownType)
		s.push("{").refused(t, 422, aaif.NotJSON)
		s.push(`{"state_id":"`+strings.Repeat("x", 1000)+`"}`).refused(t, 413, aaif.TooLarge)
		s.push("{}", "Content-Type: text/plain").refused(t, 415, "UNSUPPORTED_MEDIA_TYPE")
		s.push("{}", "Authorization: Bearer another").refused(t, 401, "UNAUTHORIZED")
		s.nothing(t)
	})
	t.Run("one_at_a_time", func(t *testing.T) {
		s := serve(t, aaifhttp.Options{Slots: func(*http.Request) (func(), bool) { return nil, false }})
		got := s.push("{}")
		if got.refused(t, 429, "RATE_LIMITED"); got.Header.Get("Retry-After") == "" {
			t.Errorf("%v", got.Header)
		}
	})
}

// refusal is a state that is refused.
type refusal struct {
	name   string
	state  func(testing.TB, *site) canon.Value
	status int
	code   aaif.Code
}

// refusals are states that are refused, each by its kind, whichever way they come.
func refusals() []refusal {
	good := aaiftest.Checkpoint
	edited := func(v canon.Value) canon.Value { return v.With("iteration", canon.Int(4)) }
	again := func(v canon.Value) canon.Value { return aaif.WithChecksum(v) }
	as := func(edit func(*aaiftest.Source)) func(testing.TB, *site) canon.Value {
		return func(t testing.TB, s *site) canon.Value {
			edit(s.source)
			return s.ready(t, good(), "1")
		}
	}
	return []refusal{
		{"AAIF-8.2-4_a_bad_checksum_is_422", func(t testing.TB, s *site) canon.Value { return edited(s.ready(t, good(), "1")) }, 422, aaif.ChecksumMismatch},
		{"AAIF-12-15_another_state_under_the_token", func(t testing.TB, s *site) canon.Value { return again(edited(s.ready(t, good(), "1"))) }, 403, aaif.TokenBinding},
		{"AAIF-8.2-8_the_token_of_another_state", func(t testing.TB, s *site) canon.Value {
			return again(s.ready(t, good(), "1").With("state_id", canon.String("d7e8f9a0-1234-4000-8000-000000000009")))
		}, 403, aaif.TokenBinding},
		{"AAIF-8.2-8_for_another_platform", func(t testing.TB, s *site) canon.Value {
			v, err := s.source.Ready(good(), "there.example", "1")
			if err != nil {
				t.Fatal(err)
			}
			return v
		}, 403, aaif.TokenAudience},
		{"AAIF-8.2-4_an_unknown_agent_is_404", func(t testing.TB, s *site) canon.Value {
			return s.ready(t, good().With("agent_id", canon.String("7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2aff")), "1")
		}, 404, aaif.AgentUnknown},
		{"AAIF-12-13_of_somebody_who_is_not_trusted_is_401", as(func(o *aaiftest.Source) { o.Name = "elsewhere.example" }), 401, aaif.TokenInvalid},
		{"AAIF-12-12_expired", as(func(o *aaiftest.Source) { o.Now = func() time.Time { return aaiftest.Noon().Add(-time.Hour) } }), 401, aaif.TokenExpired},
		{"AAIF-12-12_not_good_yet", as(func(o *aaiftest.Source) { o.Now = func() time.Time { return aaiftest.Noon().Add(time.Hour) } }), 401, aaif.TokenInvalid},
		{"AAIF-12-13_a_signature_of_another", func(t testing.TB, s *site) canon.Value {
			token, err := s.source.Token(good(), home, "1")
			if err != nil {
				t.Fatal(err)
			}
			at := strings.LastIndexByte(token, '.') + 1
			return aaif.WithToken(good(), token[:at]+strings.Repeat("A", len(token)-at))
		}, 401, aaif.TokenInvalid},
		{"AAIF-12-12_no_token", func(testing.TB, *site) canon.Value { return again(good()) }, 401, aaif.TokenInvalid},
	}
}

func TestInTheClear(t *testing.T) {
	s := serve(t, aaifhttp.Options{})
	ask := func(method, path, remote string, over *tls.ConnectionState) said {
		r := httptest.NewRequest(method, path, untouchable{t})
		r.RemoteAddr, r.TLS = remote, over
		r.Header.Set("Authorization", "Bearer "+token)
		return s.send(r)
	}
	for _, path := range []string{"POST /aaif/states", "POST /aaif/handoff", "GET /aaif/states/x"} {
		t.Run("AAIF-12-11_"+path, func(t *testing.T) {
			method, path, _ := strings.Cut(path, " ")
			for _, remote := range []string{"127.0.0.1:7", "[::1]:7", "203.0.113.1:7"} {
				got := ask(method, path, remote, nil)
				if got.StatusCode != 426 || got.Header.Get("Upgrade") == "" || !strings.Contains(string(got.body), "TLS_REQUIRED") || got.Header.Get("Connection") != "close" {
					t.Errorf("%s: %d %v %s", remote, got.StatusCode, got.Header, got.body)
				}
			}
		})
	}
	t.Run("AAIF-13.1-2_this_machine_if_told_so", func(t *testing.T) {
		s = serve(t, aaifhttp.Options{Local: true})
		for remote, status := range map[string]int{"127.0.0.1:7": 404, "[::1]:7": 404, "[::ffff:127.0.0.1]:7": 404, "@": 404, "203.0.113.1:7": 426, "[2001:db8::1]:7": 426} {
			if got := ask("GET", "/aaif/states/x", remote, nil); got.StatusCode != status {
				t.Errorf("%s: %d", remote, got.StatusCode)
			}
		}
	})
}

// slowly is a body that breaks off after a while.
type slowly struct{ err error }

func (s slowly) Read([]byte) (int, error) { return 0, s.err }

func TestBodyBreaksOff(t *testing.T) {
	s := serve(t, aaifhttp.Options{})
	for err, status := range map[error]int{errors.New("reset"): 400, http.ErrHandlerTimeout: 400, os.ErrDeadlineExceeded: 408} {
		r := httptest.NewRequest("POST", "/aaif/agents", slowly{err})
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		if got := s.send(r); got.StatusCode != status || got.Header.Get("Connection") != "close" {
			t.Errorf("%v: %d %v", err, got.StatusCode, got.Header)
		}
	}
}

func TestStatePages(t *testing.T) {
	s := serve(t, aaifhttp.Options{}).withAgent(t)
	for i := range 5 {
		state := aaiftest.Checkpoint().With("state_id", canon.String(fmt.Sprintf("d7e8f9a0-1234-4000-8000-00000000000%d", i)))
		s.push(string(s.ready(t, state, fmt.Sprint(i)).Append(nil))).object(t, 201)
	}
	t.Run("they_are_listed_page_by_page", func(t *testing.T) {
		var ids []string
		for next, pages := "/aaif/states?limit=2&agent_id="+aaiftest.AgentID, 0; next != ""; pages++ {
			v := s.do("GET", next, "").object(t, 200)
			for _, l := range v.Get("states").Items() {
				ids = append(ids, l.Get("state_id").Text())
			}
			if next = v.Get("next").Text(); pages > 3 {
				t.Fatal("there is no end")
			}
		}
		if len(ids) != 5 || ids[0] < ids[4] {
			t.Errorf("%q", ids)
		}
		if v := s.do("GET", "/aaif/states?limit=5", "").object(t, 200); v.Has("next") {
			t.Errorf("after the last there is %s", v.Get("next").Text())
		}
		for _, query := range []string{"after=x", "after=1", "after=.x", "after=1.", "limit=201", "page=2"} {
			s.do("GET", "/aaif/states?"+query, "").refused(t, 400, "INVALID_PARAMETER")
		}
	})
	t.Run("AAIF-8.1-3_those_of_a_run_newest_first", func(t *testing.T) {
		const run = "99999999-2222-4333-8444-555555555555"
		for i := range 3 {
			state := aaiftest.Checkpoint().With("state_id", canon.String(fmt.Sprintf("d7e8f9a0-1234-4000-8000-00000000001%d", i))).With("run_id", canon.String(run)).
				With("checkpoint_at", canon.String(fmt.Sprintf("2026-06-1%dT09:17:43Z", 3-i)))
			s.push(string(s.ready(t, state, fmt.Sprint("run", i)).Append(nil))).object(t, 201)
		}
		var ids []string
		for next := "/aaif/states?limit=2&run_id=" + run; next != ""; {
			v := s.do("GET", next, "").object(t, 200)
			for _, l := range v.Get("states").Items() {
				ids = append(ids, l.Get("state_id").Text()[34:])
			}
			next = v.Get("next").Text()
		}
		if got := strings.Join(ids, " "); got != "10 11 12" {
			t.Errorf("got %s", got)
		}
		if list := s.do("GET", "/aaif/states?run_id=x", "").object(t, 200).Get("states"); list.Len() != 0 {
			t.Errorf("of another run: %s", list.Append(nil))
		}
		for i := range 3 {
			s.do("DELETE", fmt.Sprintf("/aaif/states/d7e8f9a0-1234-4000-8000-00000000001%d", i), "").object(t, 200)
		}
	})
	t.Run("one_is_removed", func(t *testing.T) {
		path := "/aaif/states/d7e8f9a0-1234-4000-8000-000000000002"
		s.do("DELETE", path, "", "Authorization:").refused(t, 401, "UNAUTHORIZED")
		s.do("DELETE", path+"?x=y", "").refused(t, 400, "INVALID_PARAMETER")
		if v := s.do("DELETE", path, "").object(t, 200); v.Get("states").Float() != 1 || v.Get("state_id").Text() == "" {
			t.Errorf("%s", v.Append(nil))
		}
		s.do("DELETE", path, "").refused(t, 404, "NOT_FOUND")
		if got := s.do("PUT", path, "{}"); got.StatusCode != 405 || got.Header.Get("Allow") != "GET, HEAD, DELETE" {
			t.Errorf("%d %v", got.StatusCode, got.Header)
		}
	})
	t.Run("AAIF-8.2-8_its_token_stays_spent", func(t *testing.T) {
		state := aaiftest.Checkpoint().With("state_id", canon.String("d7e8f9a0-1234-4000-8000-000000000002"))
		s.push(string(s.ready(t, state, "2").Append(nil))).refused(t, 409, aaif.TokenReplayed)
	})
	t.Run("an_agent_is_removed_with_them", func(t *testing.T) {
		path := "/aaif/agents/" + aaiftest.AgentID
		s.as = memory.Agent
		s.do("DELETE", path, "").refused(t, 403, "FORBIDDEN")
		s.as = memory.Owner
		if v := s.do("DELETE", path, "").object(t, 200); v.Get("states").Float() != 4 || v.Get("revisions").Float() != 1 {
			t.Errorf("%s", v.Append(nil))
		}
		s.do("GET", path, "").refused(t, 404, "NOT_FOUND")
		if v := s.do("GET", "/aaif/states", "").object(t, 200); v.Get("states").Len() != 0 {
			t.Errorf("%s", v.Append(nil))
		}
	})
}

// deafWriter is the connection of a sender that has gone.
type deafWriter struct{ *httptest.ResponseRecorder }

func (deafWriter) Write(p []byte) (int, error) { return 0, errors.New("gone") }
func (deafWriter) FlushError() error           { return errors.New("gone") }

// TestConfirmed: the backend hears that a sender knows of its state only if the answer was sent.
func TestConfirmed(t *testing.T) {
	for path, media := range map[string]string{"/aaif/states": "application/json", "/aaif/handoff": handoff.MediaType} {
		for _, hears := range []bool{true, false} {
			t.Run(fmt.Sprintf("AAIF-8.2-7 %s %v", path, hears), func(t *testing.T) {
				s := serve(t, aaifhttp.Options{}).withAgent(t)
				state := s.ready(t, aaiftest.Checkpoint(), "1")
				body := new(bytes.Buffer)
				if media == handoff.MediaType {
					if err := handoff.Send(t.Context(), body, state, handoff.SendOptions{}); err != nil {
						t.Fatal(err)
					}
				} else {
					body.Write(state.Append(nil))
				}
				r := httptest.NewRequest("POST", "https://here.example"+path, body)
				r.Header.Set("Content-Type", media)
				w := httptest.NewRecorder()
				if hears {
					s.ServeHTTP(w, r)
				} else {
					s.ServeHTTP(deafWriter{w}, r)
				}
				s.holds(t, 1)
				if got := len(s.platform.Confirmed()) == 1; got != hears || w.Code >= 300 {
					t.Errorf("confirmed: %v; %d %s", got, w.Code, w.Body)
				}
			})
		}
	}
}
