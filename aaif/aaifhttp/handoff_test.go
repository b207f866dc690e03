package aaifhttp_test

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/aaifhttp"
	"github.com/satchel-memory/satchel/aaif/aaiftest"
	"github.com/satchel-memory/satchel/aaif/handoff"
	"github.com/satchel-memory/satchel/canon"
)

const ndjson = "application/x-aaif-handoff+ndjson"

// frames returns a state as lines.
func frames(t testing.TB, state canon.Value) []string {
	t.Helper()
	var b bytes.Buffer
	if err := handoff.Send(t.Context(), &b, state, handoff.SendOptions{Chunk: 100}); err != nil {
		t.Fatal(err)
	}
	return strings.SplitAfter(strings.TrimSuffix(b.String(), "\n"), "\n")
}

// byLine is a body that gives away a line at a time, and counts them.
type byLine struct {
	lines []string
	given int
	at    int // bytes of the line that were given away
}

func (b *byLine) Read(p []byte) (int, error) {
	if len(b.lines) == 0 {
		return 0, io.EOF
	}
	if b.at == 0 {
		b.given++
	}
	n := copy(p, b.lines[0][b.at:])
	if b.at += n; b.at == len(b.lines[0]) {
		b.lines, b.at = b.lines[1:], 0
	}
	return n, nil
}

