package pages_test

import (
	"context"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/memory"
)

// changed is a [pages.Changer] and a [pages.Judge] that remembers what it was asked for.
type changed struct {
	mu      sync.Mutex
	news    int
	erased  []memory.ID
	emptied bool
	forgot  []memory.ID
	all     bool
	text    string // that a memory was given
	kind    memory.Kind
	new     pages.NewMemory
	said    []memory.ID // to be wrong
	undid   string
	back    pages.Undone
	refuses error  // by the changes
	before  string // the undo of what was done before it refused
	waits   []pages.Waiting
	decided []pages.Decision
}

// count is how many changes were made.
func (f *changed) count() int {
	n := len(f.erased) + len(f.forgot) + len(f.said) + len(f.decided)
	for _, done := range []bool{f.text != "", f.new.Text != "", f.undid != "", f.emptied} {
		if done {
			n++
		}
	}
	return n
}

func (f *changed) RememberText(_ context.Context, _ memory.Caller, n pages.NewMemory) (pages.Changed, error) {
	f.new = n
	return pages.Changed{ID: "urn:ump:abcdefgh"}, f.refuses
}

func (f *changed) CorrectText(_ context.Context, _ memory.Caller, _ memory.ID, text string, kind memory.Kind) (pages.Changed, error) {
	f.kind = kind
	f.text = text
	return pages.Changed{ID: "urn:ump:ijklmnop", Undo: "act1"}, f.refuses
}

func (f *changed) ForgetThese(_ context.Context, _ memory.Caller, all bool, ids ...memory.ID) (string, error) {
	f.forgot, f.all = append(f.forgot, ids...), all
	if f.refuses != nil {
		return f.before, f.refuses
	}
	return "act2", nil
}

func (f *changed) SayWrong(_ context.Context, _ memory.Caller, id memory.ID) error {
	f.said = append(f.said, id)
	return f.refuses
}

func (f *changed) EraseAll(context.Context, memory.Caller) (bool, error) {
	f.emptied = true
	return true, nil
}

func (f *changed) Erase(_ context.Context, _ memory.Caller, id memory.ID) (bool, error) {
	f.erased = append(f.erased, id)
	return true, nil
}

func (f *changed) LastAct(context.Context, memory.Caller, memory.ID) (string, error) {
	return "act3", nil
}

func (f *changed) TakeBack(_ context.Context, _ memory.Caller, name string) (pages.Undone, error) {
	f.undid = name
	return f.back, f.refuses
}

// Activity counts what waits, and what the test says.
func (f *changed) Activity(_ context.Context, _ memory.Caller, after int64) (pages.Activity, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := pages.Activity{Head: 7 + int64(f.news), Waits: len(f.waits)}
	if after >= 0 {
		p.New = f.news
	}
	return p, nil
}

func (f *changed) Waits(context.Context, memory.Caller) ([]pages.Waiting, error) {
	return f.waits, nil
}

func (f *changed) Decide(_ context.Context, _ memory.Caller, d pages.Decision) (string, error) {
	f.decided = append(f.decided, d)
	if f.refuses != nil {
		return f.before, f.refuses
	}
	return "act4", nil
}

func TestCorrect(t *testing.T) {
	s := open()
	s.fake.records = []memory.Record{record("abcdefgh", "tea <b>")}
	const form = "/me/memories/abcdefgh/correct"
	wants(t, s.see(t, "/me/memories/abcdefgh"), `href="/me/memories/abcdefgh/correct"`, `action="/me/memories/abcdefgh/forget"`, `href="/me/memories/abcdefgh/erase"`)
	wants(t, s.see(t, form), "tea &lt;b&gt;</textarea>", "satchel revise short")
	for name, c := range map[string]struct {
		text   string
		status int
		says   string
	}{
		"nothing": {" \r\n ", 400, "The text is empty."}, "too long": {strings.Repeat("a", 49<<10), 400, "too long for this form"}, "the same": {"tea <b>", 303, ""},
	} {
		got, body := s.post(t, form, "text="+url.QueryEscape(c.text))
		if got.StatusCode != c.status || s.fake.text != "" || !strings.Contains(body, c.says) {
			t.Errorf("%s: %d %s", name, got.StatusCode, body)
		}
	}
	got, _ := s.post(t, form, "text="+url.QueryEscape(" green\r\ntea\r\n"))
	if got.StatusCode != 303 || got.Header.Get("Location") != "/me/memories/ijklmnop?done=corrected&undo=act1" || s.fake.text != "green\ntea" {
		t.Errorf("%d %s %q", got.StatusCode, got.Header.Get("Location"), s.fake.text)
	}
	wants(t, s.see(t, "/me/memories?done=corrected&undo=act1"), "It is corrected.", `name="undo" value="act1"`, "Undo</button>")
}

