package assistant_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/assistant"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// house is a vault with the service for its owner's assistants.
type house struct {
	*vaulttest.House
	*assistant.Service
}

func onEach(t *testing.T, test func(*testing.T, house)) {
	vaulttest.OnEach(t, func(t *testing.T, open vaulttest.Opener) {
		h := open(t)
		test(t, house{h, assistant.New(h.Vault)})
	})
}

// journal returns the readings, latest first.
func (h house) journal(t *testing.T, q assistant.Query) []assistant.Reading {
	t.Helper()
	h.Flush(h.Ctx)
	page, err := h.Readings(h.Ctx, h.Me(), q)
	if err != nil {
		t.Fatal(err)
	}
	return page.Readings
}

// again opens another vault over the same store.
func (h house) again(readOnly bool) {
	h.Serve(vault.Options{Store: h.Store, Now: func() time.Time { return h.Now }, Key: h.Holds, Signed: true, Tokens: true, Owner: h.Key.DID(), Via: "mcp", ReadOnly: readOnly})
}

func (h house) ask(t *testing.T, c memory.Caller, question, project string) {
	t.Helper()
	if _, err := h.Recall(h.Ctx, c, memory.Query{Text: question, Scope: memory.Scope{Project: project}}); err != nil {
		t.Fatal(err)
	}
}

func TestReadings(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		pears, plums := h.Tell("likes pears"), h.Tell("hates plums")
		h.ask(t, h.Me(), "pears?", "")
		if _, err := h.Get(h.Ctx, memory.Caller{Owner: h.Key.DID()}, pears, memory.CurrentView); err == nil {
			t.Fatal("a stranger reads")
		}
		if list := h.journal(t, assistant.Query{}); len(list) != 0 {
			t.Fatalf("the owner and strangers are no assistants: %+v", list)
		}
		h.ask(t, h.Agent(), "pears?", "orchard")
		h.ask(t, h.Agent(), "which pears?", "orchard")
		list := h.journal(t, assistant.Query{})
		if len(list) != 1 || list[0].Host != "claude-code" || list[0].Way != "recall" || list[0].Project != "orchard" || list[0].Times != 2 || list[0].Given != 2 ||
			!slices.Equal(list[0].IDs, []memory.ID{pears}) || list[0].Question != "" || list[0].Token != "" {
			t.Fatalf("%+v", list)
		}
		h.Pass(time.Minute)
		cursor := h.Agent()
		cursor.Agent = "Cursor"
		if _, err := h.Get(h.Ctx, cursor, plums, memory.CurrentView); err != nil {
			t.Fatal(err)
		}
		h.Flush(h.Ctx)
		h.Pass(time.Minute)
		h.ask(t, cursor, "zzz?", "")
		for name, tt := range map[string]struct {
			query assistant.Query
			ways  []string
		}{
			"all":        {assistant.Query{}, []string{"recall", "get", "recall"}},
			"a host":     {assistant.Query{Hosts: []string{"cursor"}}, []string{"recall", "get"}},
			"a memory":   {assistant.Query{Memory: plums}, []string{"get"}},
			"since":      {assistant.Query{Since: h.Now}, []string{"recall"}},
			"few":        {assistant.Query{Limit: 1}, []string{"recall"}},
			"of another": {assistant.Query{Token: "x"}, nil},
		} {
			var ways []string
			for _, r := range h.journal(t, tt.query) {
				ways = append(ways, r.Way)
			}
			if !slices.Equal(ways, tt.ways) {
				t.Errorf("%s: %v", name, ways)
			}
		}
		first, err := h.Readings(h.Ctx, h.Me(), assistant.Query{Limit: 2})
		if err != nil || first.Next == "" {
			t.Fatalf("%+v, %v", first, err)
		}
		rest, err := h.Readings(h.Ctx, h.Me(), assistant.Query{Limit: 2, After: first.Next})
		if err != nil || len(rest.Readings) != 1 || rest.Next != "" || rest.Readings[0].Times != 2 {
			t.Errorf("%+v, %v", rest, err)
		}
		readers, err := h.Readers(h.Ctx, h.Me(), h.Now.Add(-time.Hour))
		if err != nil || len(readers) != 2 || readers[0].Host != "Cursor" || readers[0].Times != 2 || readers[0].Given != 1 || readers[1].Given != 2 {
			t.Errorf("%+v, %v", readers, err)
		}
	})
}