// stream sends lines as somebody without credentials does, over TLS.
func (s *site) stream(body io.Reader, header ...string) said {
	r := httptest.NewRequest("POST", "https://here.example/aaif/handoff", body)
	r.Header.Set("Content-Type", ndjson)
	for _, h := range header {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	return s.send(r)
}

// failed makes sure that an answer is one frame that says that the handoff failed.
func (s said) failed(t testing.TB, status int, code aaif.Code) {
	t.Helper()
	v, err := canon.Parse(bytes.TrimSuffix(s.body, []byte("\n")), canon.Options{})
	if err != nil || s.StatusCode != status || s.Header.Get("Content-Type") != ndjson || v.Get("type").Text() != "handoff_error" ||
		v.Get("code").Text() != string(code) || v.Get("message").Text() == "" || v.Len() != 3 {
		t.Errorf("%d %v %s, want %d %s", s.StatusCode, s.Header, s.body, status, code)
	}
}

func TestHandoff(t *testing.T) {
	t.Run("AAIF-8.3-9_a_state_comes_in_as_a_stream", func(t *testing.T) {
		s := serve(t, aaifhttp.Options{}).withAgent(t)
		state := s.ready(t, aaiftest.Checkpoint(), "1")
		got := s.stream(strings.NewReader(strings.Join(frames(t, state), "")))
		sum := state.Get("provenance").Get("checksum").Text()
		if want := `{"type":"handoff_complete","checksum":"` + sum + `"}` + "\n"; got.StatusCode != 200 || string(got.body) != want || got.Header.Get("Location") != "/aaif/states/"+aaiftest.StateID {
			t.Errorf("%d %v %s", got.StatusCode, got.Header, got.body)
		}
		if got.Header.Get("Content-Type") != ndjson || got.Header.Get("Accept-Post") != ndjson {
			t.Errorf("AAIF-13.1-1 AAIF-13.1-4: %v", got.Header)
		}
		s.holds(t, 1)
		back := s.do("GET", "https://here.example/aaif/states/"+aaiftest.StateID, "").object(t, 200)
		if string(back.AppendCanonical(nil)) != string(state.AppendCanonical(nil)) {
			t.Errorf("another one: %s", back.Append(nil))
		}
		s.stream(strings.NewReader(strings.Join(frames(t, state), ""))).failed(t, 409, aaif.TokenReplayed)
		s.holds(t, 1)
	})
	t.Run("AAIF-8.3-6_nothing_behind_a_bad_token_is_read", func(t *testing.T) {
		s := serve(t, aaifhttp.Options{}).withAgent(t)
		s.source.Name = "elsewhere.example"
		body := &byLine{lines: frames(t, s.ready(t, aaiftest.Long(100), "1"))}
		got := s.stream(body)
		got.failed(t, 401, aaif.TokenInvalid)
		if body.given != 1 || len(body.lines) < 100 || got.Header.Get("Connection") != "close" {
			t.Errorf("%d lines were read, %d were not; %v", body.given, len(body.lines), got.Header)
		}
		s.nothing(t)
	})
	for _, c := range refusals() {
		t.Run(c.name+"_as_a_stream", func(t *testing.T) {
			s := serve(t, aaifhttp.Options{}).withAgent(t)
			state := c.state(t, s)
			var b bytes.Buffer
			if err := handoff.Send(t.Context(), &b, state, handoff.SendOptions{}); err != nil {
				if code := aaif.CodeOf(err); code != c.code {
					t.Errorf("it is not sent: %v", err)
				}
				return
			}
			s.stream(&b).failed(t, c.status, c.code)
			s.nothing(t)
		})
	}
	s := serve(t, aaifhttp.Options{}).withAgent(t)
	good := frames(t, s.ready(t, aaiftest.Checkpoint(), "1"))
	last := len(good) - 1
	swapped := func(i, j int) []string {
		l := append([]string(nil), good...)
		l[i], l[j] = l[j], l[i]
		for k := range l {
			l[k] = strings.TrimSuffix(l[k], "\n") + "\n"
		}
		return l
	}
	for _, c := range []struct {
		name   string
		lines  []string
		status int
		code   aaif.Code
	}{
		{"AAIF-8.3-9_a_tampered_line", append([]string{good[0], strings.Replace(good[1], "receipt", "Receipt", 1)}, good[2:]...), 422, aaif.ChecksumMismatch},
		{"AAIF-8.3-10_cut_off", good[:last], 400, aaif.ProtocolError},
		{"AAIF-8.3-10_cut_off_at_once", nil, 400, aaif.ProtocolError},
		{"AAIF-8.3-3_reordered", swapped(0, 1), 400, aaif.ProtocolError},
		{"AAIF-8.3-4_chunks_reordered", swapped(1, 2), 400, aaif.ProtocolError},
		{"AAIF-8.3-3_more_after_the_end", append(append([]string(nil), good[:last]...), good[last]+"\n", good[1]), 400, aaif.ProtocolError},
		{"AAIF-8.3-1_a_line_that_is_no_object", []string{good[0], "[]\n"}, 400, aaif.BadFrame},
		{"AAIF-8.3-2_an_unknown_type", []string{good[0], `{"type":"handoff_more"}` + "\n"}, 422, aaif.UnknownType},
		{"AAIF-8.3-12_a_line_too_long", []string{good[0], `{"type":"` + strings.Repeat("x", 2<<20)}, 413, aaif.FrameTooLarge},
		{"AAIF-8.3-7_given_up", []string{good[0], good[1], `{"type":"handoff_error","code":"TOOL_TIMEOUT","message":"<script>"}` + "\n"}, 422, "TOOL_TIMEOUT"},
		{"AAIF-8.3-7_given_up_with_a_code_of_ours", []string{good[0], `{"type":"handoff_error","code":"TOKEN_INVALID","message":""}` + "\n"}, 422, aaif.TokenInvalid},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, aaifhttp.Options{}).withAgent(t)
			got := s.stream(strings.NewReader(strings.Join(c.lines, "")))
			got.failed(t, c.status, c.code)
			s.nothing(t)
			if strings.Contains(string(got.body), "script") {
				t.Errorf("it repeats what was said: %s", got.body)
			}
			s.stream(strings.NewReader(strings.Join(good, ""))).refusedNot(t)
		})
	}
	t.Run("AAIF-8.3-12_too_much_in_all", func(t *testing.T) {
		s := serve(t, aaifhttp.Options{MaxState: 100_000}).withAgent(t)
		s.stream(strings.NewReader(strings.Join(frames(t, s.ready(t, aaiftest.Long(500), "1")), ""))).failed(t, 413, aaif.TooLarge)
		s.nothing(t)
	})
	t.Run("AAIF-13.1-1_the_media_type", func(t *testing.T) {
		for media, status := range map[string]int{ndjson + "; charset=UTF-8": 409, ndjson + "; charset=latin1": 415, "application/json": 415, "application/x-ndjson": 415} {
			s := serve(t, aaifhttp.Options{}).withAgent(t)
			s.stream(strings.NewReader(strings.Join(good, ""))).refusedNot(t)
			if got := s.stream(strings.NewReader(strings.Join(good, "")), "Content-Type: "+media); got.StatusCode != status || got.Header.Get("Accept-Post") != ndjson {
				t.Errorf("%s: %d %v", media, got.StatusCode, got.Header)
			}
		}
		if got := s.do("GET", "https://here.example/aaif/handoff", ""); got.StatusCode != 405 || got.Header.Get("Allow") != "POST" || got.Header.Get("Accept-Post") != ndjson {
			t.Errorf("%d %v", got.StatusCode, got.Header)
		}
	})
	t.Run("AAIF-8.3-10_the_connection_breaks", func(t *testing.T) {
		s := serve(t, aaifhttp.Options{}).withAgent(t)
		s.stream(io.MultiReader(strings.NewReader(strings.Join(good[:3], "")), slowly{errors.New("reset")})).failed(t, 400, "CUT_OFF")
		s.nothing(t)
	})
	t.Run("AAIF-13.1-3_every_step_of_the_platform_fails", func(t *testing.T) {
		for _, operation := range []string{"admit", "receive"} {
			s := serve(t, aaifhttp.Options{}).withAgent(t)
			s.platform.Before = func(o string) error {
				if o == operation {
					return errors.New("the disk is full")
				}
				return nil
			}
			s.stream(strings.NewReader(strings.Join(good, ""))).failed(t, 500, "INTERNAL")
			s.nothing(t)
			if fmt.Sprint(s.causes) != "[the disk is full]" {
				t.Error(s.causes)
			}
		}
	})
	t.Run("no_place", func(t *testing.T) {
		s := serve(t, aaifhttp.Options{Slots: func(*http.Request) (func(), bool) { return nil, false }})
		s.stream(untouchable{t}).failed(t, 429, "RATE_LIMITED")
	})
	t.Run("AAIF-8.3-5_a_plain_listener_never_reads", func(t *testing.T) {
		s := serve(t, aaifhttp.Options{})
		r := httptest.NewRequest("POST", "/aaif/handoff", untouchable{t})
		r.Header.Set("Content-Type", ndjson)
		s.send(r).failed(t, 426, aaifhttp.TLSRequired)
		r.TLS = &tls.ConnectionState{}
		r.Header.Set("Content-Type", "text/plain")
		s.send(r).failed(t, 415, "UNSUPPORTED_MEDIA_TYPE")
	})
}

// refusedNot makes sure that a state came in.
func (s said) refusedNot(t testing.TB) {
	t.Helper()
	if s.StatusCode != 200 {
		t.Errorf("%d %s", s.StatusCode, s.body)
	}
}