// What was typed is not lost when the memory was changed meanwhile, or the text refused (A11).
func TestCorrectConflict(t *testing.T) {
	s := open()
	s.fake.records = []memory.Record{record("abcdefgh", "tea at four"), record("ijklmnop", "tea at five <i>")}
	s.fake.refuses = &memory.Error{Kind: memory.InvalidRecord, Err: &memory.SupersededError{Current: []memory.ID{"urn:ump:ijklmnop"}}}
	got, body := s.post(t, "/me/memories/abcdefgh/correct", "text=tea+at+six+%3Cu%3E")
	if got.StatusCode != 409 {
		t.Fatalf("%d %s", got.StatusCode, body)
	}
	wants(t, body, "It was changed meanwhile", "tea at <ins>five &lt;i&gt;</ins>", "tea at <ins>six &lt;u&gt;</ins>", "tea at six &lt;u&gt;</textarea>", `action="/me/memories/ijklmnop/correct"`, `href="/me/memories/ijklmnop">Keep this one`)

	s.fake.refuses = &memory.Error{Kind: memory.InvalidRecord, Message: "the text has a fault"}
	got, body = s.post(t, "/me/memories/abcdefgh/correct", "text=tea+at+six")
	if got.StatusCode != 400 {
		t.Errorf("%d", got.StatusCode)
	}
	wants(t, body, "The text has a fault.", "tea at six</textarea>")

	s.fake.records[0].Lifecycle.Status = memory.Tombstoned
	got, body = s.post(t, "/me/memories/abcdefgh/correct", "text=tea+at+six")
	if got.StatusCode != 409 {
		t.Errorf("%d", got.StatusCode)
	}
	wants(t, body, "It was forgotten meanwhile", "tea at six</textarea>", `action="/me/memories/new"`)
}

func TestForget(t *testing.T) {
	s := open()
	s.fake.records = []memory.Record{record("abcdefgh", "tea"), record("ijklmnop", "coffee")}
	got, _ := s.post(t, "/me/memories/abcdefgh/forget", "x=y")
	if got.StatusCode != 303 || got.Header.Get("Location") != "/me/memories/abcdefgh?done=forgotten&undo=act2" || s.fake.all {
		t.Errorf("%d %s", got.StatusCode, got.Header.Get("Location"))
	}
	if s.post(t, "/me/memories/abcdefgh/forget", "all=yes"); !s.fake.all {
		t.Error("all versions: it was one")
	}
	wants(t, s.see(t, "/me/memories?kind=semantic"), `name="id" value="ijklmnop"`, `name="list" value="kind=semantic"`)
	s.fake.forgot = nil
	got, _ = s.post(t, "/me/memories/forget", "id=ijklmnop&id=abcdefgh&list=kind%3Dsemantic%26evil%3Dx")
	if got.Header.Get("Location") != "/me/memories?done=forgotten&kind=semantic&undo=act2" || len(s.fake.forgot) != 2 {
		t.Errorf("%s %v", got.Header.Get("Location"), s.fake.forgot)
	}
	got, _ = s.post(t, "/me/memories/forget", "list=")
	if got.Header.Get("Location") != "/me/memories?done=none" || len(s.fake.forgot) != 2 {
		t.Errorf("nothing marked: %s", got.Header.Get("Location"))
	}
	if got, _ := s.post(t, "/me/memories/forget", "id=abcdefgh&id=zzzzzzzz"); got.StatusCode != 404 || len(s.fake.forgot) != 2 {
		t.Errorf("one of nobody: %d %v", got.StatusCode, s.fake.forgot)
	}
	s.fake.records[0].Lifecycle.Status = memory.Tombstoned
	wants(t, s.see(t, "/me/memories/abcdefgh"), "It is forgotten", `name="undo" value="act3"`, "Bring it back")
}

