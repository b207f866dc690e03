package pages_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/memory"
)

// watched is a [pages.Assistants], [pages.Sharing] and [pages.Auditor] that remembers what it
// was asked for.
type watched struct {
	assistants []pages.Assistant
	readings   []pages.Reading
	readOf     pages.ReadingQuery
	tokens     []pages.Token
	browsers   []pages.Visit
	ordered    []pages.TokenOrder
	log        pages.AuditList
	logged     pages.AuditQuery
	proof      pages.AuditProof
	lines      []string
	acted      []string // acts that change something
}

func (f *watched) Assistants(context.Context, memory.Caller, time.Time) ([]pages.Assistant, error) {
	return f.assistants, nil
}

func (f *watched) Readings(_ context.Context, _ memory.Caller, q pages.ReadingQuery) (pages.ReadingList, error) {
	f.readOf = q
	return pages.ReadingList{Readings: f.readings}, nil
}

func (f *watched) act(what, about string) error {
	f.acted = append(f.acted, what+" "+about)
	return nil
}

func (f *watched) PauseAssistant(_ context.Context, _ memory.Caller, name string) error {
	return f.act("pause", name)
}

func (f *watched) ResumeAssistant(_ context.Context, _ memory.Caller, name string) error {
	return f.act("resume", name)
}

func (f *watched) Tokens(context.Context, memory.Caller, time.Time) ([]pages.Token, error) {
	return f.tokens, nil
}

func (f *watched) RevokeToken(_ context.Context, _ memory.Caller, id string) error {
	if !slices.ContainsFunc(f.tokens, func(t pages.Token) bool { return t.ID == id }) {
		return &memory.Error{Kind: memory.NotFound}
	}
	return f.act("revoke", id)
}

func (f *watched) MintToken(_ context.Context, _ memory.Caller, o pages.TokenOrder) (string, pages.Token, error) {
	f.ordered = append(f.ordered, o)
	return "umpc_secret", pages.Token{ID: "jti", Name: o.Name, Verbs: o.Verbs, Until: o.Until}, f.act("mint", o.Name)
}

func (f *watched) SetVisibility(_ context.Context, _ memory.Caller, id memory.ID, to memory.Visibility) (memory.ID, error) {
	return id, f.act(string(to), string(id))
}

func (f *watched) Visits(context.Context, memory.Caller, string) ([]pages.Visit, error) {
	return f.browsers, nil
}

func (f *watched) EndVisit(_ context.Context, _ memory.Caller, id string) error {
	return f.act("end", id)
}

func (f *watched) Audit(_ context.Context, _ memory.Caller, q pages.AuditQuery) (pages.AuditList, error) {
	f.logged = q
	return f.log, nil
}

func (f *watched) AuditActs() []string { return []string{"read", "grant"} }

func (f *watched) VerifyAudit(context.Context, memory.Caller) (pages.AuditProof, error) {
	return f.proof, nil
}

func (f *watched) AuditLines(_ context.Context, _ memory.Caller, write func([]byte) error) error {
	for _, line := range f.lines {
		if line == "broken" {
			return errors.New("the disk failed")
		}
		if err := write([]byte(line)); err != nil {
			return err
		}
	}
	return nil
}

const scripted = `<script>alert(1)</script>`

