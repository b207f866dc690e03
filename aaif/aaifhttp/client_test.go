package aaifhttp_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/aaifhttp"
	"github.com/satchel-memory/satchel/aaif/aaiftest"
	"github.com/satchel-memory/satchel/aaif/handoff"
	"github.com/satchel-memory/satchel/internal/httpkit"
)

// overTLS lets a site listen on the loopback interface, and returns its address and a
// client that trusts it.
func overTLS(t testing.TB, h http.Handler, version int) (string, aaifhttp.Client) {
	t.Helper()
	server := httptest.NewUnstartedServer(h)
	server.EnableHTTP2 = version == 2
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.URL, aaifhttp.Client{HTTP: server.Client(), Token: token}
}

// nowhere is a client that must not connect to anything.
func nowhere(t testing.TB) aaifhttp.Client {
	dial := func(context.Context, string, string) (net.Conn, error) {
		t.Error("a socket was opened")
		return nil, errors.New("nowhere")
	}
	return aaifhttp.Client{HTTP: &http.Client{Transport: &http.Transport{DialContext: dial, DialTLSContext: dial}}}
}

func TestMigration(t *testing.T) {
	for version, name := range map[int]string{1: "HTTP/1.1", 2: "HTTP/2"} {
		t.Run("AAIF-8.2-3_whole_and_as_a_stream_over_"+name, func(t *testing.T) {
			s := serve(t, aaifhttp.Options{BaseOptions: httpkit.BaseOptions{Now: time.Now}}).withAgent(t)
			at, client := overTLS(t, s, version)
			client.Token = ""
			whole := s.ready(t, aaiftest.Checkpoint(), "1")
			landed, err := client.PushState(t.Context(), at+"/aaif/states", whole)
			if err != nil || landed.StateID != aaiftest.StateID || landed.AgentID != aaiftest.AgentID || landed.Status != aaif.AwaitingApproval || !landed.Received.Equal(aaiftest.Noon()) {
				t.Fatalf("%+v %v", landed, err)
			}
			if err := client.Handoff(t.Context(), at+"/aaif/handoff", s.ready(t, aaiftest.Checkpoint(), "2")); err != nil {
				t.Fatal(err)
			}
			s.holds(t, 2)
			for _, err := range []error{
				client.Handoff(t.Context(), at+"/aaif/handoff", s.ready(t, aaiftest.Checkpoint(), "2")),
				second(client.PushState(t.Context(), at+"/aaif/states", whole)),
			} {
				if refusal, ok := errors.AsType[*aaifhttp.Refusal](err); !ok || refusal.Status != 409 || refusal.Code != aaif.TokenReplayed || aaif.CodeOf(err) != aaif.TokenReplayed {
					t.Errorf("AAIF-8.2-8 a second use: %v", err)
				}
			}
			s.holds(t, 2)
		})
		t.Run("AAIF-8.3-6_an_early_refusal_is_heard_over_"+name, func(t *testing.T) {
			s := serve(t, aaifhttp.Options{BaseOptions: httpkit.BaseOptions{Now: time.Now}, MaxState: 64 << 20}).withAgent(t)
			at, client := overTLS(t, s, version)
			counted := &counter{RoundTripper: client.HTTP.Transport}
			client.HTTP.Transport = counted
			s.source.Name = "elsewhere.example"
			state := s.ready(t, aaiftest.Long(30_000), "1")
			err := client.Handoff(t.Context(), at+"/aaif/handoff", state)
			_, cut := errors.AsType[*net.OpError](err) // HTTP/1.1 may lose the answer with the connection
			if aaif.CodeOf(err) != aaif.TokenInvalid && !(cut && version == 1) {
				t.Error(err)
			}
			if all := int64(len(state.Append(nil))); counted.bytes.Load() >= all/2 {
				t.Errorf("%d of %d bytes were sent", counted.bytes.Load(), all)
			}
			s.nothing(t)
		})
	}
	t.Run("refused_by_kind", func(t *testing.T) {
		s := serve(t, aaifhttp.Options{BaseOptions: httpkit.BaseOptions{Now: time.Now}})
		at, client := overTLS(t, s, 1)
		if err := client.Handoff(t.Context(), at+"/aaif/handoff", s.ready(t, aaiftest.Checkpoint(), "1")); aaif.CodeOf(err) != aaif.AgentUnknown {
			t.Error(err)
		}
		_, err := client.PushState(t.Context(), at+"/aaif/states", s.ready(t, aaiftest.Checkpoint(), "1"))
		if aaif.CodeOf(err) != aaif.AgentUnknown {
			t.Error(err)
		}
		s.nothing(t)
	})
}