// Whatever gives an assistant memories notes it, for a name that may mean several and for the
// feed of changes as well. A feed that brings nothing is no reading.
func TestReadingsOfEveryWay(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		ids := []memory.ID{"urn:ump:twins-one", "urn:ump:twins-two"}
		for _, id := range ids {
			h.Brings(h.Me(), vaulttest.SignedBy(h.T, h.Key, "memory "+string(id), func(r *memory.Record) {
				r.ID, r.Scope.Visibility, r.Scope.Project = id, memory.Shared, "orchard"
				r.Relations = []memory.Relation{{Type: "mentions", Target: "entity:pears"}}
			}))
		}
		next := int64(0)
		for way, read := range map[string]func() error{
			"find": func() error {
				if _, err := h.Find(h.Ctx, h.Agent(), "twins-"); memory.KindOf(err) != memory.InvalidRecord {
					return err
				}
				return nil
			},
			"subscribe": func() (err error) {
				_, next, err = h.Changes(h.Ctx, h.Agent(), memory.Subscription{Project: "orchard"})
				return err
			},
			"get": func() error { _, err := h.Relating(h.Ctx, h.Agent(), "entity:pears"); return err },
		} {
			if err := read(); err != nil {
				t.Fatal(way, err)
			}
			h.Pass(time.Minute)
			list := h.journal(t, assistant.Query{Since: h.Now.Add(-time.Minute)})
			if len(list) != 1 {
				t.Errorf("%s: %+v", way, list)
				continue
			}
			slices.Sort(list[0].IDs)
			if list[0].Way != way || !slices.Equal(list[0].IDs, ids) {
				t.Errorf("%s: %+v", way, list[0])
			}
		}
		if _, _, err := h.Changes(h.Ctx, h.Agent(), memory.Subscription{After: next}); err != nil {
			t.Fatal(err)
		}
		if list := h.journal(t, assistant.Query{Since: h.Now}); len(list) > 0 {
			t.Errorf("nothing was given: %+v", list)
		}
	})
}

// A10: nobody waits for the journal, and it is at most two seconds late.
func TestReadingsComeByThemselves(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		h.Tell("likes pears")
		h.ask(t, h.Agent(), "pears?", "")
		for start := time.Now(); ; time.Sleep(20 * time.Millisecond) {
			page, err := h.Readings(h.Ctx, h.Me(), assistant.Query{})
			if err == nil && len(page.Readings) == 1 {
				return
			}
			if time.Since(start) > 10*time.Second {
				t.Fatalf("no reading after %v: %v", time.Since(start), err)
			}
		}
	})
}

// A question is in no file unless the owner wants it kept, and goes with the memory that
// answered it.
func TestQuestions(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		id := h.Tell("likes pears")
		const word = "flumberwicks"
		h.ask(t, h.Agent(), "pears and "+word, "")
		if list := h.journal(t, assistant.Query{}); len(list) != 1 || list[0].Question != "" {
			t.Fatalf("%+v", list)
		}
		if holds(t, h, word) {
			t.Error("a file holds the question")
		}
		for _, keep := range []bool{true, true} {
			if err := h.KeepQuestions(h.Ctx, h.Me(), keep); err != nil {
				t.Fatal(err)
			}
		}
		h.Pass(time.Minute)
		h.ask(t, h.Agent(), "pears and "+word, "")
		if list := h.journal(t, assistant.Query{}); len(list) != 2 || list[0].Question != "pears and "+word {
			t.Fatalf("%+v", list)
		}
		if h.Clears() && !holds(t, h, word) {
			t.Error("the search of the files finds nothing")
		}
		if err := h.KeepQuestions(h.Ctx, h.Me(), false); err != nil {
			t.Fatal(err)
		}
		if keeps, err := h.KeepsQuestions(h.Ctx, h.Me()); keeps || err != nil {
			t.Errorf("%t, %v", keeps, err)
		}
		h.Pass(time.Minute)
		if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: id, Reason: "user_revoked", Hard: true}); err != nil {
			t.Fatal(err)
		}
		for _, r := range h.journal(t, assistant.Query{}) {
			if r.Question != "" || len(r.Memories) > 0 || r.Given != 1 {
				t.Errorf("%+v", r)
			}
		}
		if _, err := h.Readings(h.Ctx, h.Me(), assistant.Query{Memory: id}); memory.KindOf(err) != memory.NotFound {
			t.Errorf("readings of an erased memory: %v", err)
		}
		if holds(t, h, word) {
			t.Error("a file holds the question of an erased memory")
		}
	})
}

