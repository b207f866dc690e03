package server_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/vault"
)

var digestField = regexp.MustCompile(`name="call" value="([^"]+)"><input type="hidden" name="digest" value="([0-9a-f]+)"`)

// pagedDesk is a server that runs agents, with pages and a browser that was let in.
func pagedDesk(t *testing.T, o *office) (d *desk, see func(path string) string, post func(path, form string) answer) {
	t.Helper()
	d = o.serve(t, func(_ *vault.Options, s *server.Options) {
		s.Rate, s.Burst, s.Pages = 1e6, 1e6, server.Pages{Name: pageHost, Store: "/home/ana"}
	})
	h := house{running: d.running, owner: o.key.DID(), vault: d.vault}
	cookie := h.letIn(t)
	see = func(path string) string {
		t.Helper()
		got := h.look(t, "GET", path, "", cookie)
		if got.StatusCode != 200 {
			t.Fatalf("%s: %d %s", path, got.StatusCode, got.body)
		}
		return string(got.body)
	}
	post = func(path, form string) answer {
		t.Helper()
		_, port, _ := strings.Cut(d.address, ":")
		token := tokenField.FindStringSubmatch(see("/me/help"))[1]
		return h.look(t, "POST", path, form+"&token="+url.QueryEscape(token), cookie, "Origin: http://"+pageHost+":"+port)
	}
	return d, see, post
}

// pageHas fails unless a page has all texts.
func pageHas(t *testing.T, body string, all ...string) {
	t.Helper()
	for _, text := range all {
		if !strings.Contains(body, text) {
			t.Errorf("no %q in %s", text, body)
		}
	}
}

// A run is seen, approved exactly as it was shown, and followed to its end.
func TestPagesRuns(t *testing.T) {
	t.Parallel()
	evil := `<img src=x onerror=alert(1)>`
	o := newOffice(t, scripted(wants("look", "book"), model.Step{Calls: wants("pay").Calls, Answer: "I pay now " + evil}, replies("Done "+evil))...)
	d, see, post := pagedDesk(t, o)
	pageHas(t, see("/me/runs"), "Nothing has run yet")
	d.takes(t, asksFirst)
	waits := d.starts(t, "?wait=60")
	path := "/me/runs/" + waits.Get("run_id").Text()
	pageHas(t, see("/me/runs"), "1 run waits for you", "Runs<span data-asks> (1)</span>", "Clerk", "asks for <bdi>pay</bdi>", path)
	page := see(path)
	pageHas(t, page, "It wants to call <bdi>pay</bdi>", "Book number 1.", "<bdi>look</bdi>", "wants <strong><bdi>book</bdi>", "&lt;img src=x", "openai/m", "<code>n</code>")
	if strings.Contains(page, "<img src=x") {
		t.Error("what the model says is not shown as text")
	}
	shown := digestField.FindStringSubmatch(page)
	if shown == nil {
		t.Fatalf("nothing can be decided: %s", page)
	}
	t.Run("AAIF-4.9-18 only what was shown is approved", func(t *testing.T) {
		got := post(path+"/decide", "act=approve&call="+shown[1]+"&digest="+strings.Repeat("0", 64))
		if got.StatusCode != 409 || o.tools.Counts()["pay"].Calls != 0 {
			t.Errorf("%d, %v", got.StatusCode, o.tools.Counts())
		}
		pageHas(t, string(got.body), "look at it again", shown[2])
		if got := post(path+"/resume", ""); got.StatusCode != 409 || o.tools.Counts()["pay"].Calls != 0 {
			t.Errorf("resumed without an answer: %d", got.StatusCode)
		}
	})
	if got := post(path+"/decide", "act=approve&call="+shown[1]+"&digest="+shown[2]); got.StatusCode != 303 || got.Header.Get("Location") != path+"?done=approved" {
		t.Fatalf("%d %s", got.StatusCode, got.body)
	}
	d.becomes(t, waits.Get("run_id").Text(), "completed")
	pageHas(t, see(path), "You approved", "The answer", "Done &lt;img", "3 turns, 3 calls")
	if got := post(path+"/decide", "act=approve&call="+shown[1]+"&digest="+shown[2]); got.StatusCode != 409 || o.tools.Counts()["pay"].Writes != 1 {
		t.Errorf("%d, %v", got.StatusCode, o.tools.Counts())
	}
	if got := post(path+"/cancel", ""); got.StatusCode != 409 {
		t.Errorf("a run that has ended is ended: %d", got.StatusCode)
	}
	if log := string(d.do(t, "GET", "/ump/audit", "").body); strings.Contains(log, "img src") {
		t.Error("the log holds what the model said")
	}
}

// A call is rejected with a reason, and a run is ended.
func TestPagesRunRejected(t *testing.T) {
	t.Parallel()
	o := newOffice(t, scripted(wants("pay"), wants("pay"), replies("Done."))...)
	d, see, post := pagedDesk(t, o)
	d.takes(t, asksFirst)
	id := d.starts(t, "?wait=60").Get("run_id").Text()
	path := "/me/runs/" + id
	shown := digestField.FindStringSubmatch(see(path))
	if got := post(path+"/decide", "act=reject&why=too+much&call="+shown[1]+"&digest="+shown[2]); got.StatusCode != 303 {
		t.Fatalf("%d %s", got.StatusCode, got.body)
	}
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if again := digestField.FindStringSubmatch(see(path)); again != nil && again[1] != shown[1] {
			break
		}
		if time.Since(began) > 20*time.Second {
			t.Fatal("it does not ask again")
		}
	}
	pageHas(t, see(path), "too much", "Rejected")
	if got := post(path+"/cancel", ""); got.StatusCode != 303 {
		t.Fatalf("%d %s", got.StatusCode, got.body)
	}
	pageHas(t, see(path), "cancelled", "CANCELLED")
	if c := o.tools.Counts(); len(c) != 0 {
		t.Errorf("called %v", c)
	}
}

// Others see no run: strangers nothing at all, and servers without agents say so.
func TestPagesNoRuns(t *testing.T) {
	t.Parallel()
	h := paged(t)
	cookie := h.letIn(t)
	pageHas(t, string(h.look(t, "GET", "/me/runs", "", cookie).body), "This server runs no agents of yours")
	if got := h.look(t, "GET", "/me/runs/11111111-2222-4333-8444-555555555555", "", cookie); got.StatusCode != 501 {
		t.Errorf("%d", got.StatusCode)
	}
}
