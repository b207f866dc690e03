package pages_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/memory"
)

// hostile are texts that strangers could have an assistant remember.
var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `<a href="javascript:alert(1)">x</a>`, "</pre></textarea><svg onload=alert(1)>",
	"{{.}} {{template \"top\"}}", "nul \x00 \x1b[31m \u009b1m", "' onmouseover='alert(1)", "\u202eevil", strings.Repeat("z\u0301", 5000), "https://evil.example/?q=1",
}

var (
	tags   = regexp.MustCompile(`(?i)<\s*(script|img|svg|a|iframe|b)\b[^>]*>`)
	handed = regexp.MustCompile(`(?i)\s(on\w+|style)\s*=\s*["'a-z]`)
)

// foreignTags returns the tags that the page of a harmless text has not.
func foreignTags(page, harmless string) (found []string) {
	for _, tag := range tags.FindAllString(page, -1) {
		if !strings.Contains(harmless, tag) {
			found = append(found, tag)
		}
	}
	return found
}

// What a memory says is text: on every page, in every place (A5).
func TestTextStaysText(t *testing.T) {
	show := func(text string) []string {
		s := open()
		rec := record("abcdefgh", text)
		rec.Scope.Project = text
		rec.Provenance = &memory.Provenance{ActorKind: memory.ByImport, Method: text, Source: &memory.Source{Provider: text, Ref: text}, Evidence: []memory.Evidence{{Ref: text}}}
		rec.Consent = &memory.Consent{Retention: text}
		rec.Origin = []byte(`{"a":"` + strings.NewReplacer(`"`, `\"`, "\x00", "", "\x1b", "").Replace(text) + `"}`)
		s.fake.records = []memory.Record{rec, record("abcdefgi", text)}
		s.fake.related = []pages.Relation{{Type: text, Target: "entity:" + text}, {Type: "about", Target: "urn:ump:abcdefgi", Text: text}}
		s.fake.hits = []memory.Hit{{Record: rec, Why: []string{`matches "` + text + `"`, text}, Score: .5}}
		s.fake.lacks = []memory.Warning{{Message: text}}
		s.fake.over = pages.Overview{Memories: 2, Newest: s.fake.records, Projects: []pages.Project{{Name: text, Memories: 1}}}
		s.fake.brief = pages.Briefing{Text: text, Sections: []pages.Section{{Title: text, Memories: s.fake.records}}}
		q := url.QueryEscape(text)
		var all []string
		for _, target := range []string{"/me/", "/me/memories?from=" + q + "&project=" + q, "/me/memories/abcdefgh", "/me/search?q=" + q, "/me/context?project=" + q} {
			all = append(all, s.see(t, target))
		}
		return all
	}
	harmless := show("tea")
	for _, text := range hostile {
		for i, page := range show(text) {
			if found := foreignTags(page, strings.ReplaceAll(harmless[i], "tea", "")+linksOf(page)); len(found) > 0 {
				t.Errorf("page %d of %.30q has %q", i, text, found)
			}
			if found := handed.FindAllString(page, -1); len(found) > 0 && !strings.Contains(text, "onmouseover") && !strings.Contains(text, "onerror") && !strings.Contains(text, "onload") {
				t.Errorf("page %d of %.30q has %q", i, text, found)
			}
			if strings.ContainsAny(page, "\x00\x1b") {
				t.Errorf("page %d of %.30q has control characters", i, text)
			}
			for _, m := range regexp.MustCompile(`(?:href|src|action)="([^"]*)"`).FindAllStringSubmatch(page, -1) {
				if !strings.HasPrefix(m[1], "/me/") && m[1] != "#main" {
					t.Errorf("page %d of %.30q leads to %q", i, text, m[1])
				}
			}
		}
	}
}

// linksOf returns the links of a page that lead to these pages: their addresses hold texts.
func linksOf(page string) string {
	return strings.Join(regexp.MustCompile(`<a [^<>]*href="/me/[^"<>]*"[^<>]*>`).FindAllString(page, -1), "\n")
}

