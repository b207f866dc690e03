package graphiti_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/codec/codectest"
	"github.com/satchel-memory/satchel/importers/graphiti"
	"github.com/satchel-memory/satchel/importers/importtest"
	"github.com/satchel-memory/satchel/memory"
)

const request = `{"episodes":[{"data":"Use pnpm","type":"text","created_at":"2026-02-03T10:00:00Z","metadata":{"id":"a","kind":"procedural","valid_from":"2026-01-01T00:00:00Z",` +
	`"tags":["js"],"about":["pnpm"],"user":"mara","agent":"helper","session":"s","project":"p"}}]}` + "\n"

func TestZepVectors(t *testing.T) { importtest.Run(t, graphiti.Zep(), "testdata/zep") }

func TestZepFormat(t *testing.T) {
	codectest.Run(t, graphiti.Zep(), codectest.Document{Name: "document", Data: []byte(request)})
}

func FuzzZep(f *testing.F) { importtest.Fuzz(f, graphiti.Zep(), "batch.json", "testdata/zep") }

func known(text string) memory.Record {
	return memory.Record{Version: "0.1", ID: "urn:ump:aa", Kind: memory.Semantic, Body: memory.Body{Text: text},
		Scope: memory.Scope{Owner: importtest.Options().Owner, Visibility: memory.Private}, Time: memory.Times{Created: importtest.Modified()}}
}

// Zep takes 20 episodes in one request, and 10,000 characters in one episode.
func TestZepRequests(t *testing.T) {
	records := []memory.Record{known(strings.Repeat("a long story ", 2000)), known(strings.Repeat("ä", 10_001))}
	for range 43 {
		records = append(records, known("short"))
	}
	for i := range records {
		records[i].ID += memory.ID(rune('a'+i%26)) + memory.ID(rune('a'+i/26))
	}
	out, losses := importtest.Write(t, graphiti.Zep(), importtest.Options(), records...)
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d requests", len(lines))
	}
	for _, line := range lines {
		v, err := canon.Parse([]byte(line), canon.Options{})
		if err != nil || v.Get("episodes").Len() > 20 {
			t.Fatal(v.Get("episodes").Len(), err)
		}
		for _, e := range v.Get("episodes").Items() {
			if n := utf8.RuneCountInString(e.Get("data").Text()); n > 10_000 || n == 0 || e.Get("metadata").Len() > 10 {
				t.Errorf("an episode of %d characters", n)
			}
		}
	}
	src := importtest.File("batch.jsonl", out)
	again, _, err := importtest.Read(graphiti.Zep(), src, importtest.Options())
	if err != nil || len(again) != len(records) || graphiti.Zep().Detect(src) != codec.Likely || graphiti.Format().Detect(src) != codec.No {
		t.Fatal(len(again), err)
	}
	for i, r := range records {
		if again[i].Body.Text != r.Body.Text || again[i].Provenance.Source.Ref != "zep/"+string(r.ID) {
			t.Errorf("record %d became %.30q of %s", i, again[i].Body.Text, again[i].Provenance.Source.Ref)
		}
	}
	for _, l := range losses {
		if l.Pointer == "" || strings.HasPrefix(l.Pointer, "/body") {
			t.Errorf("lost %v", l)
		}
	}
}

// An episode has no more than ten metadata, the first part of a long one too: what it is about
// makes room for the part's number, and is told. An episode of others that leaves no room for
// it is written anew.
func TestZepLongWithMetadata(t *testing.T) {
	full := known(strings.Repeat("a long story ", 2000))
	full.Kind = memory.Procedural
	full.Time.ValidFrom, full.Time.ValidTo = importtest.Modified().AddDate(-1, 0, 0), importtest.Modified().AddDate(50, 0, 0)
	full.Scope.User, full.Scope.Agent, full.Scope.Session, full.Scope.Project = "mara", "helper", "s", "p"
	codec.Tag(&full, "js")
	codec.About(&full, "pnpm")
	short := full
	short.ID, short.Body.Text = "urn:ump:bb", "short"
	const ten = `{"episodes":[{"data":"x","type":"text","created_at":"2026-02-03T10:00:00Z","metadata":{"id":"a","1":1,"2":1,"3":1,"4":1,"5":1,"6":1,"7":1,"8":1,"9":1}}]}`
	others, _, err := importtest.Read(graphiti.Zep(), importtest.File("x.json", ten), importtest.Options())
	if err != nil || len(others) != 1 {
		t.Fatal(err)
	}
	others[0].Body.Text = strings.Repeat("their story ", 1000)
	records := []memory.Record{full, short, others[0]}
	out, losses := importtest.Write(t, graphiti.Zep(), importtest.Options(), records...)
	v, err := canon.Parse([]byte(strings.TrimSpace(out)), canon.Options{})
	if err != nil || v.Get("episodes").Len() != 6 {
		t.Fatal(v.Get("episodes").Len(), err)
	}
	for i, e := range v.Get("episodes").Items() {
		if n := e.Get("metadata").Len(); n > 10 {
			t.Errorf("episode %d has %d metadata", i, n)
		}
	}
	again, _, err := importtest.Read(graphiti.Zep(), importtest.File("batch.jsonl", out), importtest.Options())
	if err != nil || len(again) != 3 {
		t.Fatal(len(again), err)
	}
	for i, r := range again {
		was := records[i]
		if r.Body.Text != was.Body.Text || r.Kind != was.Kind || r.Scope != was.Scope || !r.Time.ValidTo.Equal(was.Time.ValidTo) {
			t.Errorf("record %d became %.200v", i, r)
		}
	}
	about := func(r memory.Record) bool {
		return slices.ContainsFunc(losses, func(l codec.Loss) bool { return l.ID == r.ID && strings.HasPrefix(l.Pointer, "/relations") })
	}
	if !about(full) || about(short) || len(again[0].Relations) > 0 || len(again[1].Relations) != 1 {
		t.Errorf("lost %v", losses)
	}
	if !slices.ContainsFunc(losses, func(l codec.Loss) bool {
		return l.ID == others[0].ID && strings.HasPrefix(l.Pointer, "/body/structured")
	}) {
		t.Errorf("the metadata of others are not told: %v", losses)
	}
}