func second[T any](_ T, err error) error { return err }

// counter counts what is sent of bodies.
type counter struct {
	http.RoundTripper
	bytes atomic.Int64
}

func (c *counter) RoundTrip(r *http.Request) (*http.Response, error) {
	body := r.Body
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.TeeReader(body, c), body}
	return c.RoundTripper.RoundTrip(r)
}

func (c *counter) Write(p []byte) (int, error) {
	c.bytes.Add(int64(len(p)))
	return len(p), nil
}

func TestClientStaysInside(t *testing.T) {
	state := serve(t, aaifhttp.Options{}).ready(t, aaiftest.Checkpoint(), "1")
	for _, address := range []string{"http://peer.example/aaif/handoff", "ws://peer.example/aaif/handoff", "http://127.0.0.1:1/aaif/handoff", "http://localhost:1/x", "ftp://peer.example/"} {
		t.Run("AAIF-13.1-2_TLS_REQUIRED_"+address, func(t *testing.T) {
			client := nowhere(t)
			if err := client.Handoff(t.Context(), address, state); aaif.CodeOf(err) != aaifhttp.TLSRequired {
				t.Error(err)
			}
			if _, err := client.PushState(t.Context(), address, state); aaif.CodeOf(err) != aaifhttp.TLSRequired {
				t.Error(err)
			}
			if strings.Contains(address, "peer") {
				if _, err := client.FetchManifest(t.Context(), address); aaif.CodeOf(err) != aaifhttp.TLSRequired {
					t.Error(err)
				}
			}
		})
	}
	t.Run("what_cannot_be_sent_connects_to_nothing", func(t *testing.T) {
		client := nowhere(t)
		broken := aaiftest.Checkpoint()
		if err := client.Handoff(t.Context(), "https://peer.example/aaif/handoff", broken); err == nil {
			t.Error("it was sent")
		}
		if _, err := client.PushState(t.Context(), "https://peer.example/aaif/states", broken); aaif.CodeOf(err) != aaif.ChecksumMismatch {
			t.Error(err)
		}
		for _, address := range []string{"wss://peer.example/x", "https://user:word@peer.example/x", "peer.example", "https:///x", "%"} {
			if err := client.Handoff(t.Context(), address, state); err == nil {
				t.Errorf("%s was sent to", address)
			}
		}
	})
	t.Run("AAIF-13.1-4_a_fragment_is_dropped_with_a_warning", func(t *testing.T) {
		s := serve(t, aaifhttp.Options{}).withAgent(t)
		at, client := overTLS(t, s, 1)
		var warned []string
		client.Warn, client.Token = func(text string) { warned = append(warned, text) }, ""
		if err := client.Handoff(t.Context(), at+"/aaif/handoff#here", s.ready(t, aaiftest.Checkpoint(), "1")); err != nil || len(warned) != 1 {
			t.Errorf("%v %q", err, warned)
		}
	})
	t.Run("AAIF-12-11_this_machine_when_told_so", func(t *testing.T) {
		s := serve(t, aaifhttp.Options{Local: true}).withAgent(t)
		server := httptest.NewServer(s)
		t.Cleanup(server.Close)
		state := s.ready(t, aaiftest.Checkpoint(), "1")
		if err := (aaifhttp.Client{Local: true}).Handoff(t.Context(), server.URL+"/aaif/handoff", state); err != nil {
			t.Error(err)
		}
	})
	t.Run("it_is_not_sent_on_to_elsewhere", func(t *testing.T) {
		reached := false
		other, _ := overTLS(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }), 1)
		for _, to := range []string{other, "/elsewhere"} {
			at, client := overTLS(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/elsewhere" {
					reached = true
				}
				http.Redirect(w, r, to, http.StatusTemporaryRedirect)
			}), 1)
			client.HTTP.Transport.(*http.Transport).TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
			if err := client.Handoff(t.Context(), at+"/x", state); err == nil {
				t.Error("the handoff was sent on")
			}
			if _, err := client.PushState(t.Context(), at+"/x", state); err == nil {
				t.Error("the state was sent on")
			}
			if to == other {
				if _, err := client.FetchManifest(t.Context(), at); !errors.Is(err, aaifhttp.ErrElsewhere) {
					t.Error(err)
				}
			}
		}
		if reached {
			t.Error("somebody else was asked")
		}
	})
	t.Run("another_state_is_not_taken_for_it", func(t *testing.T) {
		at, client := overTLS(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", ndjson)
			_, _ = io.WriteString(w, `{"type":"handoff_complete","checksum":"`+strings.Repeat("0", 64)+`"}`+"\n")
		}), 1)
		if err := client.Handoff(t.Context(), at+"/x", state); aaif.CodeOf(err) != aaif.ChecksumMismatch {
			t.Error(err)
		}
	})
	t.Run("success_before_the_end_is_none", func(t *testing.T) {
		at, client := overTLS(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), 2)
		long := serve(t, aaifhttp.Options{}).ready(t, aaiftest.Long(5000), "1")
		if err := client.Handoff(t.Context(), at+"/x", long); err == nil {
			t.Error("it is taken for success")
		}
	})
}

