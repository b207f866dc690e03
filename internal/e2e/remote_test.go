package e2e

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/keys"
)

// remote is an assistant that runs elsewhere, and the owner's browser. Both reach the server
// by a public name, through a proxy that speaks TLS.
type remote struct {
	*home
	at      string            // the address behind the proxy
	cookies map[string]string // of the browser
	client  string
}

const publicHost, publicName = "memory.example", "https://memory.example"

// open starts a server for remote assistants, and returns its end.
func (h *home) open() (addr string, stop func()) {
	h.Helper()
	return h.stoppable("--oauth", "--host", publicHost, "--origin", publicName)
}

const backToIt, proofOfIt = "http://127.0.0.1:1/back", "a-verifier-of-forty-three-letters-and-more-0123456789"

// remoteAt registers an assistant at a server, where the owner enters by a code.
func (h *home) remoteAt(addr string) *remote {
	h.Helper()
	r := &remote{home: h, at: "http://" + addr, cookies: map[string]string{}}
	_, got := r.post("/register", "application/json", `{"client_name":"Trial","redirect_uris":["`+backToIt+`"]}`)
	if r.client, _ = got["client_id"].(string); r.client == "" {
		h.Fatalf("%v", got)
	}
	return r
}

// page returns a page, or what follows a form.
func (r *remote) page(method, path string, form url.Values) string {
	r.Helper()
	q, err := http.NewRequest(method, r.at+path, strings.NewReader(form.Encode()))
	if err != nil {
		r.Fatal(err)
	}
	q.Host = publicHost
	if form != nil {
		q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		q.Header.Set("Origin", publicName)
	}
	for name, value := range r.cookies {
		q.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	got, err := http.DefaultTransport.RoundTrip(q)
	if err != nil {
		r.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	for _, c := range got.Cookies() {
		r.cookies[c.Name] = c.Value
	}
	text, err := io.ReadAll(got.Body)
	if err != nil || got.StatusCode >= http.StatusBadRequest {
		r.Fatalf("%s %s: %s %v %s", method, path, got.Status, err, text)
	}
	return string(text)
}

func (r *remote) find(pattern, in string) string {
	r.Helper()
	found := regexp.MustCompile(pattern).FindStringSubmatch(in)
	if found == nil {
		r.Fatalf("no %s in %s", pattern, in)
	}
	return found[1]
}

// post sends what an assistant sends.
func (r *remote) post(path, media, body string, header ...string) (int, map[string]any) {
	r.Helper()
	q, err := http.NewRequest(http.MethodPost, r.at+path, strings.NewReader(body))
	if err != nil {
		r.Fatal(err)
	}
	q.Host = publicHost
	q.Header.Set("Content-Type", media)
	for i := 0; i+1 < len(header); i += 2 {
		q.Header.Set(header[i], header[i+1])
	}
	got, err := http.DefaultClient.Do(q)
	if err != nil {
		r.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	var said map[string]any
	_ = json.NewDecoder(io.LimitReader(got.Body, 1<<20)).Decode(&said) // a stream is none
	return got.StatusCode, said
}

// tokens lets the owner grant an assistant what it asks for, and returns its tokens.
func (r *remote) tokens() (access, refresh string) {
	r.Helper()
	sum := sha256.Sum256([]byte(proofOfIt))
	ask := r.page("GET", "/authorize?"+url.Values{"client_id": {r.client}, "redirect_uri": {backToIt}, "response_type": {"code"}, "code_challenge_method": {"S256"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "resource": {publicName + "/mcp"}, "scope": {"read"}}.Encode(), nil)
	request := r.find(`consent\?request=([A-Z0-9]+)`, ask)
	page := r.page("GET", "/me/consent?request="+request, nil)
	if page == "" || !strings.Contains(page, "asks for access</h1>") { // nobody was let in yet
		r.page("POST", "/me/enter", url.Values{"code": {strings.TrimSpace(r.run("open", "--confirm", "-q"))}, "to": {"consent?request=" + request}})
		page = r.page("GET", "/me/consent?request="+request, nil)
	}
	form := url.Values{"token": {r.find(`name="token" value="([^"]+)"`, page)}, "request": {request}, "read": {"yes"}, "reach": {"shared"}, "projects": {"all"}, "sure": {"yes"}}
	done := r.page("POST", "/me/consent/allow", form)
	code := r.find(`code=([A-Za-z0-9_.:-]+)`, done)
	_, got := r.token(url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {backToIt}, "code_verifier": {proofOfIt}})
	access, _ = got["access_token"].(string)
	refresh, _ = got["refresh_token"].(string)
	if access == "" || refresh == "" {
		r.Fatalf("%v", got)
	}
	return access, refresh
}

func (r *remote) token(form url.Values) (int, map[string]any) {
	form.Set("client_id", r.client)
	return r.post("/token", "application/x-www-form-urlencoded", form.Encode())
}

// renewed spends a refresh token, and returns the next ones; empty: it is good for nothing.
func (r *remote) renewed(refresh string) (access, next string) {
	_, got := r.token(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {refresh}})
	access, _ = got["access_token"].(string)
	next, _ = got["refresh_token"].(string)
	return access, next
}

// works reports whether a token is taken.
func (r *remote) works(access string) bool {
	status, _ := r.post("/mcp", "application/json", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`,
		"Authorization", "Bearer "+access, "Accept", "application/json, text/event-stream")
	return status == http.StatusOK
}

// revokeLast revokes the grant that was made last.
func (r *remote) revokeLast() {
	r.Helper()
	var list struct {
		Tokens []struct {
			JTI    string
			Issued time.Time
		}
	}
	if err := json.Unmarshal([]byte(r.run("token", "list", "--json")), &list); err != nil || len(list.Tokens) == 0 {
		r.Fatalf("%v %+v", err, list)
	}
	last := list.Tokens[0]
	for _, t := range list.Tokens {
		if t.Issued.After(last.Issued) {
			last = t
		}
	}
	r.run("token", "revoke", last.JTI)
}

// stoppable is serve with an end.
func (h *home) stoppable(args ...string) (addr string, stop func()) {
	h.Helper()
	sub := &cleanups{TB: h.TB}
	addr, _ = (&home{TB: sub, dir: h.dir, settings: h.settings, program: h.program}).serve(args...)
	return addr, sub.run
}

// cleanups runs what a test would run at its end.
type cleanups struct {
	testing.TB
	all []func()
}

// Cleanup implements testing.TB.
func (c *cleanups) Cleanup(do func()) { c.all = append(c.all, do) }

func (c *cleanups) run() {
	for _, do := range c.all {
		do()
	}
	c.all = nil
}

// sealQuickly seals the keys of a store as satchel init --seal does, but for the work that each
// guess of the passphrase costs, which [TestSealingCosts] looks at: ten commands take it twice.
func (h *home) sealQuickly(passphrase string) {
	h.Helper()
	for _, name := range []string{"owner", "store"} {
		path := filepath.Join(h.dir, "store", "keys", name+".key")
		key, err := keys.ReadFile(path, nil)
		if err == nil {
			err = os.Remove(path)
		}
		if err == nil {
			err = keys.WriteFile(path, key, passphrase, 4)
		}
		h.must(err)
	}
}

// TestRemoteAssistantsRestored finds that a restore lets no remote assistant in: neither one
// whose grant was revoked since the backup, nor any other, also where keys are sealed.
func TestRemoteAssistantsRestored(t *testing.T) {
	t.Parallel()
	for name, sealed := range map[string]bool{"open keys": false, "sealed keys": true} {
		t.Run(name, func(t *testing.T) {
			h := &home{TB: t, dir: t.TempDir(), settings: []string{"SATCHEL_PASSPHRASE=correct horse"}}
			h.run("init")
			if !sealed {
				h.settings = nil
			} else {
				h.sealQuickly("correct horse")
			}
			addr, stop := h.open()
			defer func() { stop() }()
			r := h.remoteAt(addr)
			kept, keptNext := r.tokens()
			gone, goneNext := r.tokens()
			h.run("backup", "-o", "kept.satchel")
			r.revokeLast()
			if !r.works(kept) || r.works(gone) {
				t.Fatal("before the restore")
			}
			stop()
			if err := os.Rename(filepath.Join(h.dir, "store"), filepath.Join(h.dir, "before")); err != nil {
				t.Fatal(err)
			}
			h.run("restore", "kept.satchel")
			addr, stop = h.open()
			r.at = "http://" + addr
			if r.works(gone) || r.works(kept) {
				t.Error("a token works")
			}
			for name, secret := range map[string]string{"revoked since": goneNext, "in force": keptNext} {
				if access, _ := r.renewed(secret); access != "" {
					t.Errorf("a grant that was %s goes on", name)
				}
			}
			if list := h.run("token", "list"); strings.Contains(list, "Trial") {
				t.Errorf("it lists what is dead: %s", list)
			}
			r = h.remoteAt(addr)
			if access, _ := r.tokens(); !r.works(access) {
				t.Error("a new grant does not work")
			}
		})
	}
}

// TestRemoteAssistantsMoved finds that remote assistants go on after their owner's move to
// another store and back, and that a revoked grant stays revoked.
func TestRemoteAssistantsMoved(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	h := newHome(t)
	addr, stop := h.open()
	defer func() { stop() }()
	r := h.remoteAt(addr)
	_, keptNext := r.tokens()
	gone, goneNext := r.tokens()
	r.revokeLast()
	from := filepath.Join(h.dir, "store")
	for _, to := range []string{url, filepath.Join(h.dir, "back")} {
		stop()
		h.run("store", "move", "-y", "--home", filepath.Join(h.dir, "operator"), from, to)
		from = to
		if h.settings = []string{"SATCHEL_STORE=" + to}; to == url {
			h.settings = []string{"SATCHEL_STORE=" + pgtest.Program(t, url), "SATCHEL_HOME=" + filepath.Join(h.dir, "operator")}
		}
		addr, stop = h.open()
		r.at = "http://" + addr
		before := keptNext
		var kept string
		if kept, keptNext = r.renewed(keptNext); !r.works(kept) {
			t.Errorf("in %s: a grant in force has ended", to)
		}
		if access, _ := r.renewed(goneNext); access != "" || r.works(gone) {
			t.Errorf("in %s: a revoked grant goes on", to)
		}
		if to != url { // a stolen secret ends the grant there too
			if access, _ := r.renewed(keptNext); !r.works(access) {
				t.Errorf("in %s: the next secret is not good", to)
			}
			if access, _ := r.renewed(before); access != "" || r.works(kept) {
				t.Errorf("in %s: a secret is good after the next one", to)
			}
		}
	}
}