// peopled is a site with assistants, tokens and a log, whose names a stranger chose.
func peopled() *site {
	s := open()
	s.fake.records = []memory.Record{record("abcdefgh", "tea")}
	s.fake.assistants = []pages.Assistant{
		{Name: "claude-code", Title: "Claude Code", Known: true, Connected: true, File: "/home/ana/.claude.json", Last: now.Add(-time.Minute), Times: 3, Given: 1234, Wrote: 1, From: []string{"claude-code"}},
		{Name: "zed", Title: "Zed", Known: true, Installed: true},
		{Name: "evil", Title: scripted, Paused: now.Add(-time.Hour)},
		{Name: "token:jti", Title: "Printer", Token: "jti", Times: 1, Given: 2},
	}
	s.fake.readings = []pages.Reading{{At: now.Add(-2 * time.Minute), Place: "7.1", Way: "recall", Assistant: "claude-code", Title: "Claude Code", Project: scripted, Times: 2, Given: 3,
		Memories: []pages.ReadMemory{{ID: memory.IDPrefix + "abcdefgh", Text: "tea " + scripted}}, Question: "why " + scripted}}
	s.fake.tokens = []pages.Token{
		{ID: "jti", Name: scripted, Verbs: []memory.Verb{memory.ReadVerb}, Scope: memory.Scope{Project: "github.com/ana/shop"}, Until: now.Add(24 * time.Hour)},
		{ID: "old", Name: "Old one", Ended: true, Why: "revoked", Until: now.Add(-24 * time.Hour)},
	}
	s.fake.browsers = []pages.Visit{{ID: "0123456789abcdef", Browser: "Firefox on Linux", Made: now, Seen: now, This: true}, {ID: "fedcba9876543210", Browser: "Safari on iPhone", Made: now, Seen: now}}
	s.fake.log = pages.AuditList{Total: 9, Older: 3, Entries: []pages.AuditEntry{{Number: 8, At: now, Act: "grant", Who: "owner", Via: "cli", Details: []string{scripted}}, {Number: 7, Act: "missing", Damaged: true}}}
	return s
}

func TestAssistantPages(t *testing.T) {
	s := peopled()
	wants(t, s.see(t, "/me/assistants"), "Claude Code", "read 1,234 memories in 3 answers", "stored 1 memory", "connected", "paused", "has a token", "satchel connect zed", "&lt;script&gt;", `href="/me/assistants/claude-code"`)
	body := s.see(t, "/me/assistants/claude-code")
	wants(t, body, "searched, 2 times", "2 minutes ago", "3 memories", "“why &lt;script&gt;", "tea &lt;script&gt;", `action="/me/assistants/claude-code/pause"`, "satchel pause claude-code", "/home/ana/.claude.json",
		"satchel connect claude-code --remove", "from=claude-code")
	if s.fake.readOf.Assistant != "claude-code" || s.fake.readOf.Limit != pages.PageSize {
		t.Errorf("%+v", s.fake.readOf)
	}
	wants(t, s.see(t, "/me/assistants/evil"), `action="/me/assistants/evil/resume"`, "Paused since")
	if body := s.see(t, "/me/assistants/token:jti"); strings.Contains(body, "/pause") || !strings.Contains(body, "satchel token revoke jti") {
		t.Errorf("the holder of a token can be paused, or not revoked: %s", body)
	}
	for _, path := range []string{"/me/assistants/nobody", "/me/assistants/nobody/pause"} {
		if got, _ := s.ask("GET", path, "", visit); got.StatusCode != 404 && got.StatusCode != 405 {
			t.Errorf("%s: %d", path, got.StatusCode)
		}
	}
	if got, _ := s.post(t, "/me/assistants/nobody/pause", ""); got.StatusCode != 404 {
		t.Errorf("pausing nobody: %d", got.StatusCode)
	}
	if got, _ := s.post(t, "/me/assistants/token:jti/pause", ""); got.StatusCode != 404 || s.fake.acted != nil {
		t.Errorf("pausing a token: %d %q", got.StatusCode, s.fake.acted)
	}
	if got, _ := s.post(t, "/me/assistants/claude-code/pause", ""); got.StatusCode != 303 || got.Header.Get("Location") != "/me/assistants/claude-code?done=paused" {
		t.Errorf("%d", got.StatusCode)
	}
	if got, _ := s.post(t, "/me/assistants/evil/resume", ""); got.StatusCode != 303 || !slices.Equal(s.fake.acted, []string{"pause claude-code", "resume evil"}) {
		t.Errorf("%d %q", got.StatusCode, s.fake.acted)
	}
	s.fake.assistants = nil
	wants(t, s.see(t, "/me/assistants"), "No assistant is connected", "satchel connect")
}

