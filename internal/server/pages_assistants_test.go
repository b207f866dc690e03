package server_test

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/assistant"
	"github.com/satchel-memory/satchel/internal/vault/visit"
	"github.com/satchel-memory/satchel/memory"
)

// guest is a browser that was let in to a house.
type guest struct {
	house
	cookie string
}

// see loads a page.
func (b guest) see(t *testing.T, path string) string {
	t.Helper()
	got := b.look(t, "GET", path, "", b.cookie)
	if got.StatusCode != 200 {
		t.Fatalf("%s: %d %s", path, got.StatusCode, got.body)
	}
	return string(got.body)
}

// send sends a form of a page.
func (b guest) send(t *testing.T, path, form string) answer {
	t.Helper()
	_, port, _ := strings.Cut(b.address, ":")
	token := tokenField.FindStringSubmatch(b.see(t, "/me/help"))[1]
	return b.look(t, "POST", path, "token="+token+"&"+form, b.cookie, "Origin: http://"+pageHost+":"+port)
}

// recalls asks as a program over MCP, and returns the answer.
func (h house) recalls(t *testing.T, bearer, question string) (string, bool) {
	t.Helper()
	got, err := h.dialAs(t, "2025-06-18", bearer).CallTool(t.Context(), &mcp.CallToolParams{Name: "ump_recall", Arguments: map[string]any{"query": question}})
	if err != nil {
		t.Fatal(err)
	}
	return got.Content[0].(*mcp.TextContent).Text, got.IsError
}

// The page of a memory says who read it within two seconds, and a host that is paused on a page
// is refused (A10).
func TestPagesOfAssistants(t *testing.T) {
	t.Parallel()
	h := paged(t, func(o *server.Options) {
		o.Pages.Hosts = func() []server.Host {
			return []server.Host{{Name: "some", Title: "Some Host", Calls: []string{"some-host"}, Installed: true, Connected: true, File: "/home/ana/.some.json"}}
		}
	})
	b := guest{h, h.letIn(t)}
	h.remember(t, "Ana likes quinces.")
	if said, failed := h.recalls(t, token, "who likes quinces?"); failed || !strings.Contains(said, "Ana likes quinces") {
		t.Fatal(said)
	}
	id := regexp.MustCompile(`href="(/me/memories/[a-z0-9]{20,})"`).FindStringSubmatch(b.see(t, "/me/memories"))[1]
	for asked := time.Now(); !strings.Contains(b.see(t, id), `read by <a href="/me/assistants/some"><bdi>Some Host</bdi></a>`); time.Sleep(20 * time.Millisecond) {
		if time.Since(asked) > 10*time.Second {
			t.Fatal(b.see(t, id))
		}
	}
	for path, want := range map[string]string{"/me/assistants": "read 1 memory in 1 answer", "/me/assistants/some": "Ana likes quinces."} {
		if body := b.see(t, path); !strings.Contains(body, want) || !strings.Contains(body, "Some Host") {
			t.Errorf("%s: %s", path, body)
		}
	}
	if got := b.send(t, "/me/assistants/some/pause", ""); got.StatusCode != 303 {
		t.Fatalf("%d %s", got.StatusCode, got.body)
	}
	if said, failed := h.recalls(t, token, "who likes quinces?"); !failed || strings.Contains(said, "Ana likes") || !strings.Contains(said, "satchel resume some") {
		t.Errorf("a paused host gets %s", said)
	}
	if body := b.see(t, "/me/assistants/some"); !strings.Contains(body, "Paused since") {
		t.Error(body)
	}
	if got := b.send(t, "/me/assistants/some/resume", ""); got.StatusCode != 303 {
		t.Fatalf("%d %s", got.StatusCode, got.body)
	}
	if said, failed := h.recalls(t, token, "who likes quinces?"); failed {
		t.Errorf("after the pause: %s", said)
	}
	for _, path := range []string{"/me/assistants/nobody", "/me/memories/zzzzzzzzzzzz/readers"} {
		if got := h.look(t, "GET", path, "", b.cookie); got.StatusCode != 404 {
			t.Errorf("%s: %d", path, got.StatusCode)
		}
	}
}

