package pages_test

import (
	"bytes"
	"errors"
	"fmt"
	"mime/multipart"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/memory"
)

const script = `"><script>alert(1)</script>`

// furnished is a site with something on every page, all of it script.
func furnished() *site {
	s := open()
	rec := record("abcdefgh", script)
	s.fake.records = []memory.Record{rec}
	s.fake.related = []pages.Relation{{Type: "about", Target: "entity:" + script}}
	s.fake.imports = []pages.Import{{Number: 1, Name: script, Format: script, At: now, State: pages.Complete, New: 3}, {Number: 2, Name: "b", State: pages.AtWork, At: now}}
	s.fake.plan = pages.UndoPlan{Remove: 3, Changed: 1, BuiltOn: 2, Stay: []memory.Record{rec}}
	s.fake.uploads = []pages.Upload{{File: "file1", Name: script, Format: script, State: pages.UploadRead, New: 2, Number: 1, Samples: []memory.Record{rec},
		Reasons: []pages.Reason{{Text: script, Count: 2, Where: []string{script}}}, Losses: []pages.Reason{{Text: script, Count: 1}}}}
	s.fake.checkup = pages.Checkup{Ended: now, Findings: []pages.Finding{{Check: "disk", Message: script, Remedy: script, Mends: true}, {Check: "keys", Message: "good", OK: true}}, Facts: []pages.Fact{{Name: "Size", Value: "3 MiB"}}}
	s.fake.fakeHouse.projects = []pages.Project{{Name: script, Memories: 3, Aliases: []string{script + "2"}, Last: now}, {Name: "shop", Memories: 2}, {Memories: 9}}
	s.fake.agents = []pages.Agent{{ID: "agent1", Name: script, Revision: 1, Document: []byte("{\n  \"a\": 1,\n  \"b\": 2\n}")},
		{ID: "agent1", Name: script, Revision: 2, Lacks: []string{script}, Advice: []pages.Advice{{Where: script, Text: script}}, Document: []byte("{\n  \"a\": 1,\n  \"b\": 3\n}")}}
	s.fake.states = []pages.Checkpoint{{ID: "state1", Agent: "agent1", Status: "paused", From: script, At: now, Warnings: []string{script}}}
	s.fake.runs = []pages.Run{{ID: "run1", Agent: script, Name: script, Status: script, Output: script, Code: script, Failure: script, Platform: script, Own: script, Waits: []pages.RunWait{{Call: script, Tool: script, Why: script, Digest: script, Arguments: []pages.Argument{{Name: script, Value: script}}}, {Call: "a", Answer: script}},
		Steps: []pages.RunStep{{Kind: "model_answered", Thread: script, Tool: script, Route: script, Code: script, Text: script, Wants: []pages.RunCall{{Tool: script, Arguments: []pages.Argument{{Name: script, Value: script}}}}}}}}
	s.fake.planned = pages.ExportPlan{Written: 4, Omitted: []pages.Reason{{Text: script, Count: 2}}, Lost: []pages.Reason{{Text: script, Count: 1}}}
	return s
}

// carried are the paths of the pages Imports, Health, Timeline, Projects, Agents, Runs, Export and
// Settings, and of the graph.
var carried = []string{"/me/imports", "/me/imports/1", "/me/imports/1/undo", "/me/uploads/file1", "/me/health", "/me/timeline", "/me/timeline?subject=abcdefgh", "/me/timeline?subject=tea&at=2026-05-01",
	"/me/graph/abcdefgh", "/me/graph/abcdefgh?depth=2", "/me/projects", "/me/projects/join?alias=shop&project=new", "/me/agents", "/me/agents/agent1", "/me/agents/agent1?revision=1", "/me/runs", "/me/runs/run1", "/me/export", "/me/export?format=plain", "/me/settings", "/me/settings/erase"}