// The page of a memory says who read it, and asks for newer readings for ten minutes (A10).
func TestReaders(t *testing.T) {
	s := peopled()
	body := s.see(t, "/me/memories/abcdefgh")
	wants(t, body, "Who read it", `read by <a href="/me/assistants/claude-code"><bdi>Claude Code</bdi></a>`, `hx-trigger="live from:body"`, fmt.Sprintf(`hx-get="/me/memories/abcdefgh/readers?at=%d&amp;seen=7.1&amp;until=`, now.Add(-10*time.Second).Unix()), "satchel audit reads --memory short")
	if s.fake.readOf.Memory != memory.IDPrefix+"abcdefgh" {
		t.Errorf("%+v", s.fake.readOf)
	}
	until := now.Add(5 * time.Minute).Unix()
	if got, body := s.ask("GET", fmt.Sprintf("/me/memories/abcdefgh/readers?seen=7.1&until=%d", until), "", visit); got.StatusCode != 204 || body != "" {
		t.Errorf("nothing new: %d %s", got.StatusCode, body)
	}
	if got, _ := s.ask("GET", fmt.Sprintf("/me/memories/abcdefgh/readers?at=%d&seen=7.1&until=%d", now.Unix(), until), "", visit); got.StatusCode != 204 || !s.fake.readOf.Since.Equal(now) || s.fake.readOf.Limit != 1 {
		t.Errorf("a poll looks at the latest readings only: %d %+v", got.StatusCode, s.fake.readOf)
	}
	wants(t, s.see(t, fmt.Sprintf("/me/memories/abcdefgh/readers?at=%d&seen=6.1&until=%d", now.Unix(), until)), `id="readers"`)
	wants(t, s.see(t, fmt.Sprintf("/me/memories/abcdefgh/readers?seen=6.1&until=%d", until)), `id="readers"`, "seen=7.1", fmt.Sprint("until=", until))
	if body := s.see(t, fmt.Sprintf("/me/memories/abcdefgh/readers?seen=7.1&until=%d", now.Unix())); strings.Contains(body, "hx-get") || strings.Contains(body, "<html") {
		t.Errorf("it asks for ever: %s", body)
	}
	if body := s.see(t, "/me/memories/abcdefgh/readers?seen=x&until=99999999999"); !strings.Contains(body, fmt.Sprint("until=", now.Add(10*time.Minute).Unix())) {
		t.Errorf("it asks for long: %s", body)
	}
	if got, _ := s.ask("GET", "/me/memories/zzzzzzzz/readers", "", visit); got.StatusCode != 404 {
		t.Errorf("of another: %d", got.StatusCode)
	}
	s.fake.readings = nil
	wants(t, s.see(t, "/me/memories/abcdefgh"), "No assistant was given it in the last 90 days")
}

func TestSharingPages(t *testing.T) {
	s := peopled()
	body := s.see(t, "/me/sharing")
	wants(t, body, "&lt;script&gt;", "shared and public memories of github.com/ana/shop", "5 June 2026", "not in the last 90 days", `value="jti"`, "Old one", "revoked", "this one", `value="fedcba9876543210"`, "satchel open --leave")
	if strings.Contains(body, `value="0123456789abcdef"`) || strings.Contains(body, `value="old"`) {
		t.Error("the visit itself can be ended here, or a token be revoked twice")
	}
	if got, _ := s.post(t, "/me/sharing/revoke", "id=nobody"); got.StatusCode != 404 {
		t.Errorf("an unknown token: %d", got.StatusCode)
	}
	for form, want := range map[string]string{"revoke id=jti": "revoked", "end id=fedcba9876543210": "ended"} {
		act, fields, _ := strings.Cut(form, " ")
		if got, _ := s.post(t, "/me/sharing/"+act, fields); got.StatusCode != 303 || got.Header.Get("Location") != "/me/sharing?done="+want {
			t.Errorf("%s: %d", form, got.StatusCode)
		}
	}
	if slices.Sort(s.fake.acted); !slices.Equal(s.fake.acted, []string{"end fedcba9876543210", "revoke jti"}) {
		t.Errorf("%q", s.fake.acted)
	}
	s.fake.tokens = nil
	wants(t, s.see(t, "/me/sharing"), "Nobody but you")
}