func TestUndo(t *testing.T) {
	s := open()
	for want, back := range map[string]pages.Undone{"/me/memories/abcdefgh?done=undone": {ID: "urn:ump:abcdefgh"}, "/me/waiting?done=waits": {Waits: true}, "/me/memories?done=undone": {}} {
		s.fake.back = back
		if got, _ := s.post(t, "/me/undo", "undo=act1"); got.Header.Get("Location") != want || s.fake.undid != "act1" {
			t.Errorf("%s, want %s", got.Header.Get("Location"), want)
		}
	}
	s.fake.refuses = &memory.Error{Kind: memory.InvalidRecord, Message: "it was changed since"}
	got, body := s.post(t, "/me/undo", "undo=act1")
	if got.StatusCode != 409 {
		t.Errorf("%d", got.StatusCode)
	}
	wants(t, body, "This cannot be taken back", "It was changed since.")
}

func TestRemember(t *testing.T) {
	s := open()
	wants(t, s.see(t, "/me/memories/new?text=a%3Cb"), "a&lt;b</textarea>", "satchel remember")
	for _, form := range []string{"text=", "text=x&kind=nonsense", "text=" + strings.Repeat("x", 49<<10)} {
		if got, _ := s.post(t, "/me/memories/new", form); got.StatusCode != 400 || s.fake.new.Text != "" {
			t.Errorf("%.20s: %d", form, got.StatusCode)
		}
	}
	got, _ := s.post(t, "/me/memories/new", "text=Use+pnpm&kind=procedural&project=p")
	if got.Header.Get("Location") != "/me/memories/abcdefgh?done=remembered" || s.fake.new != (pages.NewMemory{Text: "Use pnpm", Kind: memory.Procedural, Project: "p"}) {
		t.Errorf("%s %+v", got.Header.Get("Location"), s.fake.new)
	}
	s.fake.refuses = &memory.Error{Kind: memory.InvalidRecord, Message: "too full"}
	got, body := s.post(t, "/me/memories/new", "text=Use+pnpm&kind=procedural")
	if got.StatusCode != 400 {
		t.Errorf("%d", got.StatusCode)
	}
	wants(t, body, "Use pnpm</textarea>", "Too full.", `value="procedural" selected`)
}

// some is what waits in tests.
func some() []pages.Waiting {
	return []pages.Waiting{
		{ID: "k1", Kind: pages.ACorrection, About: "email_style", Was: "short and direct", Becomes: "short and <b>kind</b>", By: "openclaw", Because: "said so", At: now},
		{ID: "urn:ump:abcdefgh", Kind: pages.AFact, Becomes: "likes quinces", By: "claude", Source: "chat 7", Memory: "urn:ump:abcdefgh", At: now},
		{ID: "urn:ump:ijklmnop", Kind: pages.AFact, Becomes: "likes pears", By: "claude", Source: "chat 7", Memory: "urn:ump:ijklmnop", At: now},
		{ID: "r1", Kind: pages.ARule, Becomes: "Never use emoji", By: "claw", At: now},
	}
}

func TestWaiting(t *testing.T) {
	s := open()
	wants(t, s.see(t, "/me/waiting"), "Nothing waits", "satchel corrections")
	s.fake.waits, s.fake.over = some(), pages.Overview{Memories: 3}
	wants(t, s.see(t, "/me/waiting"), "4 things wait", "short and <del>direct</del>", "short and <ins>&lt;b&gt;kind&lt;/b&gt;</ins>", "by <bdi>openclaw</bdi>", "said so", "Found in <bdi>chat 7</bdi>",
		`action="/me/waiting/urn:ump:abcdefgh"`, `href="/me/memories/abcdefgh"`, "A rule cannot be taken back", "2 things from <bdi>chat 7</bdi>")
	wants(t, s.see(t, "/me/"), `name="back" value="home"`, "likes quinces", `href="/me/waiting"`)
	s.fake.records = []memory.Record{record("abcdefgh", "likes quinces")}
	s.fake.records[0].Lifecycle.Status = memory.Candidate
	if body := s.see(t, "/me/memories/abcdefgh"); !strings.Contains(body, `action="/me/waiting/urn:ump:abcdefgh"`) || strings.Contains(body, "/correct") {
		t.Errorf("its own page: %s", body)
	}
	for _, c := range []struct{ target, form, want string }{
		{"/me/waiting/k1", "act=confirm", "/me/waiting?done=confirmed&undo=act4"},
		{"/me/waiting/k1", "act=reject&back=home", "/me/?done=rejected&undo=act4"},
		{"/me/waiting/k1", "act=confirm&text=short+and+sweet", "/me/waiting?done=confirmed&undo=act4"},
	} {
		if got, body := s.post(t, c.target, c.form); got.Header.Get("Location") != c.want {
			t.Errorf("%s: %d %s %s", c.form, got.StatusCode, got.Header.Get("Location"), body)
		}
	}
	if d := s.fake.decided; len(d) != 3 || !d[0].Confirm || d[1].Confirm || d[2].Text != "short and sweet" || d[0].IDs[0] != "k1" {
		t.Errorf("%+v", d)
	}
}