func TestRows(t *testing.T) {
	s := open()
	old := record("abcdefgh", "The office is in Tartu.")
	old.Lifecycle.Status, old.Scope.Visibility = memory.Tombstoned, memory.Shared
	ended := record("abcdefgi", "Winter tyres are on.")
	ended.Time.ValidTo, ended.Kind = now.Add(-time.Minute), memory.Working
	said := record("abcdefgj", "Use pnpm.")
	said.Provenance = &memory.Provenance{ActorKind: memory.ByAgent, Actor: "did:key:x", Source: &memory.Source{Provider: "claude-code"}}
	said.Scope.Project, said.Scope.Visibility, said.Kind = "github.com/ana/shop", memory.Public, memory.Procedural
	waits := record("abcdefgk", "She likes tea.\u200b")
	waits.Lifecycle.Status, waits.Time.Created = memory.Candidate, now.AddDate(-1, 0, 0)
	s.fake.records = []memory.Record{old, ended, said, waits}
	wants(t, s.see(t, "/me/memories"), "4 memories, newest first", "The office is in Tartu.", "forgotten", "shared", "no longer true", "Task", "Rule", "public", "claude-code",
		"github.com/ana/shop", "waiting for you", "unseen characters", "1 hour ago", "4 June 2025", `title="Thursday 4 June 2026, 09:00 EEST"`, `href="/me/memories/abcdefgh"`,
		"<code>satchel list</code>")
}

func TestFilters(t *testing.T) {
	s := open()
	body := s.see(t, "/me/memories?project=github.com/ana/shop&kind=procedural&visibility=shared&since=7d&import=3&from=claude-code&after=mark")
	q := s.fake.listed
	if q.Project != "github.com/ana/shop" || q.Kind != memory.Procedural || q.Visibility != memory.Shared || !q.Since.Equal(now.AddDate(0, 0, -7)) || q.Import != 3 ||
		q.From != "claude-code" || q.After != "mark" || !q.ValidAt.Equal(now) || q.Status != "" {
		t.Errorf("%+v", q)
	}
	wants(t, body, "Nothing matches", "kind: Rule", "project: github.com/ana/shop", `<option value="procedural" selected>`,
		"satchel list --project github.com/ana/shop --kind procedural --visibility shared --since 2026-05-28T10:00 --import 3",
		`href="/me/memories?from=claude-code&amp;import=3&amp;kind=procedural&amp;since=7d&amp;visibility=shared"`)
	wants(t, s.see(t, "/me/memories?state=all&project="+url.QueryEscape("it's a $(shop)")), `satchel list --project &#39;it&#39;\&#39;&#39;s a $(shop)&#39; --all`)
	if q := s.fake.listed; !q.ValidAt.IsZero() || q.Status != "" {
		t.Errorf("all: %+v", q)
	}
	s.see(t, "/me/memories?state=candidate")
	if q := s.fake.listed; q.Status != memory.Candidate || !q.ValidAt.IsZero() {
		t.Errorf("waiting: %+v", q)
	}
	for _, wrong := range []string{"kind=none", "state=none", "visibility=none", "since=1", "since=d", "since=-1d", "import=x", "import=0", "since=999999d"} {
		if got, body := s.ask("GET", "/me/memories?"+wrong, "", visit); got.StatusCode != 400 {
			t.Errorf("%s: %d %s", wrong, got.StatusCode, body)
		}
	}
}

func TestListPages(t *testing.T) {
	s := open()
	s.fake.list = &pages.List{Memories: []memory.Record{record("abcdefgh", "tea")}, Older: "old er", Newer: "new", Total: 17570}
	body := s.see(t, "/me/memories?kind=semantic&after=x")
	wants(t, body, "17,570 memories, 1 on this page", `rel="next" href="/me/memories?after=old&#43;er&amp;kind=semantic"`, `rel="prev" href="/me/memories?before=new&amp;kind=semantic"`)
	s.fake.list = &pages.List{Memories: []memory.Record{record("abcdefgh", "tea")}, Total: -1}
	if body := s.see(t, "/me/memories"); strings.Contains(body, "rel=\"next\"") || strings.Contains(body, "-1 mem") || !strings.Contains(body, "1 memory on this page") {
		t.Errorf("%s", body)
	}
}

