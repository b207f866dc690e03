package server_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// chats is an export of ChatGPT with so many conversations.
func chats(t testing.TB, n int) []byte {
	t.Helper()
	type message map[string]any
	all := make([]message, n)
	began := time.Date(2025, 1, 1, 8, 0, 0, 0, time.UTC).Unix()
	for i := range all {
		say := func(id, parent, child, role, text string, after int) message {
			var children []string
			if child != "" {
				children = []string{child}
			}
			return message{"id": id, "parent": parent, "children": children, "message": message{"id": id, "author": message{"role": role}, "create_time": began + int64(i*600+after),
				"content": message{"content_type": "text", "parts": []string{text}}, "metadata": message{}, "weight": 1, "recipient": "all"}}
		}
		all[i] = message{"title": fmt.Sprintf("Harbour plan %d", i), "create_time": began + int64(i*600), "update_time": began + int64(i*600+60), "conversation_id": fmt.Sprintf("c-%d", i), "current_node": "b",
			"mapping": message{
				"root": message{"id": "root", "parent": nil, "children": []string{"a"}, "message": nil},
				"a":    say("a", "root", "b", "user", fmt.Sprintf("What is at pier %d on Tuesday?", i), 5),
				"b":    say("b", "a", "", "assistant", fmt.Sprintf("Pier %d has the ferry number %d to the islands.", i, i*7), 9),
			}}
	}
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	w, err := z.Create("conversations.json")
	if err == nil {
		err = json.NewEncoder(w).Encode(all)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// send posts a form with a file and returns the answer.
func (h house) send(t *testing.T, cookie, formToken, name string, content []byte, header ...string) answer {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	if formToken != "" {
		if err := form.WriteField("token", formToken); err != nil {
			t.Fatal(err)
		}
	}
	part, err := form.CreateFormFile("file", name)
	if err == nil {
		_, err = part.Write(content)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := strings.Cut(h.address, ":")
	return h.do(t, "POST", "/me/imports", body.String(), append([]string{unnamed, "Host: " + pageHost + ":" + port, cookie, "Content-Type: " + form.FormDataContentType()}, header...)...)
}

// formTokenOf returns what the forms of a visit bring.
func (h house) formTokenOf(t *testing.T, cookie string) string {
	t.Helper()
	return tokenField.FindStringSubmatch(string(h.look(t, "GET", "/me/help", "", cookie).body))[1]
}

// await loads a page until it says something, and returns its body.
func (h house) await(t *testing.T, cookie, path, says string) string {
	t.Helper()
	var body string
	for range 4000 {
		got := h.look(t, "GET", path, "", cookie)
		if body = string(got.body); got.StatusCode != 200 {
			t.Fatalf("%s: %d %s", path, got.StatusCode, body)
		}
		if strings.Contains(body, says) {
			return body
		}
		time.Sleep(30 * time.Millisecond)
	}
	t.Fatalf("%s never says %q: %s", path, says, body)
	return ""
}

// counts is how many memories of each kind the owner has.
func (h house) counts(t *testing.T) string {
	t.Helper()
	var all []int
	for _, kind := range []memory.Kind{memory.Semantic, memory.Episodic, memory.Procedural, memory.Working, memory.Identity} {
		page, err := h.vault.List(t.Context(), h.self(), vault.ListQuery{Kinds: []memory.Kind{kind}, Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page.Total)
	}
	return fmt.Sprint(all)
}

func (h house) press(t *testing.T, cookie, path string, more ...string) answer {
	t.Helper()
	got := h.look(t, "POST", path, "token="+h.formTokenOf(t, cookie)+strings.Join(more, ""), cookie)
	if got.StatusCode != 303 {
		t.Fatalf("%s: %d %s", path, got.StatusCode, got.body)
	}
	return got
}

// A large export is looked at, imported in the background, stopped, continued and taken
// back, and the first page answers meanwhile (A12).
func TestPagesImport(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	h := paged(t, func(o *server.Options) { o.Bundles.Folder = folder })
	h.remember(t, "This was here before.")
	before := h.counts(t)
	cookie := h.letIn(t)
	const talks = 300
	got := h.send(t, cookie, h.formTokenOf(t, cookie), `C:\downloads\chatgpt "2025".zip`, chats(t, talks))
	path := got.Header.Get("Location")
	if got.StatusCode != 303 || !strings.HasPrefix(path, "/me/uploads/") {
		t.Fatalf("%d %s", got.StatusCode, got.body)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("the file has a name, by which it would outlive a kill: %v %v", left, err)
	}
	looked := h.await(t, cookie, path, "Nothing has changed yet")
	if h.counts(t) != before || !strings.Contains(looked, "300 conversations") || !strings.Contains(looked, "chatgpt &#34;2025&#34;") || strings.Contains(looked, "downloads") {
		t.Errorf("before the owner said so: %s\n%s", h.counts(t), looked)
	}
	h.press(t, cookie, path+"/start")
	slowest, seen := time.Duration(0), map[string]bool{}
	progress := regexp.MustCompile(`<strong>([0-9,]+) records?</strong>`)
	for range 4000 {
		began := time.Now()
		if got := h.look(t, "GET", "/me/", "", cookie); got.StatusCode != 200 {
			t.Fatalf("%d", got.StatusCode)
		}
		slowest = max(slowest, time.Since(began))
		body := string(h.look(t, "GET", path, "", cookie).body)
		if m := progress.FindStringSubmatch(body); m != nil {
			seen[m[1]] = true
		}
		if len(seen) > 3 || !strings.Contains(body, "Importing") {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if len(seen) < 4 {
		t.Errorf("progress says %v", seen)
	}
	most := 3 * time.Second // a machine at work is slower
	if os.Getenv("SATCHEL_BUDGETS") == "strict" {
		most = 500 * time.Millisecond
	}
	if slowest > most {
		t.Errorf("the first page took %v", slowest)
	}
	t.Logf("the first page took at most %v", slowest)
	h.press(t, cookie, path+"/stop")
	stopped := h.await(t, cookie, path, "It was stopped")
	part := h.counts(t)
	if part == before || !strings.Contains(stopped, "What came in so far is here and stays") {
		t.Fatalf("stopped with %s: %s", part, stopped)
	}
	time.Sleep(50 * time.Millisecond)
	if now := h.counts(t); now != part {
		t.Errorf("it goes on after it was stopped: %s, then %s", part, now)
	}
	if list := string(h.look(t, "GET", "/me/imports", "", cookie).body); !strings.Contains(list, "in part") {
		t.Errorf("the list does not say that it is stopped: %s", list)
	}
	h.press(t, cookie, path+"/start")
	done := h.await(t, cookie, path, "came in.")
	page, err := h.vault.List(t.Context(), h.self(), vault.ListQuery{Import: 1, Limit: 1})
	if err != nil || page.Total != talks*2 && page.Total < talks {
		t.Errorf("%d memories came in, %v", page.Total, err)
	}
	if !strings.Contains(done, `href="/me/imports/1"`) {
		t.Errorf("no way to the import: %s", done)
	}
	plan := string(h.look(t, "GET", "/me/imports/1/undo", "", cookie).body)
	if !strings.Contains(plan, h.grouped(page.Total)+" memories go") {
		t.Errorf("of %d: %s", page.Total, plan)
	}
	h.press(t, cookie, "/me/imports/1/undo")
	h.await(t, cookie, "/me/imports/1", "It was taken back")
	if after := h.counts(t); after != before {
		t.Errorf("%s before, %s after", before, after)
	}
	if got := h.look(t, "GET", path, "", cookie); got.StatusCode != 404 {
		t.Errorf("the file is still here: %d", got.StatusCode)
	}
}

func (h house) grouped(n int) string {
	digits := strconv.Itoa(n)
	if len(digits) > 3 {
		digits = digits[:len(digits)-3] + "," + digits[len(digits)-3:]
	}
	return digits
}

// Files that are no documents are refused in words, and forms of others are not read.
func TestPagesImportRefuses(t *testing.T) {
	t.Parallel()
	h := paged(t)
	cookie, other := h.letIn(t), h.letIn(t)
	token := h.formTokenOf(t, cookie)
	_, port, _ := strings.Cut(h.address, ":")
	for name, got := range map[string]answer{
		"no token":        h.send(t, cookie, "", "a.md", []byte("- likes tea\n")),
		"another visit's": h.send(t, cookie, h.formTokenOf(t, other), "a.md", []byte("- likes tea\n")),
		"another port":    h.send(t, cookie, token, "a.md", []byte("- likes tea\n"), "Origin: http://"+pageHost+":1"),
		"no cookie":       h.send(t, "X-None: x", token, "a.md", []byte("- likes tea\n")),
		"a plain form":    h.look(t, "POST", "/me/imports", "token="+token, cookie, "Origin: http://"+pageHost+":"+port),
	} {
		if got.StatusCode != 403 {
			t.Errorf("%s: %d %s", name, got.StatusCode, got.body)
		}
	}
	if body := string(h.look(t, "GET", "/me/imports", "", cookie).body); !strings.Contains(body, "Nothing was imported yet") || !strings.Contains(body, "/me/help#chatgpt") {
		t.Errorf("%s", body)
	}
	for name, c := range map[string]struct{ file, content, says string }{
		"empty":           {"a.json", "", "the file is empty"},
		"nothing known":   {"a.bin", "\x00\x01\x02\x03 xxxxxxxxxx", "in no format known here"},
		"a damaged zip":   {"a.zip", "PK\x03\x04 and nothing more", "[ARCHIVE-1]"},
		"a broken record": {"a.ump.json", `[{"kind":"opinion","body":{"text":"tea"}}]`, "[UMP-2"},
		"no memories":     {"a.ump.json", "[]", "holds no memories"},
	} {
		got := h.send(t, cookie, token, c.file, []byte(c.content))
		body := string(got.body)
		if got.StatusCode == 303 {
			path := got.Header.Get("Location")
			body = h.await(t, cookie, path, "It cannot be imported")
			h.press(t, cookie, path+"/drop")
		}
		if !strings.Contains(body, c.says) {
			t.Errorf("%s: %d %s", name, got.StatusCode, body[strings.Index(body, "<main"):])
		}
	}
	if n := h.counts(t); n != "[0 0 0 0 0]" {
		t.Errorf("something came in: %s", n)
	}
}

// An import that was built on says what stays, and keeps it.
func TestPagesImportKeeps(t *testing.T) {
	t.Parallel()
	h := paged(t)
	cookie := h.letIn(t)
	path := h.send(t, cookie, h.formTokenOf(t, cookie), "list.md", []byte("- Ana likes <b>tea</b>.\n- Ana lives in Tartu.\n- The key is sk-proj-"+strings.Repeat("a1B2", 12)+".\n")).Header.Get("Location")
	if looked := h.await(t, cookie, path, "Nothing has changed yet"); strings.Contains(looked, "a1B2a1B2") || strings.Contains(looked, "<b>tea") {
		t.Errorf("a secret, or HTML: %s", looked)
	}
	h.press(t, cookie, path+"/start")
	h.await(t, cookie, path, "came in.")
	page, err := h.vault.List(t.Context(), h.self(), vault.ListQuery{})
	if err != nil || page.Total != 3 {
		t.Fatalf("%d %v", page.Total, err)
	}
	for _, rec := range page.Records {
		if strings.Contains(rec.Body.Text, "Tartu") {
			if _, err := h.vault.Forget(t.Context(), h.self(), memory.ForgetRequest{ID: rec.ID, Reason: "incorrect"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if again := h.await(t, cookie, h.send(t, cookie, h.formTokenOf(t, cookie), "list.md", []byte("- Ana likes <b>tea</b>.\n- Ana lives in Tartu.\n- The key is sk-proj-"+strings.Repeat("a1B2", 12)+".\n")).Header.Get("Location"), "imported before"); !strings.Contains(again, "add nothing") {
		t.Errorf("%s", again)
	}
	plan := string(h.look(t, "GET", "/me/imports/1/undo", "", cookie).body)
	for _, says := range []string{"2 memories go", "1 memory is kept because you changed", "Tartu"} {
		if !strings.Contains(plan, says) {
			t.Errorf("no %q in %s", says, plan)
		}
	}
	h.press(t, cookie, "/me/imports/1/undo")
	if done := h.await(t, cookie, "/me/imports/1", "It was taken back"); !strings.Contains(done, "2 memories are erased, 1 was kept") {
		t.Errorf("%s", done)
	}
	for _, missing := range []string{"/me/imports/7", "/me/imports/01", "/me/imports/x", "/me/imports/1/undo", "/me/imports/7/undo", "/me/uploads/nothing"} {
		if got := h.look(t, "GET", missing, "", cookie); got.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", missing, got.StatusCode)
		}
	}
}

// An archive of which the taking back was cut off says so, loads nothing by itself for ever,
// and is taken back from there.
func TestPagesImportPartlyBack(t *testing.T) {
	t.Parallel()
	h := paged(t)
	cookie := h.letIn(t)
	path := h.send(t, cookie, h.formTokenOf(t, cookie), "chatgpt.zip", chats(t, 200)).Header.Get("Location")
	h.await(t, cookie, path, "Nothing has changed yet")
	h.press(t, cookie, path+"/start")
	total := func() int {
		page, err := h.vault.List(t.Context(), h.self(), vault.ListQuery{Import: 1, Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		return page.Total
	}
	for total() <= vaulttest.Batch {
		time.Sleep(20 * time.Millisecond)
	}
	h.press(t, cookie, path+"/stop")
	h.await(t, cookie, path, "It was stopped")
	ctx, cut := context.WithCancel(t.Context())
	defer cut()
	if _, err := h.vault.UndoTelling(ctx, h.self(), 1, func(vault.UndoReport) { cut() }); err == nil || total() == 0 {
		t.Fatalf("it was not cut off: %v, %d left", err, total())
	}
	page := string(h.look(t, "GET", "/me/imports/1", "", cookie).body)
	for want, here := range map[string]bool{"Taking it back stopped, or another program does it. What is left is still here.": true, `href="/me/imports/1/undo"`: true, "hx-get": false, `href=""`: false} {
		if strings.Contains(page, want) != here {
			t.Errorf("%q: want %v in %s", want, here, page)
		}
	}
	if list := string(h.look(t, "GET", "/me/imports", "", cookie).body); !strings.Contains(list, "partly taken back") || strings.Contains(list, "hx-get") {
		t.Errorf("%s", list)
	}
	h.press(t, cookie, "/me/imports/1/undo")
	h.await(t, cookie, "/me/imports/1", "It was taken back")
	if left := total(); left != 0 {
		t.Errorf("%d left", left)
	}
}