// Each page shows what it has as text, and nobody who was not let in.
func TestCarried(t *testing.T) {
	s := furnished()
	for _, target := range carried {
		body := s.see(t, target)
		if strings.Contains(body, "<script>alert") || !strings.Contains(body, "<h1") || strings.Contains(body, "style=") {
			t.Errorf("%s: %s", target, body)
		}
		if got, body := s.ask("GET", target, ""); got.StatusCode != 303 || strings.Contains(body, "alert") {
			t.Errorf("%s for a stranger: %d", target, got.StatusCode)
		}
		if got, _ := s.ask("PUT", target, "", visit); got.StatusCode != 405 && got.StatusCode != 403 {
			t.Errorf("PUT %s: %d", target, got.StatusCode)
		}
		got, _ := s.ask("HEAD", target, "", visit)
		if got.StatusCode != 200 || got.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("HEAD %s: %d", target, got.StatusCode)
		}
	}
	if len(s.fake.brought)+len(s.fake.acts) > 0 {
		t.Errorf("to look did something: %q %q", s.fake.brought, s.fake.acts)
	}
}

// Without anything to show, a page says how to begin.
func TestCarriedEmpty(t *testing.T) {
	s := open()
	s.fake.projects = []pages.Project{}
	for target, says := range map[string]string{"/me/imports": "/me/help#chatgpt", "/me/health": "Not checked", "/me/timeline": "Nothing is remembered", "/me/projects": "There are no projects",
		"/me/agents": "satchel agent add", "/me/export?format=ump": "would hold nothing", "/me/timeline?at=2001-01-01": "Nothing was true then"} {
		wants(t, s.see(t, target), says)
	}
	s.fake.records = []memory.Record{record("abcdefgh", "tea")}
	wants(t, s.see(t, "/me/graph/abcdefgh"), "Nothing is around it")
}

// What is not there, or somebody else's, is not found.
func TestCarriedMissing(t *testing.T) {
	s := furnished()
	for _, target := range []string{"/me/imports/3", "/me/imports/x", "/me/imports/01", "/me/imports/3/undo", "/me/uploads/other", "/me/graph/zzzzzzzz", "/me/agents/other", "/me/agents/agent1?revision=9", "/me/agents/agent1?revision=x", "/me/projects/join?alias=none&project=x"} {
		if got, body := s.ask("GET", target, "", visit); got.StatusCode != 404 || !strings.Contains(body, "There is nothing here") {
			t.Errorf("%s: %d %s", target, got.StatusCode, body)
		}
	}
	for _, target := range []string{"/me/timeline?at=soon", "/me/graph/abcdefgh?depth=3", "/me/projects/join?alias=shop&project=shop", "/me/projects/join"} {
		if got, _ := s.ask("GET", target, "", visit); got.StatusCode != 400 {
			t.Errorf("%s: %d", target, got.StatusCode)
		}
	}
}

// Each form counts only from a page of the same visit (A3).
func TestCarriedForms(t *testing.T) {
	for target, c := range map[string]struct{ form, does string }{
		"/me/imports/1/undo":              {"", "take back"},
		"/me/uploads/file1/start":         {"", "start file1"},
		"/me/uploads/file1/stop":          {"", "stop file1"},
		"/me/uploads/file1/drop":          {"", "drop file1"},
		"/me/health/check":                {"", "check"},
		"/me/health/mend":                 {"", "mend"},
		"/me/projects/join":               {"&alias=shop&project=new", "shop -> new"},
		"/me/projects/part":               {"&alias=shop", "shop -> "},
		"/me/checkpoints/state1/download": {"", "checkpoint"},
		"/me/export":                      {"&format=ump", "export ump"},
	} {
		s := furnished()
		s.fake.visits["another"] = true
		token := tokenIn(t, s.see(t, "/me/help"))
		_, other := s.ask("GET", "/me/help", "", "Cookie: satchel-1234=another")
		for name, bad := range map[string][]string{
			"another port":    {"token=" + token + c.form, visit, "Origin: http://m-1234.localhost:9999"},
			"another site":    {"token=" + token + c.form, visit, "Sec-Fetch-Site: cross-site"},
			"no token":        {"token=" + c.form, visit},
			"another visit's": {"token=" + tokenIn(t, other) + c.form, visit},
			"no cookie":       {"token=" + token + c.form},
		} {
			if got, _ := s.ask("POST", target, bad[0], bad[1:]...); got.StatusCode != 403 || len(s.fake.brought)+len(s.fake.acts) > 0 {
				t.Errorf("%s, %s: %d %q %q", target, name, got.StatusCode, s.fake.brought, s.fake.acts)
			}
		}
		got, body := s.ask("POST", target, "token="+token+c.form, visit)
		if all := fmt.Sprint(s.fake.brought, s.fake.acts); got.StatusCode >= 400 || !strings.Contains(all, c.does) {
			t.Errorf("%s: %d %s %s", target, got.StatusCode, all, body)
		}
		if got.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s may be kept", target)
		}
	}
}

