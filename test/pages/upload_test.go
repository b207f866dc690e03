package pages_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// mostImport is how long the whole archive of A12 may take to come in, and mostAnswer how long
// the first page may take meanwhile, where SATCHEL_BUDGETS says strict.
const (
	mostImport = 20 * time.Second
	mostAnswer = 500 * time.Millisecond
)

// total counts all memories, as the command line does.
func (h *house) total(t testing.TB) int {
	t.Helper()
	var list struct{ Total int }
	if err := json.Unmarshal([]byte(h.satchel(t, "--json", "list", "--all", "--limit", "1")), &list); err != nil {
		t.Fatal(err)
	}
	return list.Total
}

// presses clicks the button of a page's form that has these words.
func (b *tab) presses(t testing.TB, words string) {
	t.Helper()
	if !eval[bool](t, b, fmt.Sprintf(`(b => b ? (b.click(), true) : false)([...document.querySelectorAll("main button")].find(b => b.innerText.trim() === %q))`, words)) {
		t.Fatalf("there is no button %q: %s", words, b.text())
	}
}

var recordsSeen = regexp.MustCompile(`[0-9,]+ records?`)

// TestLargeUpload sends an archive of ChatGPT with 20,000 conversations: progress moves on the
// page, which may be left; the first page answers meanwhile; stopping keeps the part, going on
// brings the rest, and taking it back leaves what was there before: A12.
func TestLargeUpload(t *testing.T) {
	conversations := 20_000 // 5,000 are in before one could stop them
	if testing.Short() {
		conversations = 400
	}
	h := empty(t)
	h.satchel(t, "remember", "This was here before.")
	file := chats(t, conversations)
	cookie := h.cookie(t)
	b := newTab(t)
	b.enter(t, h)
	b.see(t, "/me/imports")
	b.do(t, chromedp.SetUploadFiles("input[type=file]", []string{file}, chromedp.NodeVisible))
	began := time.Now()
	b.presses(t, "Send and look")
	b.awaitsWithin(t, time.Minute, "Nothing has changed yet")
	looked := time.Since(began)
	if n := h.total(t); n != 1 {
		t.Errorf("to look brings %d memories", n-1)
	}
	path := eval[string](t, b, `location.pathname`)

	began = time.Now()
	b.presses(t, "Import")
	b.awaits(t, "You may leave this page")
	seen := map[string]bool{}
	for text := b.whole(); len(seen) < 3 && (text == "" || strings.Contains(text, "Importing")); text = b.whole() {
		if found := recordsSeen.FindString(text); found != "" {
			seen[found] = true
		}
		time.Sleep(50 * time.Millisecond)
	}
	if len(seen) < 3 && !testing.Short() {
		t.Errorf("progress says %v", seen)
	}
	b.see(t, "/me/")
	b.see(t, path)
	if strings.Contains(b.whole(), "Importing") {
		b.presses(t, "Stop")
		b.awaits(t, "It was stopped")
		part := h.total(t)
		if part <= 1 || part >= 1+2*conversations {
			t.Errorf("stopped with %d memories", part)
		}
		time.Sleep(100 * time.Millisecond)
		if n := h.total(t); n != part {
			t.Errorf("it goes on after it was stopped: %d, then %d", part, n)
		}
		t.Logf("stopped with %d memories", part-1)
		b.presses(t, "Go on")
	} else if !testing.Short() {
		t.Error("it was imported before it could be stopped")
	}
	slowest, answers := time.Duration(0), 0
	for text := b.whole(); text == "" || strings.Contains(text, "You may leave this page"); text = b.whole() {
		asked := time.Now()
		if got, _ := request(t, "GET", "http://"+h.addr+"/me/", "", cookie); got.StatusCode != 200 {
			t.Fatalf("the first page: %d", got.StatusCode)
		}
		slowest, answers = max(slowest, time.Since(asked)), answers+1
		time.Sleep(20 * time.Millisecond)
	}
	b.awaits(t, "came in.")
	took := time.Since(began)
	t.Logf("%d conversations: looked through in %.1f s, imported in %.1f s with the stop; the first page took at most %d ms (%d times)",
		conversations, looked.Seconds(), took.Seconds(), slowest.Milliseconds(), answers)
	if os.Getenv("SATCHEL_BUDGETS") == "strict" && (took > mostImport || slowest > mostAnswer) {
		t.Errorf("the import takes %v, the first page %v meanwhile", took, slowest)
	}
	if n := h.total(t); n <= conversations {
		t.Errorf("%d memories came in", n-1)
	}
	b.see(t, "/me/imports/1/undo")
	began = time.Now()
	b.presses(t, "Take it back")
	b.awaitsWithin(t, 5*time.Minute, "It was taken back")
	t.Logf("taken back in %.1f s", time.Since(began).Seconds())
	if n := h.total(t); n != 1 {
		t.Errorf("%d memories are left of it", n-1)
	}
	b.clean(t, "a large upload")
}