// holds reports whether a file of the store holds a word. Stores without files hold none.
func holds(t *testing.T, h house, word string) bool {
	t.Helper()
	if h.Path == "" {
		return false
	}
	files, err := filepath.Glob(h.Path + "*")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil && bytes.Contains(data, []byte(word)) {
			return true
		}
	}
	return false
}

func TestReadingsGo(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		id := h.Tell("likes pears")
		h.ask(t, h.Agent(), "pears?", "")
		h.Flush(h.Ctx)
		h.Pass(89 * 24 * time.Hour)
		h.ask(t, h.Agent(), "pears?", "")
		h.Flush(h.Ctx)
		h.Pass(2 * 24 * time.Hour)
		if err := h.SweepAll(h.Ctx); err != nil {
			t.Fatal(err)
		}
		if list := h.journal(t, assistant.Query{}); len(list) != 1 || len(list[0].IDs) != 1 || list[0].IDs[0] != id {
			t.Errorf("after 91 days: %+v", list)
		}
		if err := h.EraseReadings(h.Ctx, h.Me()); err != nil {
			t.Fatal(err)
		}
		if list := h.journal(t, assistant.Query{}); len(list) != 0 {
			t.Errorf("erased: %+v", list)
		}
		h.ask(t, h.Agent(), "pears?", "")
		h.Flush(h.Ctx)
		if err := h.EraseReadings(h.Ctx, h.Me()); err != nil {
			t.Fatal(err)
		}
		h.again(true)
		h.Service = assistant.New(h.Vault)
		h.ask(t, h.Agent(), "pears?", "")
		if list := h.journal(t, assistant.Query{}); len(list) != 0 {
			t.Errorf("a vault that writes nothing notes %+v", list)
		}
	})
}