func TestMemory(t *testing.T) {
	s := open()
	rec := record("abcdefgh", "Dinner is at eight on weekdays.")
	rec.Scope.Project = "github.com/ana/shop"
	was := record("abcdefgi", "Dinner is at seven on weekdays.")
	was.SupersededBy = []memory.ID{rec.ID}
	s.fake.records = []memory.Record{was, rec}
	s.fake.related = []pages.Relation{{Type: memory.DependsOn, Target: "urn:ump:other", Text: "The other one"}, {Type: "likes_very", Target: "entity:Ana"}}
	s.fake.sign = pages.Signed
	body := s.see(t, "/me/memories/abcdefgh")
	wants(t, body, "Dinner is at eight on weekdays.", "You said so yourself", "Only you and the assistants on your machine. Assistants find it first in sessions on github.com/ana/shop.",
		"Dinner is at <ins>eight </ins>on weekdays.", "this one", "makes sense only with", `href="/me/memories/other"`, "likes very", "<bdi>Ana</bdi>",
		"exactly what was signed", "urn:ump:abcdefgh", "&#34;text&#34;: &#34;x&#34;", "satchel forget short", "satchel revise short")
	s.fake.sign = pages.Broken
	wants(t, s.see(t, "/me/memories/abcdefgh"), "somebody changed it")
	if body := s.see(t, "/me/memories/abcdefgi"); strings.Contains(body, "satchel forget") || !strings.Contains(body, "replaced") {
		t.Error("a version that was replaced is to be forgotten")
	}
	if got, _ := s.ask("GET", "/me/memories/abcdefgh/raw", "", visit); got.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("the document is %s", got.Header.Get("Content-Type"))
	}
	if got, _ := s.ask("GET", "/me/memories/abcd", "", visit); got.StatusCode != 303 || got.Header.Get("Location") != "/me/memories/abcdefgi" {
		t.Errorf("a short name: %d %s", got.StatusCode, got.Header.Get("Location"))
	}
}

func TestLongMemory(t *testing.T) {
	s := open()
	text := strings.Repeat("A line of many words.\n", 600)
	rec := record("abcdefgh", text)
	rec.Origin = bytes.Repeat([]byte("x"), 20_000)
	s.fake.records = []memory.Record{rec}
	var all strings.Builder
	for n := 1; n <= 4; n++ {
		body := s.see(t, "/me/memories/abcdefgh?part="+string(rune('0'+n)))
		_, rest, _ := strings.Cut(body, `<div class="text whole" dir="auto">`)
		part, _, _ := strings.Cut(rest, "</div>")
		all.WriteString(part)
		wants(t, body, "Page "+string(rune('0'+n))+" of 4", `href="/me/memories/abcdefgh/raw"`)
	}
	if all.String() != text {
		t.Errorf("the parts hold %d of %d bytes", all.Len(), len(text))
	}
	for _, wrong := range []string{"0", "5", "x", "-1"} {
		if got, _ := s.ask("GET", "/me/memories/abcdefgh?part="+wrong, "", visit); got.StatusCode != 404 {
			t.Errorf("part %s: %d", wrong, got.StatusCode)
		}
	}
}