// A token is made with a code, lets in until it is revoked, and the log says all of it.
func TestPagesOfTokens(t *testing.T) {
	t.Parallel()
	h := paged(t)
	b, other := guest{h, h.letIn(t)}, guest{h, h.letIn(t)}
	if _, err := h.vault.Remember(t.Context(), h.self(), memory.Draft{Record: memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: "Ana likes quinces."},
		Scope: memory.Scope{Owner: h.owner, Visibility: memory.Shared}}}); err != nil {
		t.Fatal(err)
	}
	const order = "read=yes&days=7&name=Printer&sure=yes"
	if got := b.send(t, "/me/sharing/mint", order); got.StatusCode != 403 {
		t.Fatalf("without a code: %d", got.StatusCode)
	}
	code, err := visit.New(h.vault).IssueCode(t.Context(), h.self())
	if err != nil {
		t.Fatal(err)
	}
	got := b.send(t, "/me/sharing/mint", order+"&code="+url.QueryEscape(code.Code))
	made := regexp.MustCompile(`id="secret">([^<]+)<`).FindStringSubmatch(string(got.body))
	if got.StatusCode != 200 || made == nil {
		t.Fatalf("%d %s", got.StatusCode, got.body)
	}
	if said, failed := h.recalls(t, made[1], "who likes quinces?"); failed || !strings.Contains(said, "Ana likes quinces") {
		t.Fatal(said)
	}
	h.vault.Flush(t.Context())
	page := b.see(t, "/me/sharing")
	id := regexp.MustCompile(`name="id" value="([^"]+)"><button type="submit" class="danger" aria-label="Revoke Printer"`).FindStringSubmatch(page)
	if id == nil || strings.Contains(page, made[1]) || !strings.Contains(page, "/me/assistants/token:"+id[1]) {
		t.Fatal(page)
	}
	if body := b.see(t, "/me/assistants/token:"+id[1]); !strings.Contains(body, "Ana likes quinces.") {
		t.Error(body)
	}
	grants := func() int {
		all, err := h.vault.Tokens(t.Context(), h.self())
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	if got := b.send(t, "/me/sharing/revoke", "id=somebody-elses"); got.StatusCode != 404 || grants() != 1 {
		t.Errorf("an unknown token: %d, %d tokens", got.StatusCode, grants())
	}
	if got := b.send(t, "/me/sharing/revoke", "id="+id[1]); got.StatusCode != 303 {
		t.Fatalf("%d %s", got.StatusCode, got.body)
	}
	if got := h.do(t, "POST", "/ump/recall", `{"query":"who?"}`, bearing(made[1])); got.StatusCode != 401 {
		t.Errorf("a revoked token: %d", got.StatusCode)
	}
	visits := regexp.MustCompile(`action="/me/sharing/end">.*?name="id" value="([^"]+)"`).FindAllStringSubmatch(b.see(t, "/me/sharing"), -1)
	if len(visits) != 1 {
		t.Fatalf("%q", visits)
	}
	if got := b.send(t, "/me/sharing/end", "id="+visits[0][1]); got.StatusCode != 303 {
		t.Fatalf("%d %s", got.StatusCode, got.body)
	}
	if got := h.look(t, "GET", "/me/", "", other.cookie); got.StatusCode != 303 {
		t.Errorf("a browser that was turned out: %d", got.StatusCode)
	}
	b.finds(t)
}

// A memory that is shared on its page is a new version for those who hold a token, until it is
// made private.
func TestPagesShare(t *testing.T) {
	t.Parallel()
	h := paged(t)
	b := guest{h, h.letIn(t)}
	private := memory.Record{Kind: memory.Semantic, Scope: memory.Scope{Owner: h.owner}, Body: memory.Body{Text: "Ana likes quinces."}}
	if _, err := h.vault.Remember(t.Context(), h.self(), memory.Draft{Record: private}); err != nil {
		t.Fatal(err)
	}
	bearer, _ := h.mint(t, vault.TokenOrder{Verbs: []memory.Verb{memory.ReadVerb}, Expires: time.Now().Add(time.Hour)})
	path := regexp.MustCompile(`href="(/me/memories/[a-z0-9]{20,})"`)
	seen := func() bool {
		said, _ := h.recalls(t, bearer, "who likes quinces?")
		return strings.Contains(said, "Ana likes")
	}
	code, err := visit.New(h.vault).IssueCode(t.Context(), h.self())
	if err != nil {
		t.Fatal(err)
	}
	if seen() {
		t.Fatal("a private memory is seen")
	}
	got := b.send(t, path.FindStringSubmatch(b.see(t, "/me/memories"))[1]+"/share", "with=shared&sure=yes&code="+code.Code)
	if got.StatusCode != 303 || !seen() {
		t.Fatalf("%d %s", got.StatusCode, got.body)
	}
	shared, _, _ := strings.Cut(got.Header.Get("Location"), "?")
	if got := b.send(t, shared+"/unshare", ""); got.StatusCode != 303 {
		t.Fatalf("%d %s", got.StatusCode, got.body)
	}
	if body := b.see(t, "/me/memories"); !strings.Contains(body, "Ana likes") || strings.Contains(body, `class="mark open"`) {
		t.Errorf("it is shared still: %s", body)
	}
}

