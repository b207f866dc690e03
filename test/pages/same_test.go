package pages_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// cookie lets the test in without a browser, and returns the header.
func (h *house) cookie(t testing.TB) string {
	t.Helper()
	got, body := request(t, "POST", "http://"+h.addr+"/me/enter", "secret="+h.open(t).secret(), "Content-Type: application/x-www-form-urlencoded")
	if got.StatusCode != 303 {
		t.Fatalf("%d %s", got.StatusCode, body)
	}
	c, _, _ := strings.Cut(got.Header.Get("Set-Cookie"), ";")
	return "Cookie: " + c
}

var textLink = regexp.MustCompile(`<a class="text" href="/me/memories/([^"?]+)"`)

// TestSearchIsRecall asks fifty questions on the page and on the command line: A8.
func TestSearchIsRecall(t *testing.T) {
	t.Parallel()
	h := sampled(t)
	many(t, h, 300)
	cookie := h.cookie(t)
	words := strings.Fields("harbour market bicycle invoice garden server kettle report battery winter train parser window bakery cable museum")
	var questions []string
	for i := range 40 {
		questions = append(questions, fmt.Sprintf("what about the %s and the %s of week %d?", words[i%16], words[i*5%16], i))
	}
	questions = append(questions, "allergic", "which package manager?", "when do deploys go out?", "عربي", "喝茶", "dinner o'clock", "Tartu printers 400", "zyzzyva", "<script>", "recent events")
	for _, q := range questions {
		var recalled struct {
			Results []struct{ Record struct{ ID string } }
		}
		if err := json.Unmarshal([]byte(h.satchel(t, "recall", "--why", "--format", "json", q)), &recalled); err != nil {
			t.Fatal(err)
		}
		var want, got []string
		for _, r := range recalled.Results {
			want = append(want, strings.TrimPrefix(r.Record.ID, "urn:ump:"))
		}
		_, body := request(t, "GET", "http://"+h.addr+"/me/search?q="+url.QueryEscape(q), "", cookie)
		for _, m := range textLink.FindAllStringSubmatch(body, -1) {
			got = append(got, m[1])
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q: the page has %q, the command line %q", q, got, want)
		}
	}
}

// TestAlone sees that pages name no other host, that --no-pages has none of them, and that
// a server for others without TLS shows none: A17, A18.
func TestAlone(t *testing.T) {
	h := empty(t)
	cookie := h.cookie(t)
	for _, path := range []string{"/me/", "/me/memories", "/me/search", "/me/search?q=x", "/me/context", "/me/help", "/me/enter", "/me/nothing"} {
		_, body := request(t, "GET", "http://"+h.addr+path, "", cookie)
		for _, found := range regexp.MustCompile(`(?i)(?:https?:)?//[a-z0-9][^\s"'<]*`).FindAllString(body, -1) {
			t.Errorf("%s names %s", path, found)
		}
	}
	without := empty(t, "--no-pages")
	for _, path := range []string{"/me", "/me/", "/me/enter", "/me/static/x/style.css"} {
		if got, body := request(t, "GET", "http://"+without.addr+path, "", "Accept: text/html"); got.StatusCode != 404 || strings.Contains(body, "<html") {
			t.Errorf("%s without pages: %d %s", path, got.StatusCode, body)
		}
	}
}

// TestRemote starts a server for other machines.
func TestRemote(t *testing.T) {
	h := &house{dir: t.TempDir() + "/store"}
	h.satchel(t, "init")
	h.serveAt(t, "0.0.0.0", "--allow-remote")
	for _, path := range []string{"/me/", "/me/enter", "/me/memories", "/me/static/x/style.css"} {
		if got, body := request(t, "GET", "http://"+h.addr+path, ""); got.StatusCode != 403 || !strings.Contains(body, "TLS") {
			t.Errorf("%s without TLS: %d %s", path, got.StatusCode, body)
		}
	}
	if got, _ := request(t, "POST", "http://"+h.addr+"/me/enter", "secret="+h.open(t).secret(), "Content-Type: application/x-www-form-urlencoded"); got.StatusCode != 403 {
		t.Errorf("a link without TLS: %d", got.StatusCode)
	}
	proxied := &house{dir: t.TempDir() + "/store"}
	proxied.satchel(t, "init")
	proxied.serveAt(t, "0.0.0.0", "--allow-remote", "--host", "memory.example", "--origin", "https://memory.example")
	l := proxied.open(t)
	if !strings.HasPrefix(l.URL, "https://memory.example/me/enter#") {
		t.Errorf("the link is %s", l.URL)
	}
	got, _ := request(t, "POST", "http://"+proxied.addr+"/me/enter", "secret="+l.secret(), "Content-Type: application/x-www-form-urlencoded", "Host: memory.example")
	if c := got.Header.Get("Set-Cookie"); got.StatusCode != 303 || !strings.HasPrefix(c, "__Host-satchel=") || !strings.Contains(c, "Secure") {
		t.Errorf("behind a proxy: %d %s", got.StatusCode, c)
	}
	if got, _ := request(t, "GET", "http://"+proxied.addr+"/me/enter", "", "Host: 127.0.0.1"); got.StatusCode != 403 {
		t.Errorf("past the proxy: %d", got.StatusCode)
	}
}

// TestOpenRunsItsOwn has no server, so that the command runs one, which ends with it.
func TestOpenRunsItsOwn(t *testing.T) {
	h := &house{dir: t.TempDir() + "/store"}
	h.satchel(t, "init")
	c := exec.Command(program, "--json", "open", "--print")
	c.Env = h.environment()
	out, err := c.StdoutPipe()
	if err != nil || c.Start() != nil {
		t.Fatal(err)
	}
	var l link
	if err := json.NewDecoder(out).Decode(&l); err != nil {
		t.Fatal(err)
	}
	_, port, _ := strings.Cut(strings.TrimPrefix(l.origin(), "http://"), ":")
	h.addr = "127.0.0.1:" + port
	if got, _ := request(t, "GET", "http://"+h.addr+"/me/", "", h.cookie(t)); got.StatusCode != 200 {
		t.Errorf("%d", got.StatusCode)
	}
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("it ends with %v", err)
	}
	if _, err := h.try("open", "--print", "no-such-page"); err == nil || !strings.Contains(err.Error(), "no page and no memory") {
		t.Errorf("a page that does not exist: %v", err)
	}
	if info, err := os.Stat(h.dir + "/serve.addr"); err != nil || info.Size() != 0 || info.Mode().Perm() != 0o600 {
		t.Errorf("serve.addr: %+v %v", info, err)
	}
}

// TestRestore sees that who was let in before a backup is not let in after its restore.
func TestRestore(t *testing.T) {
	h := empty(t)
	cookie := h.cookie(t)
	file := t.TempDir() + "/backup"
	h.satchel(t, "backup", "-o", file)
	back := &house{dir: t.TempDir() + "/store"}
	back.satchel(t, "restore", file)
	back.serve(t)
	_, value, _ := strings.Cut(cookie, "=")
	name, _, _ := strings.Cut(back.cookie(t), "=")
	if got, _ := request(t, "GET", "http://"+back.addr+"/me/", "", name+"="+value); got.StatusCode != 303 {
		t.Errorf("after the restore: %d", got.StatusCode)
	}
	if got, _ := request(t, "GET", "http://"+h.addr+"/me/", "", cookie); got.StatusCode != 200 {
		t.Errorf("before it: %d", got.StatusCode)
	}
}