func TestSearch(t *testing.T) {
	s := open()
	wants(t, s.see(t, "/me/search"), "See what your assistants see")
	wants(t, s.see(t, "/me/search?q=tea"), "Nothing is remembered about that", "satchel remember", "satchel recall --why tea")
	s.fake.hits = []memory.Hit{{Record: record("abcdefgh", "I am Allergic to peanuts, allergically."), Score: .757, Why: []string{`matches "allergic"`, "recent"}, Signals: memory.Signals{Similarity: .5, Recency: 1}}}
	s.fake.lacks = []memory.Warning{{Message: "the search by meaning did not answer"}}
	body := s.see(t, "/me/search?q=what+am+I+allergic+to%3F&project=github.com/ana/shop&at=2026-05-03")
	q := s.fake.asked
	if q.Text != "what am I allergic to?" || q.Scope.Project != "github.com/ana/shop" || q.Limit != 8 || q.Filter.ValidAt.Format("2006-01-02T15:04") != "2026-05-03T23:59" {
		t.Errorf("%+v", q)
	}
	wants(t, body, "I am <mark>Allergic</mark> to peanuts, <mark>allergically</mark>.", "fit 76 %", "matches &#34;allergic&#34; · recent", "50 of 100", "the search by meaning did not answer.",
		"satchel recall --why --project github.com/ana/shop --at 2026-05-03T23:59 &#39;what am I allergic to?&#39;", `value="2026-05-03"`)
	if strings.Contains(body, "certain to answer") {
		t.Error("a good answer is called uncertain")
	}
	s.fake.hits[0].Score = memory.Certain - .01
	wants(t, s.see(t, "/me/search?q=x"), "None of it is certain to answer")
	for _, wrong := range []string{"at=tomorrow", "limit=0", "limit=51", "limit=x"} {
		if got, _ := s.ask("GET", "/me/search?q=x&"+wrong, "", visit); got.StatusCode != 400 {
			t.Errorf("%s: %d", wrong, got.StatusCode)
		}
	}
}

func TestHome(t *testing.T) {
	s := open()
	wants(t, s.see(t, "/me/"), "Nothing is remembered yet", "satchel connect", `href="/me/imports"`, `href="/me/memories/new"`)
	s.fake.waits = some()[:3]
	s.fake.over = pages.Overview{Memories: 1234, Imports: 1, Projects: []pages.Project{{Name: "github.com/ana/shop", Memories: 9}, {Memories: 3}},
		Weeks: [pages.Weeks]int{0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8}, Newest: []memory.Record{record("abcdefgh", "tea")}}
	body := s.see(t, "/me/")
	wants(t, body, "1,234 memories in 1 project, 1 import", "3 things wait", "8 new memories this week", "4 new memories, 10 weeks ago", `height="32"`,
		"tea", `href="/me/context"`)
	s.fake.over.Weeks = [pages.Weeks]int{pages.Weeks - 1: 8}
	if strings.Contains(s.see(t, "/me/"), "<rect") {
		t.Error("a single week is drawn")
	}
}

func TestContext(t *testing.T) {
	s := open()
	wants(t, s.see(t, "/me/context"), "Nothing is told", "<code>satchel brief</code>")
	s.fake.brief = pages.Briefing{Text: "the brief", Tokens: 77, Left: 2, Usual: 1600, Sections: []pages.Section{{Title: "Standing rules", Memories: []memory.Record{record("abcdefgi", "Use pnpm.")}}}}
	wants(t, s.see(t, "/me/context?project=github.com/ana/shop"), "about 77 tokens; 2 memories did not fit", "the brief", "Standing rules", "Use pnpm.", `href="/me/memories/abcdefgi"`,
		"satchel brief --project github.com/ana/shop", `value="github.com/ana/shop" selected`)
	wants(t, s.see(t, "/me/context?project=x&budget=400"), "satchel brief --project x --budget 400", `value="400" selected`)
	if s.fake.budget != 400 {
		t.Errorf("asked for %d tokens", s.fake.budget)
	}
	if got, _ := s.ask("GET", "/me/context?budget=0", "", visit); got.StatusCode != 400 {
		t.Errorf("no budget: %d", got.StatusCode)
	}
	s.see(t, "/me/context?project=github.com/ana/shop")
	if s.fake.briefed != "github.com/ana/shop" {
		t.Errorf("asked for %q", s.fake.briefed)
	}
}