// What others wrote for Zep comes back as it was, but for changes since.
func TestZepComesBack(t *testing.T) {
	const foreign = `{"data":"Prefers mornings","type":"message","created_at":"2025-07-01T12:00:00+02:00","source_description":"survey","metadata":{"source":"crm"}}`
	records, _, err := importtest.Read(graphiti.Zep(), importtest.File("x.json", `{"episodes":[`+foreign+`]}`), importtest.Options())
	if err != nil {
		t.Fatal(err)
	}
	out, losses := importtest.Write(t, graphiti.Zep(), importtest.Options(), records...)
	if want := `{"episodes":[` + foreign + "]}\n"; out != want || len(losses) > 0 {
		t.Errorf("became %s%v", out, losses)
	}
	records[0].Body.Text, records[0].Scope.User = "Prefers evenings", "zoe"
	out, _ = importtest.Write(t, graphiti.Zep(), importtest.Options(), records...)
	if want := strings.Replace(strings.Replace(foreign, "mornings", "evenings", 1), `"crm"`, `"crm","user":"zoe"`, 1); out != `{"episodes":[`+want+"]}\n" {
		t.Errorf("became %s", out)
	}
}

// What stands in a session or beside a user is of them.
func TestZepWhose(t *testing.T) {
	const text = `{"user_id":"zoe","session_id":"s0","messages":[{"uuid":"m1","role":"user","content":"hi"}],"relevant_facts":[{"uuid":"f1","fact":"Zoe paints","created_at":"2026-02-03"}],` +
		`"sessions":[{"session_id":"s1","user_id":"ole","messages":[{"role":"user","content":"yo"}]}]}`
	src := importtest.File("x.json", text)
	records, _, err := importtest.Check(t, graphiti.Format(), src, importtest.Options())
	if err != nil || graphiti.Format().Detect(src) != codec.Likely {
		t.Fatal(err)
	}
	var got []string
	for _, r := range records {
		got = append(got, r.Body.Text+" "+r.Scope.User+" "+r.Scope.Session)
	}
	if want := []string{"user: hi zoe s0", "Zoe paints zoe s0", "user: yo ole s1"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// A text in which somebody speaks is a message, and stays episodic.
func TestZepMessage(t *testing.T) {
	r := known("Zoe: I keep bees")
	r.Kind = memory.Episodic
	other := known("Met Zoe")
	other.ID = "urn:ump:bb"
	other.Kind = memory.Episodic
	out, _ := importtest.Write(t, graphiti.Zep(), importtest.Options(), r, other)
	if !strings.Contains(out, `"data":"Zoe: I keep bees","type":"message"`) || strings.Count(out, `"kind":"episodic"`) != 1 {
		t.Errorf("got %s", out)
	}
	again, _, err := importtest.Read(graphiti.Zep(), importtest.File("x", out), importtest.Options())
	if err != nil || len(again) != 2 || again[0].Kind != memory.Episodic || again[1].Kind != memory.Episodic {
		t.Errorf("%v %+v", err, again)
	}
}

// What Zep cannot say is told.
func TestZepLosses(t *testing.T) {
	r := known("Keeps bees")
	r.Body.Structured = []byte(`{"n":1}`)
	blank := known(" ")
	ended := known("Was here")
	ended.Time.ValidTo = importtest.Modified().AddDate(-1, 0, 0)
	unfit := known("Has a long name")
	unfit.ID = "urn:ump:cc"
	unfit.Scope.User = strings.Repeat("x", codec.Limits{}.Filled().Name+1)
	out, losses := importtest.Write(t, graphiti.Zep(), importtest.Options(), r, blank, ended, unfit)
	if strings.Count(out, `"data"`) != 1 {
		t.Errorf("got %s", out)
	}
	for _, want := range []codec.Loss{{ID: r.ID, Pointer: "/body/structured", Reason: codec.NoPlace}, {ID: r.ID, Reason: codec.NotHeld},
		{ID: unfit.ID, Reason: "a memory that Satchel could not read back is left out"}} {
		if !slices.Contains(losses, want) {
			t.Errorf("%v is not told: %v", want, losses)
		}
	}
	if out, _ := importtest.Write(t, graphiti.Zep(), importtest.Options()); out != "{\"episodes\":[]}\n" {
		t.Errorf("nothing became %s", out)
	}
}