// finds sees what the log says at the end of TestPagesOfTokens.
func (b guest) finds(t *testing.T) {
	t.Helper()
	b.vault.Flush(t.Context())
	for path, want := range map[string]string{
		"/me/audit": "gave a token", "/me/audit?act=revoke": "token Printer", "/me/audit?who=Printer": "read memories", "/me/audit?act=erase": "Nothing matches", "/me/audit?verify=1": "The log is intact",
	} {
		if body := b.see(t, path); !strings.Contains(body, want) {
			t.Errorf("%s: no %q in %s", path, want, body)
		}
	}
	acts := map[string]int{}
	for i, line := range strings.Split(strings.TrimSpace(b.see(t, "/me/audit/log.ndjson")), "\n") {
		var e struct {
			Number int
			Act    string
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.Number != i {
			t.Fatalf("%v %s", err, line)
		}
		acts[e.Act]++
	}
	if acts["grant"] != 1 || acts["revoke"] != 1 || acts["enter"] != 2 || acts["read"] == 0 {
		t.Errorf("%v", acts)
	}
}

// The log is shown in pages of fifty.
func TestPagesOfTheLog(t *testing.T) {
	t.Parallel()
	h := paged(t)
	b := guest{h, h.letIn(t)}
	for range 60 {
		if _, _, err := h.vault.MintToken(t.Context(), h.self(), vault.TokenOrder{Verbs: []memory.Verb{memory.ReadVerb}, Expires: time.Now().Add(time.Hour)}); err != nil {
			t.Fatal(err)
		}
	}
	older := regexp.MustCompile(`rel="next" href="([^"]+)"`)
	first := b.see(t, "/me/audit")
	next := older.FindStringSubmatch(first)
	if n := strings.Count(first, "gave a token</span>"); n != 50 || next == nil {
		t.Fatalf("%d on the first page, %q", n, next)
	}
	last := b.see(t, strings.ReplaceAll(next[1], "&amp;", "&"))
	if n := strings.Count(last, "gave a token</span>"); n != 10 || older.MatchString(last) || !strings.Contains(last, "opened these pages") {
		t.Errorf("%d on the second page", n)
	}
}

// An assistant whose name is in another script has a page and can be paused, and the log
// names the role of the visitor.
func TestPagesOfAnAssistantInAnyScript(t *testing.T) {
	t.Parallel()
	log := &record{}
	h := paged(t, func(o *server.Options) { o.Log = log.logger() })
	b := guest{h, h.letIn(t)}
	name := "مساعد"
	at := "/me/assistants/" + url.PathEscape(name)
	if got := b.send(t, at+"/pause", ""); got.StatusCode != 404 {
		t.Errorf("unknown: %d", got.StatusCode)
	}
	if err := assistant.New(h.vault).Pause(t.Context(), h.self(), name); err != nil {
		t.Fatal(err)
	}
	if body := b.see(t, "/me/assistants"); !strings.Contains(body, at) {
		t.Fatalf("no link to it: %s", body)
	}
	if body := b.see(t, at); !strings.Contains(body, name) || !strings.Contains(body, "Paused since") {
		t.Errorf("%s", body)
	}
	if got := b.send(t, at+"/resume", ""); got.StatusCode != 303 {
		t.Errorf("%d %s", got.StatusCode, got.body)
	}
	for _, line := range strings.Split(log.String(), "\n") {
		if strings.Contains(line, `"/me/assistants/{name}/resume"`) && !strings.Contains(line, `"role":"owner"`) {
			t.Errorf("the log: %s", line)
		}
	}
	if strings.Contains(log.String(), name) || !strings.Contains(log.String(), `"/me/assistants/{name}"`) {
		t.Error("the log names the assistant, or not the route")
	}
}