// Every page says which page it is, has one heading, a way home, and no script or style of
// its own.
func TestFrame(t *testing.T) {
	s := open()
	s.fake.records = []memory.Record{record("abcdefgh", "tea")}
	inline := regexp.MustCompile(`<script(?:>| [^>]*[^r]>[^<])|<style| style=| on[a-z]+=`)
	for _, target := range []string{"/me/", "/me/memories", "/me/memories/abcdefgh", "/me/search", "/me/search?q=tea", "/me/context", "/me/help"} {
		body := s.see(t, target)
		if n := strings.Count(body, "<h1"); n != 1 {
			t.Errorf("%s has %d headings of the first rank", target, n)
		}
		if found := inline.FindString(body); found != "" {
			t.Errorf("%s has %q", target, found)
		}
		wants(t, body, `<html lang="en">`, `href="#main"`, `<main id="main"`, `aria-current="page"`, `href="/me/"`, "did:key:z6MkhaXgBZ…", `role="search"`)
	}
}

func TestStatic(t *testing.T) {
	s := open()
	_, body := s.ask("GET", "/me/help", "", visit)
	names := regexp.MustCompile(`/me/static/[^"]+`).FindAllString(body, -1)
	if len(names) < 4 {
		t.Fatalf("%q", names)
	}
	for _, name := range names {
		got, plain := s.ask("GET", name, "")
		_, packed := s.ask("GET", name, "", "Accept-Encoding: gzip, br")
		if got.StatusCode != 200 || got.Header.Get("Cache-Control") != "public, max-age=31536000, immutable" || got.Header.Get("X-Content-Type-Options") != "nosniff" || len(packed) > len(plain) {
			t.Errorf("%s: %d %v", name, got.StatusCode, got.Header)
		}
		if again, body := s.ask("GET", name, "", "If-None-Match: "+got.Header.Get("ETag")); again.StatusCode != 304 || body != "" {
			t.Errorf("%s again: %d", name, again.StatusCode)
		}
		if got, _ := s.ask("POST", name, ""); got.StatusCode != 405 {
			t.Errorf("POST %s: %d", name, got.StatusCode)
		}
		if strings.HasSuffix(name, "style.css") && len(packed) > 5<<10 {
			t.Errorf("the style has %d bytes with gzip", len(packed))
		}
	}
	for _, name := range []string{"/me/static/0123456789abcdef/style.css", "/me/static/x/LICENSE", "/me/static/x/SOURCE", "/me/static/x/..%2f..%2fdoc.go"} {
		if got, _ := s.ask("GET", name, ""); got.StatusCode != 404 {
			t.Errorf("%s: %d", name, got.StatusCode)
		}
	}
}

var stated = regexp.MustCompile(`(?m)^(\w+)\s+(\S.*)$`)

// The files of others are as their authors published them, and say under which licence.
func TestVendored(t *testing.T) {
	const vendor = "static/others" // the go command would leave a folder named vendor out of a module
	seen := 0
	err := fs.WalkDir(os.DirFS(vendor), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Base(path) != "SOURCE" {
			return err
		}
		seen++
		dir := filepath.Join(vendor, filepath.Dir(path))
		text, err := os.ReadFile(filepath.Join(vendor, path))
		if err != nil {
			return err
		}
		says := map[string]string{}
		for _, m := range stated.FindAllStringSubmatch(string(text), -1) {
			says[m[1]] = m[2]
		}
		data, err := os.ReadFile(filepath.Join(dir, filepath.Base(says["file"])))
		if err != nil {
			return err
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != says["sha256"] {
			t.Errorf("%s was changed", says["file"])
		}
		if licence, err := os.ReadFile(filepath.Join(dir, "LICENSE")); err != nil || len(licence) < 200 || !strings.HasPrefix(says["integrity"], "sha512-") || says["registry"] == "" {
			t.Errorf("%s: no licence, or no origin: %v", path, err)
		}
		return nil
	})
	files, _ := filepath.Glob(vendor + "/*/*.js")
	if err != nil || seen == 0 || seen != len(files) {
		t.Errorf("%d files of others say where they come from, of %d: %v", seen, len(files), err)
	}
}