// Of versions made apart one is chosen, and none is decided with others.
func TestWaitingVersions(t *testing.T) {
	s := open()
	s.fake.waits = []pages.Waiting{
		{ID: "urn:ump:abcdefgh", Kind: pages.AVersion, Was: "tea is Assam", Becomes: "tea is Lapsang", Because: "Both hold"},
		{ID: "urn:ump:ijklmnop", Kind: pages.AVersion, Was: "tea is Lapsang", Becomes: "tea is Assam", Because: "Both hold"},
	}
	body := s.see(t, "/me/waiting")
	wants(t, body, "2 things wait", "<dt>Others</dt>", "<dt>This one</dt>", "tea is <ins>Lapsang</ins>", "Both hold")
	if strings.Contains(body, "All of one source") || strings.Contains(body, "<dt>Was</dt>") {
		t.Error(body)
	}
	if got, _ := s.post(t, "/me/waiting/all", "act=confirm&source=&count=2"); got.StatusCode != 400 || len(s.fake.decided) > 0 {
		t.Errorf("%d, %+v", got.StatusCode, s.fake.decided)
	}
}

func TestWaitingEdit(t *testing.T) {
	s := open()
	s.fake.waits = some()
	wants(t, s.see(t, "/me/waiting/k1"), "short and &lt;b&gt;kind&lt;/b&gt;</textarea>", "Later")
	if strings.Contains(s.see(t, "/me/waiting/r1"), "<textarea") {
		t.Error("a rule can be changed")
	}
	if got, _ := s.ask("GET", "/me/waiting/zz", "", visit); got.StatusCode != 404 {
		t.Errorf("%d", got.StatusCode)
	}
	for _, form := range []string{"act=confirm&text=", "act=other", "x=y"} {
		if got, _ := s.post(t, "/me/waiting/k1", form); got.StatusCode != 400 || len(s.fake.decided) > 0 {
			t.Errorf("%s: %d", form, got.StatusCode)
		}
	}
	s.fake.refuses = &memory.Error{Kind: memory.NotFound}
	if got, _ := s.post(t, "/me/waiting/k1", "act=confirm"); got.Header.Get("Location") != "/me/waiting?done=decided" {
		t.Errorf("decided meanwhile: %s", got.Header.Get("Location"))
	}
	s.fake.refuses = &memory.Error{Kind: memory.InvalidRecord, Message: "it is full"}
	got, body := s.post(t, "/me/waiting/k1", "act=confirm&text=mine")
	if got.StatusCode != 400 {
		t.Errorf("%d", got.StatusCode)
	}
	wants(t, body, "It is full.", "mine</textarea>")
}

// All of one source is decided if its number is typed, and nothing else.
func TestWaitingAll(t *testing.T) {
	s := open()
	s.fake.waits = some()
	for form, status := range map[string]int{"act=confirm&source=chat+7": 400, "act=confirm&source=chat+7&count=3": 400, "act=confirm&source=nobody&count=0": 400, "act=x&source=chat+7&count=2": 400} {
		if got, body := s.post(t, "/me/waiting/all", form); got.StatusCode != status || len(s.fake.decided) > 0 {
			t.Errorf("%s: %d %s", form, got.StatusCode, body)
		}
	}
	got, _ := s.post(t, "/me/waiting/all", "act=reject&source=chat+7&count=+2+")
	if got.Header.Get("Location") != "/me/waiting?done=rejected&undo=act4" || len(s.fake.decided) != 1 || s.fake.decided[0].Confirm || strings.Join(s.fake.decided[0].IDs, " ") != "urn:ump:abcdefgh urn:ump:ijklmnop" {
		t.Errorf("%s %+v", got.Header.Get("Location"), s.fake.decided)
	}
}

// everyForm are the forms that change memories, each as it would do so.
var everyForm = map[string]string{
	"/me/memories/new": "text=x&kind=semantic", "/me/memories/forget": "id=abcdefgh", "/me/memories/abcdefgh/correct": "text=x", "/me/memories/abcdefgh/forget": "all=yes",
	"/me/memories/abcdefgh/wrong": "x=y", "/me/memories/abcdefgh/erase": "sure=yes&code=RIGHT1", "/me/undo": "undo=act1", "/me/settings/erase": "sure=yes&code=RIGHT1&typed=" + string(owner), "/me/waiting/k1": "act=confirm", "/me/waiting/all": "act=confirm&source=chat+7&count=2",
}