func TestPause(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		admit := func(name string) error {
			c := h.Agent()
			c.Agent = name
			return h.AdmitHost(h.Ctx, c)
		}
		admit("vscode")
		if err := admit("Visual Studio Code"); err != nil {
			t.Fatal(err)
		}
		here, other := h.Service, h.Vault
		h.again(false) // another program with the same store
		for range 2 {
			if err := assistant.New(other).Pause(h.Ctx, h.Me(), "vscode", "Visual Studio Code", "vscode"); err != nil {
				t.Fatal(err)
			}
		}
		elsewhere := assistant.New(h.Vault)
		h.Service = here // which has just admitted them
		if err := admit("vscode"); memory.KindOf(err) != memory.ForbiddenScope {
			t.Errorf("paused after it was admitted: %v", err)
		}
		h.Service = elsewhere
		for _, name := range []string{"vscode", "VS-Code", "visual-studio-code", "Visual Studio  Code"} {
			err := admit(name)
			if paused := name != "VS-Code"; paused != (memory.KindOf(err) == memory.ForbiddenScope) || paused && !strings.Contains(err.Error(), "satchel resume vscode") {
				t.Errorf("%q: %v", name, err)
			}
		}
		if err := h.AdmitHost(h.Ctx, h.Me()); err != nil {
			t.Errorf("the owner: %v", err)
		}
		if all, err := h.Paused(h.Ctx, h.Me()); err != nil || len(all) != 1 || all[0].Name != "vscode" || !slices.Equal(all[0].Also, []string{"visual-studio-code"}) {
			t.Errorf("%+v, %v", all, err)
		}
		if err := h.Resume(h.Ctx, h.Me(), "Visual Studio Code"); err != nil {
			t.Fatal(err)
		}
		if err := admit("vscode"); err != nil {
			t.Errorf("resumed: %v", err)
		}
		if err := h.Resume(h.Ctx, h.Me(), "vscode"); memory.KindOf(err) != memory.NotFound {
			t.Errorf("twice: %v", err)
		}
		if err := h.Pause(h.Ctx, h.Me(), "Caf\u00e9 Ｂar"); err != nil {
			t.Fatal(err)
		}
		if err := admit("cafe\u0301 bar"); memory.KindOf(err) != memory.ForbiddenScope {
			t.Errorf("the same name in other code points: %v", err)
		}
		if err := h.Resume(h.Ctx, h.Me(), "ｃafe\u0301 bar"); err != nil {
			t.Error(err)
		}
		if err := h.Pause(h.Ctx, h.Me(), " ?! "); memory.KindOf(err) != memory.InvalidRecord {
			t.Errorf("nobody: %v", err)
		}
		entries, err := h.Audit(h.Ctx, h.Me(), 0, 99)
		var acts []audit.Act
		for _, e := range entries {
			if e.Act == audit.Pause || e.Act == audit.Resume {
				acts = append(acts, e.Act)
			}
		}
		if err != nil || !slices.Equal(acts, []audit.Act{audit.Pause, audit.Resume, audit.Pause, audit.Resume}) {
			t.Errorf("the log has %v, %v", acts, err)
		}
	})
}

// Only the owner in person reads the journal and pauses.
func TestWhose(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		for _, c := range []memory.Caller{h.Agent(), h.Peer(), {Owner: h.Key.DID()}, {}} {
			_, err := h.Readings(h.Ctx, c, assistant.Query{})
			_, err2 := h.Readers(h.Ctx, c, time.Time{})
			_, err3 := h.Paused(h.Ctx, c)
			_, err4 := h.KeepsQuestions(h.Ctx, c)
			for i, err := range []error{err, err2, err3, err4, h.Pause(h.Ctx, c, "x"), h.Resume(h.Ctx, c, "x"), h.KeepQuestions(h.Ctx, c, true), h.EraseReadings(h.Ctx, c)} {
				if kind := memory.KindOf(err); kind != memory.ForbiddenScope && kind != memory.Unauthorized {
					t.Errorf("%+v does %d: %v", c, i, err)
				}
			}
		}
	})
}

// Names keep the letters of every script; invalid ones and long ones stay short and whole.
func TestFold(t *testing.T) {
	for name, want := range map[string]string{
		"Claude Code": "claude-code", "  VS_Code! ": "vs-code", "مساعد أنا": "مساعد-أنا", "助手２": "助手2", "ÉCOLE": "école", "हिन्दी": "हिन्दी",
		"<b>x</b>": "b-x-b", "../..": "", "\u202e": "", "\u0301": "", "a/b%2f": "a-b-2f", "\xff\xfe": "", "Cafe\u0301": "café", "Café": "café", "ｃｕｒｓｏｒ": "cursor", "ＣＬＡＵＤＥ　Ｃｏｄｅ": "claude-code", "I\u0307": "i", "ﬁg": "fig", "𝐂ursor": "cursor",
		strings.Repeat("é", 40): strings.Repeat("é", 32), strings.Repeat("a", 63) + "é": strings.Repeat("a", 63),
	} {
		if got := assistant.Fold(name); got != want {
			t.Errorf("%q is folded to %q, want %q", name, got, want)
		}
		if again := assistant.Fold(want); again != want {
			t.Errorf("%q is folded again, to %q", want, again)
		}
	}
}