func TestSlowSender(t *testing.T) {
	s := serve(t, aaifhttp.Options{BaseOptions: httpkit.BaseOptions{Now: time.Now}, Patience: 200 * time.Millisecond}).withAgent(t)
	at, client := overTLS(t, s, 1)
	lines := frames(t, s.ready(t, aaiftest.Checkpoint(), "1"))
	t.Run("AAIF-8.3-12_it_times_out", func(t *testing.T) {
		from, to := io.Pipe()
		defer func() { _ = to.Close() }()
		go func() { _, _ = io.WriteString(to, lines[0]) }()
		r, err := http.NewRequestWithContext(t.Context(), "POST", at+"/aaif/handoff", from)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", handoff.MediaType)
		got, err := client.HTTP.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(got.Body)
		_ = got.Body.Close()
		said{got, body}.failed(t, 408, "TIMEOUT")
		s.nothing(t)
	})
	t.Run("AAIF-8.3-10_it_is_cut_off", func(t *testing.T) {
		conn, err := tls.Dial("tcp", strings.TrimPrefix(at, "https://"), &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(conn, "POST /aaif/handoff HTTP/1.1\r\nHost: here\r\nContent-Type: "+ndjson+"\r\nContent-Length: 100000\r\n\r\n"+strings.Join(lines[:3], ""))
		_ = conn.Close()
		if err := client.Handoff(t.Context(), at+"/aaif/handoff", s.ready(t, aaiftest.Checkpoint(), "2")); aaif.CodeOf(err) != "" || err != nil {
			t.Error(err) // it comes after, so that the other has ended
		}
		s.holds(t, 1)
	})
	t.Run("a_context_that_ends_cuts_it", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := client.Handoff(ctx, at+"/aaif/handoff", s.ready(t, aaiftest.Checkpoint(), "3")); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		s.holds(t, 1)
	})
}