// Every form counts only from a page of the same visit, and by POST alone (A3).
func TestEveryForm(t *testing.T) {
	for target, form := range everyForm {
		s := open()
		s.fake.records, s.fake.waits, s.fake.visits["another"] = []memory.Record{record("abcdefgh", "tea")}, some(), true
		own := tokenIn(t, s.see(t, "/me/help"))
		_, body := s.ask("GET", "/me/help", "", "Cookie: satchel-1234=another")
		for name, c := range map[string]struct {
			token  string
			header []string
		}{
			"another port":    {own, []string{visit, "Origin: http://m-1234.localhost:9999"}},
			"another site":    {own, []string{visit, "Sec-Fetch-Site: cross-site"}},
			"no origin":       {own, []string{visit, "Origin: null"}},
			"no token":        {"", []string{visit, sameOrigin}},
			"another visit's": {tokenIn(t, body), []string{visit, sameOrigin}},
			"no cookie":       {own, []string{sameOrigin}},
		} {
			if got, _ := s.ask("POST", target, form+"&token="+c.token, c.header...); got.StatusCode != 403 || s.fake.count() > 0 {
				t.Errorf("%s, %s: %d, %d changes", target, name, got.StatusCode, s.fake.count())
			}
		}
		if s.ask("GET", target+"?"+form+"&token="+own, "", visit); s.fake.count() > 0 {
			t.Errorf("%s changes by GET", target)
		}
		if got, body := s.post(t, target, form); got.StatusCode != 303 && target != pages.ErasePath || s.fake.count() != 1 {
			t.Errorf("%s: %d, %d changes %s", target, got.StatusCode, s.fake.count(), body)
		}
	}
}

// Every form that the pages show is among those that [TestEveryForm] sends.
func TestEveryFormIsTried(t *testing.T) {
	s := open()
	s.fake.records, s.fake.waits, s.fake.over = []memory.Record{record("abcdefgh", "tea")}, some(), pages.Overview{Memories: 1}
	shown := map[string]bool{}
	see := append([]string{"/me/waiting", "/me/waiting/k1", "/me/memories/new", "/me/memories/abcdefgh/correct", "/me/memories/abcdefgh/erase", "/me/help?done=erased&undo=act1"}, everyPage...)
	for _, target := range see {
		_, body := s.ask("GET", target, "", visit)
		for _, m := range regexp.MustCompile(`method="post" action="([^"]+)"`).FindAllStringSubmatch(body, -1) {
			shown[m[1]] = true
		}
	}
	if len(shown) < 9 {
		t.Errorf("%v", shown)
	}
	for action := range shown {
		if strings.HasPrefix(action, "/me/waiting/") && action != "/me/waiting/all" {
			action = "/me/waiting/k1"
		}
		if _, tried := watchedForms[action]; everyForm[action] == "" && !tried && action != "/me/leave" {
			t.Errorf("the form %s is not tried", action)
		}
	}
}

// What was done before a failure can be taken back.
func TestPartlyDone(t *testing.T) {
	s := open()
	s.fake.records = []memory.Record{record("abcdefgh", "tea"), record("ijklmnop", "coffee")}
	s.fake.waits = []pages.Waiting{{ID: "a", Kind: pages.AFact, Source: "chat"}, {ID: "b", Kind: pages.AFact, Source: "chat"}}
	for _, kind := range []memory.ErrorKind{memory.NotFound, memory.Internal} {
		s.fake.refuses, s.fake.before = &memory.Error{Kind: kind}, "act5"
		for path, form := range map[string]string{"/me/waiting/all": "act=confirm&source=chat&count=2", "/me/memories/forget": "id=abcdefgh&id=ijklmnop"} {
			got, body := s.post(t, path, form)
			if at := got.Header.Get("Location"); got.StatusCode != 303 || !strings.HasSuffix(at, "?done=partly&undo=act5") {
				t.Errorf("%s, %s: %d %s %s", path, kind, got.StatusCode, at, body)
			}
		}
	}
	wants(t, s.see(t, "/me/waiting?done=partly&undo=act5"), "A part of it was done", `value="act5"`)
}
