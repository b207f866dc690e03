package server_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

func (h house) self() memory.Caller { return memory.Caller{Owner: h.owner, Role: memory.Owner} }

// mint returns a token and its id.
func (h house) mint(t *testing.T, o vault.TokenOrder) (token, id string) {
	t.Helper()
	token, g, err := h.vault.MintToken(t.Context(), h.self(), o)
	if err != nil {
		t.Fatal(err)
	}
	return token, g.ID
}

func (h house) remember(t *testing.T, text string) {
	t.Helper()
	r := memory.Record{Kind: memory.Semantic, Scope: memory.Scope{Owner: h.owner, Visibility: memory.Shared}, Body: memory.Body{Text: text}}
	if _, err := h.vault.Remember(t.Context(), h.self(), memory.Draft{Record: r}); err != nil {
		t.Fatal(err)
	}
}

func TestRevocationEndsWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	h := build(t)
	h.running = startOn(t, smallBuffers{listen(t)}, h.owner, server.Options{Backend: server.Over(h.vault)})
	const memories, size = 10, 200_000 // more than the system holds of an export that nobody reads
	for i := range memories {
		h.remember(t, fmt.Sprint(i)+strings.Repeat(" "+strings.Repeat("long", 50), size/200)) // in few words, which it is found by
	}
	everything := vault.TokenOrder{Verbs: memory.Verbs(), Project: "", Visibility: memory.Shared, Expires: time.Now().Add(time.Hour)}
	revoked := func(id string) {
		if err := h.vault.RevokeToken(t.Context(), h.self(), id); err != nil {
			t.Error(err)
		}
	}
	t.Run("UMP-5.2-8 a body that trickles in", func(t *testing.T) {
		for path, text := range map[string]string{
			"/ump/remember": `{"record":{"kind":"semantic","body":{"text":"too late"}}}`,
			"/mcp":          `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`,
		} {
			bearer, id := h.mint(t, everything)
			c := connect(t, h.running, fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: %d\r\n\r\n%s",
				path, bearer, len(text), text[:20]))
			time.Sleep(200 * time.Millisecond)
			revoked(id)
			time.Sleep(1200 * time.Millisecond)
			if _, err := io.WriteString(c, text[20:]); err != nil {
				t.Fatal(err)
			}
			got, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				t.Fatal(err)
			}
			said, _ := io.ReadAll(got.Body)
			if (answer{got, said}).code(t) != memory.Unauthorized || got.StatusCode != 401 {
				t.Errorf("%s: %d %s", path, got.StatusCode, said)
			}
		}
	})
	t.Run("UMP-5.2-8 an export", func(t *testing.T) {
		bearer, id := h.mint(t, everything)
		whole := h.do(t, "GET", "/ump/export?format=ndjson", "", bearing(bearer))
		if whole.StatusCode != 200 || len(whole.body) < memories*size {
			t.Fatalf("%d, %d bytes", whole.StatusCode, len(whole.body))
		}
		c := connect(t, h.running, "GET /ump/export?format=ndjson HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+bearer+"\r\n\r\n")
		if err := c.(*net.TCPConn).SetReadBuffer(64 << 10); err != nil {
			t.Fatal(err)
		}
		got, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil || got.StatusCode != 200 {
			t.Fatalf("%+v %v", got, err)
		}
		revoked(id)
		time.Sleep(2500 * time.Millisecond)
		n, err := io.Copy(io.Discard, got.Body)
		if err == nil || n >= int64(len(whole.body)) {
			t.Errorf("%d bytes of %d, %v", n, len(whole.body), err)
		}
	})
}

// TestSkewIsOneRule uses a token half a minute after it has expired.
func TestSkewIsOneRule(t *testing.T) {
	t.Parallel()
	h := build(t)
	h.remember(t, "the gate is green")
	bearer, _ := h.mint(t, vault.TokenOrder{Verbs: memory.Verbs(), Visibility: memory.Shared, Project: "", Expires: time.Now().Add(50 * time.Millisecond)})
	time.Sleep(100 * time.Millisecond)
	for _, r := range [][3]string{{"POST", "/ump/recall", `{"query":"gate"}`}, {"GET", "/ump/export", ""}, {"HEAD", "/ump/subscribe", ""}, {"POST", "/mcp", initialize}} {
		got := h.do(t, r[0], r[1], r[2], bearing(bearer), "Content-Type: application/json", "Accept: application/json, text/event-stream")
		if got.StatusCode != 200 {
			t.Errorf("%s: %d %s", r[1], got.StatusCode, got.body)
		}
	}
	if lines := follow(t, http.DefaultClient, "http://"+h.address, bearing(bearer)); len(lines) > 0 {
		t.Errorf("the stream ends with %q", <-lines)
	}
}

func TestRefusalsAreInTheLog(t *testing.T) {
	t.Parallel()
	h := build(t)
	reader, _ := h.mint(t, vault.TokenOrder{Verbs: []memory.Verb{memory.ReadVerb}, Expires: time.Now().Add(time.Hour)})
	for range 3 {
		if got := h.do(t, "POST", "/ump/recall", `{"query":"x"}`, "Authorization:"); got.StatusCode != 401 {
			t.Fatalf("%d", got.StatusCode)
		}
	}
	if got := h.do(t, "GET", "/ump/export", "", bearing(reader)); got.StatusCode != 403 {
		t.Fatalf("%d", got.StatusCode)
	}
	h.vault.Flush(t.Context())
	log, err := h.vault.Audit(t.Context(), h.self(), 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, e := range log {
		if e.Act == "refuse" {
			lines = append(lines, fmt.Sprint(e.Reason, " ", e.Result, " ", e.Count))
		}
	}
	slices.Sort(lines)
	if want := []string{"forbidden_scope /ump/export 1", "unauthorized /ump/recall 3"}; !slices.Equal(lines, want) {
		t.Errorf("%q, want %q", lines, want)
	}
}

func TestSubscribeToAnotherOwner(t *testing.T) {
	t.Parallel()
	h := buildAs(t, vault.Options{}, server.Options{})
	got := h.do(t, "HEAD", "/ump/subscribe?owner=did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK", "", "Last-Event-ID: 7")
	if got.StatusCode != 200 {
		t.Errorf("%d", got.StatusCode)
	}
	found := h.do(t, "POST", "/ump/recall", `{"query":"x","scope":{"owner":"did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK"}}`)
	if found.StatusCode != 200 || !strings.Contains(string(found.body), `"results":[]`) {
		t.Errorf("recall says otherwise: %d %s", found.StatusCode, found.body)
	}
}
