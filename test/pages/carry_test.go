package pages_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime/multipart"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// furnish adds what the pages about imports, projects, agents and graphs show.
func furnish(t testing.TB, h *house) {
	t.Helper()
	graph := filepath.Join(t.TempDir(), "memory.jsonl")
	lines := `{"type":"entity","name":"Ana","entityType":"person","observations":["Ana runs the shop in Tartu.","Ana drinks tea without milk."]}
{"type":"entity","name":"The shop","entityType":"company","observations":["The shop sells tea and printed matter.","المتجر يبيع الشاي."]}
{"type":"relation","from":"Ana","to":"The shop","relationType":"owns"}
`
	if err := os.WriteFile(graph, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	h.satchel(t, "import", graph)
	h.satchel(t, "import", "--undo", "1")
	h.satchel(t, "import", graph)
	h.satchel(t, "projects", "alias", "shop-old", "github.com/ana/shop")
	h.satchel(t, "agent", "add", "--keep", filepath.Join("..", "..", "examples", "agents", "clerk.json"))
	h.waitingRun(t)
}

// waitingRun leaves a run that waits for an approval.
func (h *house) waitingRun(t testing.TB) {
	t.Helper()
	demo := filepath.Join("..", "..", "examples", "agents", "demo")
	table := filepath.Join(h.dir, "run", "tools.json")
	if err := os.MkdirAll(filepath.Dir(table), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(table, []byte(`{"functions": [{"name": "book", "command": ["/bin/true"]}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	h.satchel(t, "agent", "add", filepath.Join(demo, "clerk.json"))
	h.satchel(t, "agent", "grant", "7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a11", "book")
	said, err := h.try("agent", "run", "7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a11", "--input", "Book 12 and 900.", "--model", "script:"+filepath.Join(demo, "script.jsonl"))
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 5 {
		t.Fatalf("no run waits: %v %s", err, said)
	}
}

// carriedViews are the pages about what comes in, goes out and is kept, by name.
func carriedViews(t testing.TB, h *house, list string) map[string]string {
	t.Helper()
	all := map[string]string{
		"imports": "/me/imports", "timeline": "/me/timeline", "timeline-day": "/me/timeline?at=2020-01-01", "projects": "/me/projects", "agents": "/me/agents", "runs": "/me/runs",
		"export": "/me/export", "export-plan": "/me/export?format=ump", "health": "/me/health", "settings": "/me/settings", "erase-all": "/me/settings/erase",
	}
	var found struct {
		Records []struct {
			ID        string
			Body      struct{ Text string }
			Relations []struct{ Target string }
		}
	}
	if err := json.Unmarshal([]byte(list), &found); err != nil {
		t.Fatal(err)
	}
	for _, r := range found.Records {
		id := strings.TrimPrefix(r.ID, "urn:ump:")
		if strings.Contains(r.Body.Text, "at eight") {
			all["timeline-one"] = "/me/timeline?subject=" + id
		}
		if len(r.Relations) > 0 && all["graph"] == "" {
			all["graph"], all["graph-far"] = "/me/graph/"+id, "/me/graph/"+id+"?depth=2"
		}
	}
	if all["graph"] == "" {
		return all
	}
	cookie := h.cookie(t)
	all["import"], all["undo"], all["join"] = "/me/imports/2", "/me/imports/2/undo", "/me/projects/join?alias=github.com%2Fana%2Fshop&project=shop"
	all["upload"] = h.send(t, cookie, "new.md", "- Ana likes quinces.\n- العربية: نص من اليمين إلى اليسار\n- key sk-proj-"+strings.Repeat("a1B2", 12)+"\n")
	all["upload-broken"] = h.send(t, cookie, "broken.ump.json", `[{"kind":"opinion","body":{"text":"tea"}}]`)
	for _, path := range []string{all["upload"], all["upload-broken"]} {
		h.await(t, cookie, path, `/drop"`)
	}
	_, body := request(t, "GET", "http://"+h.addr+"/me/agents", "", cookie)
	_, id, _ := strings.Cut(body, `class="text" href="/me/agents/`)
	id, _, _ = strings.Cut(id, `"`)
	all["agent"] = "/me/agents/" + id
	_, runs := request(t, "GET", "http://"+h.addr+"/me/runs", "", cookie)
	_, run, _ := strings.Cut(runs, `class="text" href="`)
	if run, _, found := strings.Cut(run, `"`); found {
		all["run"] = run
	}
	_, token, _ := strings.Cut(body, `name="token" value="`)
	token, _, _ = strings.Cut(token, `"`)
	request(t, "POST", "http://"+h.addr+"/me/health/check", "token="+token, cookie, "Content-Type: application/x-www-form-urlencoded")
	h.await(t, cookie, "/me/health", "Checked <time")
	return all
}

// send brings a file as a form does, and returns its page.
func (h *house) send(t testing.TB, cookie, name, content string) string {
	t.Helper()
	_, page := request(t, "GET", "http://"+h.addr+"/me/imports", "", cookie)
	_, token, _ := strings.Cut(page, `name="token" value="`)
	token, _, _ = strings.Cut(token, `"`)
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	err := w.WriteField("token", token)
	if err == nil {
		part, failed := w.CreateFormFile("file", name)
		if err = failed; err == nil {
			_, err = part.Write([]byte(content))
		}
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	got, said := request(t, "POST", "http://"+h.addr+"/me/imports", body.String(), cookie, "Content-Type: "+w.FormDataContentType())
	if got.StatusCode != 303 {
		t.Fatalf("%s: %d %s", name, got.StatusCode, said)
	}
	return got.Header.Get("Location")
}

// await loads a page until it says something: to check a large store takes a busy machine long.
func (h *house) await(t testing.TB, cookie, path, says string) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(25 * time.Millisecond) {
		if _, body := request(t, "GET", "http://"+h.addr+path, "", cookie); strings.Contains(body, says) {
			return
		}
	}
	t.Fatalf("%s never says %q", path, says)
}

// chats is a zip file with so many conversations, as ChatGPT exports them.
func chats(t testing.TB, n int) string {
	t.Helper()
	type object map[string]any
	var all []object
	for i := range n {
		say := func(id, parent string, children []string, role, text string) object {
			return object{"id": id, "parent": parent, "children": children, "message": object{"id": id, "author": object{"role": role}, "create_time": 1735718400 + i*60,
				"content": object{"content_type": "text", "parts": []string{text}}, "metadata": object{}, "weight": 1, "recipient": "all"}}
		}
		all = append(all, object{"title": fmt.Sprintf("Harbour plan %d", i), "create_time": 1735718400 + i*60, "update_time": 1735718400 + i*60, "conversation_id": fmt.Sprint("c", i), "current_node": "b",
			"mapping": object{"root": object{"id": "root", "parent": nil, "children": []string{"a"}, "message": nil},
				"a": say("a", "root", []string{"b"}, "user", fmt.Sprintf("What is at pier %d?", i)), "b": say("b", "a", nil, "assistant", fmt.Sprintf("Pier %d has the ferry.", i))}})
	}
	path := filepath.Join(t.TempDir(), "chatgpt.zip")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	w, err := z.Create("conversations.json")
	if err == nil {
		err = json.NewEncoder(w).Encode(all)
	}
	if err == nil {
		err = z.Close()
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// tabTo presses the tab key until what has the focus says something, and presses enter.
func (b *tab) tabTo(t testing.TB, says string) {
	t.Helper()
	for range 80 {
		b.do(t, chromedp.KeyEvent("\t"))
		if eval[string](t, b, `(document.activeElement.innerText || document.activeElement.ariaLabel || "").trim()`) == says {
			b.do(t, chromedp.KeyEvent("\r"))
			return
		}
	}
	t.Fatalf("the keyboard does not get to %q: %s", says, eval[string](t, b, `document.body.innerText`))
}

// awaits waits until the page says something, also where it loads itself again.
func (b *tab) awaits(t testing.TB, says string) {
	t.Helper()
	b.awaitsWithin(t, 15*time.Second, says)
}

func (b *tab) awaitsWithin(t testing.TB, within time.Duration, says string) {
	t.Helper()
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if strings.Contains(b.whole(), says) {
			return
		}
	}
	t.Fatalf("the page never says %q: %s", says, b.whole())
}

// whole returns the text of the whole page, "" while the next page comes.
func (b *tab) whole() string {
	ctx, done := context.WithTimeout(b.ctx, 5*time.Second)
	defer done()
	text, _ := chromedp.Run(ctx, chromedp.Evaluate[string](`document.body ? document.body.innerText : ""`)) // a page that goes answers nothing
	return text
}

// TestUndoImportByKeyboard imports a file and takes it back, with the keyboard alone; once
// with scripts, and once without (A7). Only the window of the system that chooses a file is
// passed over.
func TestUndoImportByKeyboard(t *testing.T) {
	file := chats(t, 60)
	for _, scripts := range []bool{true, false} {
		t.Run(fmt.Sprint("scripts ", scripts), func(t *testing.T) {
			h := empty(t)
			before := h.list(t)
			b := newTab(t)
			b.enter(t, h)
			if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !scripts}); err != nil {
				t.Fatal(err)
			}
			b.see(t, "/me/")
			b.tabTo(t, "Imports")
			b.awaits(t, "Bring what you have")
			b.do(t, chromedp.SetUploadFiles("input[type=file]", []string{file}))
			b.tabTo(t, "Send and look")
			b.awaits(t, "Nothing has changed yet")
			if h.list(t) != before {
				t.Error("to look changed something")
			}
			b.tabTo(t, "Import")
			b.awaits(t, "came in.")
			b.tabTo(t, "Import 1")
			b.awaits(t, "All of it is here")
			b.tabTo(t, "Take it back…")
			b.awaits(t, "memories go")
			b.tabTo(t, "Take it back")
			b.awaits(t, "It was taken back")
			if after := h.list(t); after != before {
				t.Errorf("before %s, after %s", before, after)
			}
			b.clean(t, "importing")
		})
	}
}