// upload is a form with fields in an order, and its media type.
func upload(t *testing.T, fields ...[2]string) (body, kind string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, f := range fields {
		var err error
		if f[0] == "file" {
			part, failed := w.CreateFormFile("file", "notes.md")
			if err = failed; err == nil {
				_, err = part.Write([]byte(f[1]))
			}
		} else {
			err = w.WriteField(f[0], f[1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String(), "Content-Type: " + w.FormDataContentType()
}

// A file counts only behind the token of the visit, and is not read before.
func TestUpload(t *testing.T) {
	s := open()
	token := tokenIn(t, s.see(t, "/me/imports"))
	for name, fields := range map[string][][2]string{
		"no token": {{"file", "text"}}, "a wrong one": {{"token", "x"}, {"file", "text"}}, "the token behind the file": {{"file", "text"}, {"token", token}}, "a long one": {{"token", token + strings.Repeat("x", 5000)}, {"file", "text"}},
	} {
		body, kind := upload(t, fields...)
		if got, _ := s.ask("POST", "/me/imports", body, visit, kind); got.StatusCode != 403 || s.fake.sent != "" {
			t.Errorf("%s: %d", name, got.StatusCode)
		}
	}
	body, kind := upload(t, [2]string{"token", token}, [2]string{"file", "a text"})
	for _, bad := range [][]string{{kind}, {kind, visit, "Origin: http://m-1234.localhost:9999"}} {
		if got, _ := s.ask("POST", "/me/imports", body, bad...); got.StatusCode != 403 || s.fake.sent != "" {
			t.Errorf("%q: %d", bad, got.StatusCode)
		}
	}
	nothing, plain := upload(t, [2]string{"token", token})
	if got, _ := s.ask("POST", "/me/imports", nothing, visit, plain); got.StatusCode != 400 {
		t.Errorf("no file: %d", got.StatusCode)
	}
	if got, _ := s.ask("POST", "/me/imports", body, visit, kind); got.StatusCode != 303 || got.Header.Get("Location") != "/me/uploads/file1" || s.fake.sent != "a text" {
		t.Errorf("%d, %q came", got.StatusCode, s.fake.sent)
	}
}

// The page of a file says what is going on, also without scripts.
func TestUploadStates(t *testing.T) {
	for state, c := range map[pages.UploadState]struct {
		says, button string
		again        bool
	}{
		pages.UploadReading:   {"Reading it", "/stop", true},
		pages.UploadRead:      {"Nothing has changed yet", "/start", false},
		pages.UploadImporting: {"41 %", "/stop", true},
		pages.UploadStopped:   {"It was stopped", "/start", false},
		pages.UploadImported:  {"came in", "", false},
		pages.UploadFailed:    {"line 7: is broken", "/drop", false},
	} {
		s := open()
		s.fake.uploads = []pages.Upload{{File: "file1", Name: "a.zip", State: state, Far: 41, Total: 100, Failure: map[bool]error{true: &memory.Error{Kind: memory.InvalidRecord, Message: "line 7: is broken"}}[state == pages.UploadFailed]}}
		body := s.see(t, "/me/uploads/file1")
		wants(t, body, c.says)
		if c.button != "" {
			wants(t, body, `action="/me/uploads/file1`+c.button+`"`)
		}
		if refreshes := strings.Contains(body, `<noscript><meta http-equiv="refresh"`); refreshes != c.again {
			t.Errorf("%s: loads itself again: %v", state, refreshes)
		}
	}
}

// A timeline is by month, with bars; the versions of a memory say what replaced them.
func TestTimeline(t *testing.T) {
	s := open()
	old, next := record("aaaaaaaa", "Dinner is at seven."), record("bbbbbbbb", "Dinner is at eight.")
	old.Time = memory.Times{Created: now.AddDate(0, -4, 0), ValidTo: now.AddDate(0, -2, 0)}
	old.SupersededBy = []memory.ID{next.ID}
	next.Time = memory.Times{Created: now.AddDate(0, -2, 0)}
	s.fake.records = []memory.Record{old, next}
	body := s.see(t, "/me/timeline?subject=aaaaaaaa")
	wants(t, body, "How one memory changed", "February 2026", "April 2026", "<ins>eight.</ins>", `replaced by <a href="/me/memories/bbbbbbbb"`, `<rect x="0" width="491" height="8"/>`, `<rect x="491" width="509" height="8"/>`)
	if strings.Index(body, "April 2026</h2>") > strings.Index(body, "February 2026</h2>") {
		t.Error("the latest month is not first")
	}
	on := s.see(t, "/me/timeline?subject=aaaaaaaa&at="+now.AddDate(0, -3, 0).Format(time.DateOnly))
	if !strings.Contains(on, "Dinner is at seven") || strings.Contains(on, `href="/me/memories/bbbbbbbb" dir`) {
		t.Errorf("three months ago: %s", on)
	}
	s.fake.list = &pages.List{Memories: s.fake.records, Older: "mark"}
	wants(t, s.see(t, "/me/timeline?at=2026-05-01"), `rel="next" href="/me/timeline?after=mark&amp;at=2026-05-01"`)
	if s.fake.listed.ValidAt.Format(time.DateTime) != "2026-05-01 23:59:00" {
		t.Errorf("asked for %v", s.fake.listed.ValidAt)
	}
}

// The picture of a graph is bounded, and the table is not.
func TestGraph(t *testing.T) {
	s := furnished()
	s.fake.related = nil
	s.fake.around = map[string][]memory.Record{}
	for i := range 150 {
		rec := record(fmt.Sprintf("n%07d", i), fmt.Sprintf("Fact number %d", i))
		rec.Relations = []memory.Relation{{Type: memory.About, Target: memory.IDPrefix + "abcdefgh"}}
		s.fake.around[memory.IDPrefix+"abcdefgh"] = append(s.fake.around[memory.IDPrefix+"abcdefgh"], rec)
	}
	body := s.see(t, "/me/graph/abcdefgh")
	if boxes, rows := strings.Count(body, `<g class="node`), strings.Count(body, "<tr><td"); boxes != 60 || rows != 150 {
		t.Errorf("%d boxes, %d rows", boxes, rows)
	}
	wants(t, body, "And 91 more things", `<a href="/me/memories/n0000007"><g class="node">`, "?depth=2")
}

// What is copied for somebody who helps names no message, which may name files and memories.
func TestSupportText(t *testing.T) {
	s := furnished()
	s.fake.checkup.Findings[0].Message = "/home/ana/secret"
	body := s.see(t, "/me/health")
	text := body[strings.LastIndex(body, "<pre"):strings.LastIndex(body, "</pre>")]
	wants(t, text, "WRONG disk", "ok    keys", "size: 3 MiB")
	if strings.Contains(text, "ana") || strings.Contains(text, "good") {
		t.Errorf("%s", text)
	}
	wants(t, body, "1 thing is wrong", `action="/me/health/mend"`)
	s.fake.checkup = pages.Checkup{Ended: now, Failure: errors.New("x")}
	wants(t, s.see(t, "/me/health"), "did not end")
	s.fake.checkup = pages.Checkup{Busy: true}
	wants(t, s.see(t, "/me/health"), "Looking through", `http-equiv="refresh"`)
}

// Revisions are compared line by line.
func TestAgentRevisions(t *testing.T) {
	s := furnished()
	wants(t, s.see(t, "/me/agents/agent1"), "Changed since revision 1", "<del>-   &#34;b&#34;: 2</del>", "<ins>+   &#34;b&#34;: 3</ins>", "cannot run here", "stands still")
	got, body := s.ask("POST", "/me/agents/agent1/download", "token="+tokenIn(t, s.see(t, "/me/agents")), visit)
	if got.StatusCode != 200 || got.Header.Get("Content-Disposition") != `attachment; filename="agent.json"` || !strings.Contains(body, `"b": 3`) {
		t.Errorf("%d %s", got.StatusCode, body)
	}
}

// An export is a file that nobody keeps a copy of.
func TestExport(t *testing.T) {
	s := furnished()
	wants(t, s.see(t, "/me/export?format=plain&project=shop&for=others"), "4 memories", "Download memory.txt", "satchel export --to plain -o memory.txt --project shop --to-peer")
	token := tokenIn(t, s.see(t, "/me/export"))
	got, body := s.ask("POST", "/me/export", "token="+token+"&format=plain", visit)
	if got.StatusCode != 200 || body != "the export" || got.Header.Get("Content-Disposition") != `attachment; filename="memory.txt"` || got.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d %v %s", got.StatusCode, got.Header, body)
	}
	if got, _ := s.ask("POST", "/me/export", "token="+token+"&format=none", visit); got.StatusCode != 404 {
		t.Errorf("a format that is none: %d", got.StatusCode)
	}
}

// The theme lies in a cookie, and in nothing else.
func TestTheme(t *testing.T) {
	s := open()
	token := tokenIn(t, s.see(t, "/me/settings"))
	for theme, want := range map[string]string{"dark": "satchel-theme=dark; Path=/me/; Max-Age=34560000; HttpOnly; SameSite=Strict", "": "satchel-theme=; Path=/me/; Max-Age=0; HttpOnly; SameSite=Strict"} {
		if got, _ := s.ask("POST", "/me/settings", "token="+token+"&theme="+theme, visit); got.StatusCode != 303 || got.Header.Get("Set-Cookie") != want {
			t.Errorf("%q: %d %s", theme, got.StatusCode, got.Header.Get("Set-Cookie"))
		}
	}
	if got, _ := s.ask("POST", "/me/settings", "token="+token+"&theme=red", visit); got.StatusCode != 400 || got.Header.Get("Set-Cookie") != "" {
		t.Errorf("a theme that is none: %d", got.StatusCode)
	}
	for cookie, class := range map[string]string{"dark": `<html lang="en" class="dark">`, "light": `<html lang="en" class="light">`, "x": `<html lang="en">`} {
		_, body := s.ask("GET", "/me/", "", visit+"; satchel-theme="+cookie)
		wants(t, body, class)
	}
}

// Logs name routes, and nothing that a person or a stranger chose.
func TestCarriedRoutes(t *testing.T) {
	for path, want := range map[string]string{"/me/imports/7": "/me/imports/{n}", "/me/imports/7/undo": "/me/imports/{n}/undo", "/me/uploads/abc": "/me/uploads/{file}", "/me/uploads/abc/start": "/me/uploads/{file}/start",
		"/me/agents/secret": "/me/agents/{id}", "/me/graph/abc": "/me/graph/{id}", "/me/timeline": "/me/timeline", "/me/health/mend": "/me/health/mend", "/me/secret": "/me/", "/me/secret/other": "/me/"} {
		if got, ok := pages.RouteOf(path); got != want || !ok {
			t.Errorf("%s is %q", path, got)
		}
	}
}
