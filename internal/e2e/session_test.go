package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// scenario is a whole conversation of an assistant with its memory.
func scenario(t *testing.T, s *session, name func(string) string) {
	first := s.must(name("remember"), `{"record":{"body":{"text":"Sam works at Acme in Hanoi."}}}`)
	if first["result"] != "created" {
		t.Fatalf("remember: %v", first)
	}
	id := first["id"].(string)
	if got := texts(s.must(name("recall"), `{"query":"Where does Sam work?"}`)); !slices.Equal(got, []string{"Sam works at Acme in Hanoi."}) {
		t.Fatalf("recall: %q", got)
	}
	before := time.Now().UTC().Format(time.RFC3339Nano)
	time.Sleep(20 * time.Millisecond)
	next := s.must(name("revise"), `{"id":"`+id+`","patch":{"body":{"text":"Sam works at Bolt in Hue."}}}`)
	if got := texts(s.must(name("recall"), `{"query":"Where does Sam work?"}`)); !slices.Equal(got, []string{"Sam works at Bolt in Hue."}) {
		t.Fatalf("recall after revise: %q", got)
	}
	then := `{"query":"Where does Sam work?","filter":{"valid_at":"` + before + `"}}`
	if got := texts(s.must(name("recall"), then)); !slices.Equal(got, []string{"Sam works at Acme in Hanoi."}) {
		t.Fatalf("recall at a past time: %q", got)
	}
	if got := s.must(name("get"), `{"id":"`+id+`"}`); got["record"].(map[string]any)["superseded_by"].([]any)[0] != next["id"] {
		t.Fatalf("get: %v", got)
	}
	s.must(name("forget"), `{"id":"`+next["id"].(string)+`","reason":"user_revoked"}`)
	if got := texts(s.must(name("recall"), `{"query":"Where does Sam work?"}`)); len(got) != 0 {
		t.Fatalf("recall after forget: %q", got)
	}
	if _, err := s.call(name("get"), `{"id":"urn:ump:aaaa"}`); err == nil || !strings.Contains(err.Error(), "not_found") {
		t.Fatalf("get of an unknown id: %v", err)
	}
}

func dotted(op string) string { return "ump." + op }

func TestStdio(t *testing.T) {
	t.Parallel()
	for name, play := range map[string]func(*testing.T, *session){
		"UMP-4.1-9 UMP-4.1-3 names with underscores": modelScenario,
		"UMP-4.1-1 names with dots":                  func(t *testing.T, s *session) { scenario(t, s, dotted) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newHome(t).connect()
			defer s.Close()
			play(t, s)
			tools, err := s.ListTools(context.Background(), nil)
			if err != nil {
				t.Fatal(err)
			}
			var listed []string
			for _, tool := range tools.Tools {
				listed = append(listed, tool.Name)
			}
			slices.Sort(listed)
			want := []string{"ump_capabilities", "ump_feedback", "ump_forget", "ump_get", "ump_recall", "ump_remember", "ump_revise"}
			if !slices.Equal(listed, want) {
				t.Fatalf("UMP-1-1 UMP-4.1-2 tools/list names %q, want %q", listed, want)
			}
		})
	}
}

// serve starts satchel serve on a free port and returns its address and token.
func (h *home) serve(args ...string) (string, string) {
	h.Helper()
	cmd := h.command(append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)
	errs, err := cmd.StderrPipe()
	if err != nil {
		h.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		h.Fatal(err)
	}
	h.Cleanup(func() { _ = cmd.Process.Signal(os.Interrupt); _ = cmd.Wait() })
	lines := bufio.NewScanner(errs)
	for lines.Scan() {
		if _, rest, ok := strings.Cut(lines.Text(), "http://"); ok {
			addr, _, _ := strings.Cut(rest, "/")
			go func() {
				for lines.Scan() { // keep the pipe empty
				}
			}()
			token, err := os.ReadFile(filepath.Join(h.dir, "store", "token"))
			if err != nil {
				h.Fatal(err)
			}
			return addr, strings.TrimSpace(string(token))
		}
	}
	h.Fatal("satchel serve said no address")
	return "", ""
}

// bearer adds the owner's token to every request.
type bearer string

// RoundTrip implements http.RoundTripper.
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func TestStreamableHTTP(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	addr, token := h.serve()
	transport := &mcp.StreamableClientTransport{Endpoint: "http://" + addr + "/mcp", HTTPClient: &http.Client{Transport: bearer(token)}}
	c, err := client().Connect(context.Background(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s := &session{TB: t, ClientSession: c}
	scenario(t, s, dotted)
	modelScenario(t, s)
}

func TestHTTP(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	addr, token := h.serve()
	post := func(path, body, auth string) (int, map[string]any) {
		t.Helper()
		r, err := http.NewRequest(http.MethodPost, "http://"+addr+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		if auth != "" {
			r.Header.Set("Authorization", "Bearer "+auth)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var v map[string]any
		if err := json.NewDecoder(resp.Body).Decode(&v); err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, v
	}
	if code, v := post("/ump/remember", `{"record":{"body":{"text":"likes tea"}}}`, token); code != 200 || v["result"] != "created" {
		t.Fatalf("UMP-4.2-2 remember: %d %v", code, v)
	}
	if code, v := post("/ump/recall", `{"query":"tea"}`, token); code != 200 || !slices.Equal(texts(v), []string{"likes tea"}) {
		t.Fatalf("UMP-4.2-1 recall: %d %v", code, v)
	}
	for _, wrong := range []string{"", "nonsense"} {
		if code, v := post("/ump/recall", `{"query":"tea"}`, wrong); code != 401 || v["error"].(map[string]any)["code"] != "unauthorized" {
			t.Fatalf("UMP-3.7-2 recall with token %q: %d %v", wrong, code, v)
		}
	}
	if out := h.run("recall", "tea"); !strings.Contains(out, "likes tea") {
		t.Fatalf("the command line does not see what the server stored: %q", out)
	}
}