// A token is made after the page said whom it lets in, and with a code.
func TestMint(t *testing.T) {
	s := peopled()
	wants(t, s.see(t, "/me/sharing/new"), `name="read"`, `name="days"`, "github.com/ana/shop")
	const order = "read=yes&write=yes&project=github.com/ana/shop&reach=private&days=7&name=Ana%27s+laptop"
	_, body := s.post(t, "/me/sharing/mint", order)
	wants(t, body, "may until 11 June 2026: read, remember and correct.", "all memories, private ones too of github.com/ana/shop", `name="code"`,
		`satchel token mint --verb read --verb write --project github.com/ana/shop --visibility private --until 2026-06-11 --name &#39;Ana&#39;\&#39;&#39;s laptop&#39;`)
	if got, _ := s.post(t, "/me/sharing/mint", order+"&sure=yes&code=WRONG1"); got.StatusCode != 403 || s.fake.acted != nil {
		t.Fatalf("without the code: %d", got.StatusCode)
	}
	for _, form := range []string{"days=7", "read=yes&days=0", "read=yes&days=400", "read=yes&days=x", "read=yes&reach=nobody", "read=yes&name=" + strings.Repeat("x", 61)} {
		if got, _ := s.post(t, "/me/sharing/mint", form+"&sure=yes&code=RIGHT1"); got.StatusCode != 400 || s.fake.acted != nil {
			t.Errorf("%s: %d", form, got.StatusCode)
		}
	}
	got, body := s.post(t, "/me/sharing/mint", order+"&sure=yes&code=RIGHT1")
	wants(t, body, "umpc_secret", "shown this once", "Bearer umpc_secret", "http://m-1234.localhost:7777/mcp", "satchel token revoke jti")
	if o := s.fake.ordered; got.StatusCode != 200 || len(o) != 1 || o[0].Name != "Ana's laptop" || o[0].Visibility != memory.Private || !o[0].Until.Equal(now.AddDate(0, 0, 7)) || len(o[0].Verbs) != 2 {
		t.Errorf("%d %+v", got.StatusCode, o)
	}
}

// A memory is shared after the page said who will see it, and with a code.
func TestShare(t *testing.T) {
	s := peopled()
	wants(t, s.see(t, "/me/memories/abcdefgh"), `action="/me/memories/abcdefgh/share"`, "Make it public")
	_, body := s.post(t, "/me/memories/abcdefgh/share", "with=public")
	wants(t, body, "Make this memory public", "“tea”", "--public", `name="code"`, "satchel revise short --visibility public")
	if got, _ := s.post(t, "/me/memories/abcdefgh/share", "with=public&sure=yes"); got.StatusCode != 403 || s.fake.acted != nil {
		t.Fatalf("without a code: %d", got.StatusCode)
	}
	for path, form := range map[string]string{"/me/memories/abcdefgh/share": "with=private&sure=yes&code=RIGHT1", "/me/memories/zzzzzzzz/share": "with=shared&sure=yes&code=RIGHT1", "/me/memories/zzzzzzzz/unshare": ""} {
		if got, _ := s.post(t, path, form); got.StatusCode != 400 && got.StatusCode != 404 || s.fake.acted != nil {
			t.Errorf("%s %s: %d", path, form, got.StatusCode)
		}
	}
	if got, _ := s.post(t, "/me/memories/abcdefgh/share", "with=shared&sure=yes&code=RIGHT1"); got.StatusCode != 303 || got.Header.Get("Location") != "/me/memories/abcdefgh?done=shared" {
		t.Errorf("%d", got.StatusCode)
	}
	s.fake.records[0].Scope.Visibility = memory.Shared
	if body := s.see(t, "/me/memories/abcdefgh"); !strings.Contains(body, `action="/me/memories/abcdefgh/unshare"`) || strings.Contains(body, "/abcdefgh/share") {
		t.Errorf("%s", body)
	}
	if got, _ := s.post(t, "/me/memories/abcdefgh/unshare", ""); got.StatusCode != 303 || !slices.Equal(s.fake.acted, []string{"shared urn:ump:abcdefgh", "private urn:ump:abcdefgh"}) {
		t.Errorf("%d %q", got.StatusCode, s.fake.acted)
	}
}

