package server_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// issuedToken returns a capability token of the owner of every house.
func issuedToken(t *testing.T, c ump.Claims) string {
	t.Helper()
	key, err := keys.FromSeed(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	c.Issuer = key.DID()
	if c.Expires.IsZero() {
		c.Expires = time.Now().Add(time.Hour)
	}
	token, err := ump.MintToken(c, key)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// TestLogTellsNothing sends canaries wherever a request has room for one, with
// every kind of credentials, and looks for them in the log.
func TestLogTellsNothing(t *testing.T) {
	t.Parallel()
	log := &record{}
	logger := slog.New(slog.NewTextHandler(log, nil))
	h := buildAs(t, vault.Options{Log: logger}, server.Options{Log: logger, Public: true, FailBurst: 10_000})
	id := ask[outcome](t, h, "POST", "/ump/remember", `{"record":{"body":{"text":"canary text"},"scope":{"project":"github.com/canary/project","agent":"canary-agent"}}}`).ID
	reading := issuedToken(t, ump.Claims{ID: "laptop-1", Verbs: []memory.Verb{memory.ReadVerb}})
	all := issuedToken(t, ump.Claims{ID: "agent-1", Verbs: memory.Verbs()})
	dead := issuedToken(t, ump.Claims{ID: "canary-dead", Verbs: memory.Verbs(), Expires: time.Now().Add(-time.Hour)})
	bodies := []string{
		`{"query":"canary query","scope":{"project":"github.com/canary/project"}}`, `{"record":{"body":{"text":"canary text, too"},"kind":"canary"}}`,
		`{"record":{"body":{"text":"canary text three"}}}`, `{"id":"` + id + `","patch":{"body":{"text":"canary four"}}}`, `{"id":"` + id + `","reason":"other","note":"canary note"}`,
		`{"id":"` + id + `","outcome":"followed","session":"canary-session"}`, `{"canary":`, initialize,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ump_recall","arguments":{"query":"canary query"}}}`,
	}
	paths := []string{"/ump/memory/" + id, "/ump/memory/canary?view=canary", "/ump/recall?canary=canary", "/ump/subscribe?project=canary&last_event_id=canary", "/canary", "//canary", "/ump/canary"}
	for _, credentials := range []string{bearing(token), bearing(reading), bearing(all), bearing(dead), bearing("umpcap.canary"), "Authorization: canary", "Authorization:"} {
		header := []string{credentials, "User-Agent: canary", "Idempotency-Key: canary-" + url.PathEscape(credentials), "Last-Event-ID: canary", "Referer: http://localhost/canary", "Cookie: canary",
			"Content-Type: application/json", "Accept: application/json, text/event-stream"}
		for _, c := range everywhere() {
			for _, body := range bodies {
				h.do(t, c[0], c[1], body, header...)
				if c[0] != "POST" {
					break
				}
			}
		}
		for _, path := range paths {
			h.do(t, "HEAD", path, "", header...)
		}
	}
	h.do(t, "GET", "/", "", "Host: canary.example")
	h.do(t, "GET", "/", "", "Origin: https://canary.example")
	h.do(t, "CANARY", "/", "")
	said := log.String()
	for _, secret := range []string{"canary", "urn:ump:", strings.TrimPrefix(id, "urn:ump:"), token, "umpcap.", string(h.owner), "github.com"} {
		if at := strings.Index(strings.ToLower(said), strings.ToLower(secret)); at >= 0 {
			t.Errorf("the log tells %s: %s", secret, said[max(0, at-300):min(len(said), at+100)])
		}
	}
	for _, word := range []string{"role=owner", "role=peer token=laptop-1", "role=agent token=agent-1", "role=refused", "role=stranger", "route=/ump/feedback", "route=/.well-known/ump/public.ndjson", "status=401", "status=403"} {
		if !strings.Contains(said, word) {
			t.Errorf("the log does not say %s", word)
		}
	}
	for line := range strings.Lines(said) {
		if strings.Contains(line, "status=5") {
			t.Errorf("a fault: %s", line)
		}
	}
}

// TestLogForMachines reads a line of the log as a program would.
func TestLogForMachines(t *testing.T) {
	log := &record{}
	s := start(t, server.Options{Backend: newKeeper(t), Log: log.logger()})
	got := s.do(t, "POST", "/ump/recall", `{"query":"pnpm"}`, bearing(peer))
	var line struct {
		Msg, Level, Request, Method, Route, Role, Token string
		Status, Bytes                                   int
		Took                                            float64 `json:"took_seconds"`
		Aborted                                         *bool
	}
	for end := time.Now().Add(5 * time.Second); log.String() == "" && time.Now().Before(end); time.Sleep(time.Millisecond) {
	}
	if err := json.Unmarshal([]byte(log.String()), &line); err != nil {
		t.Fatalf("%v: %s", err, log)
	}
	if line.Msg != "request" || line.Level != "INFO" || line.Request != got.Header.Get("X-Request-Id") || line.Method != "POST" || line.Route != "/ump/recall" ||
		line.Role != "peer" || line.Token != "peer-1" || line.Status != 200 || line.Bytes != len(got.body) || line.Took <= 0 || line.Took > 5 || line.Aborted == nil || *line.Aborted {
		t.Errorf("%s", log)
	}
}