func TestAuditPage(t *testing.T) {
	s := peopled()
	body := s.see(t, "/me/audit?act=grant&who=you&memory=abcd&before=9")
	wants(t, body, "gave a token", "you", "is missing", "damaged", "&lt;script&gt;", `href="/me/audit?act=grant&amp;before=3&amp;memory=abcd&amp;who=you"`, "satchel audit show --act grant --id abcd", "Verify the log now")
	if s.fake.logged != (pages.AuditQuery{Act: "grant", Who: "you", Memory: memory.IDPrefix + "abcdefgh", Before: 9}) {
		t.Errorf("%+v", s.fake.logged)
	}
	s.fake.proof = pages.AuditProof{Entries: 9, Signed: now.Add(-time.Hour)}
	wants(t, s.see(t, "/me/audit?verify=1"), "The log is intact: 9 entries, signed last", "1 hour ago")
	s.fake.proof.Findings = []pages.AuditFinding{{Kind: "deleted", Says: "entry 7 is missing"}}
	wants(t, s.see(t, "/me/audit?verify=1"), "Somebody changed the log", "deleted: entry 7 is missing", "satchel doctor")
	for _, target := range []string{"/me/audit?before=x", "/me/audit?before=-1"} {
		if got, _ := s.ask("GET", target, "", visit); got.StatusCode != 400 {
			t.Errorf("%s: %d", target, got.StatusCode)
		}
	}
	if got, _ := s.ask("GET", "/me/audit?memory=zzzz", "", visit); got.StatusCode != 404 {
		t.Errorf("of an unknown memory: %d", got.StatusCode)
	}
	wants(t, s.see(t, "/me/audit/log.ndjson"), "The log is empty")
	s.fake.lines = []string{`{"number":0}`, `{"number":1}`}
	got, body := s.ask("GET", "/me/audit/log.ndjson", "", visit)
	if body != "{\"number\":0}\n{\"number\":1}\n" || got.Header.Get("Content-Type") != "application/x-ndjson" || !strings.Contains(got.Header.Get("Content-Disposition"), "attachment") {
		t.Errorf("%v %s", got.Header, body)
	}
}

// watchedForms are the forms about assistants, tokens, browsers and who sees a memory, each as it
// would change something.
var watchedForms = map[string]string{
	"/me/assistants/claude-code/pause": "", "/me/assistants/evil/resume": "", "/me/sharing/revoke": "id=jti", "/me/sharing/end": "id=fedcba9876543210", "/me/sharing/mint": "read=yes&sure=yes",
	"/me/memories/abcdefgh/share": "with=shared&sure=yes", "/me/memories/abcdefgh/unshare": "",
}

// Forms from elsewhere, or of another visit, change nothing, and to look changes nothing (A3).
func TestForeignForms(t *testing.T) {
	for path, form := range watchedForms {
		s := peopled()
		s.fake.visits["another"], s.fake.sure = true, map[string]bool{"cookie": true, "another": true}
		_, page := s.ask("GET", "/me/help", "", "Cookie: satchel-1234=another")
		mine, other := "token="+tokenIn(t, s.see(t, "/me/help"))+"&"+form, "token="+tokenIn(t, page)+"&"+form
		for name, c := range map[string][]string{
			"another port": {mine, visit, "Origin: http://m-1234.localhost:1"}, "no origin": {mine, visit, "Origin: null"}, "a sibling": {mine, visit, "Sec-Fetch-Site: same-site"},
			"no token": {form + "&x=y", visit, sameOrigin}, "another visit's token": {other, visit, sameOrigin}, "nobody": {mine, "X: y", sameOrigin},
		} {
			if got, _ := s.ask("POST", path, c[0], c[1:]...); got.StatusCode != 403 || s.fake.acted != nil {
				t.Errorf("%s, %s: %d %q", path, name, got.StatusCode, s.fake.acted)
			}
		}
		if got, _ := s.ask("GET", path+"?"+mine, "", visit); got.StatusCode >= 500 || s.fake.acted != nil {
			t.Errorf("%s: to look does %q", path, s.fake.acted)
		}
		if got, body := s.ask("POST", path, mine, visit, sameOrigin); got.StatusCode >= 400 || len(s.fake.acted) != 1 {
			t.Errorf("%s: the form itself: %d %q %s", path, got.StatusCode, s.fake.acted, body)
		}
	}
}
