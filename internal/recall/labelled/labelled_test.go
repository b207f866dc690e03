package labelled_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/internal/recall/labelled"
	"github.com/satchel-memory/satchel/memory"
)

// turn returns the record of a turn.
func turn(id, text, session string, at time.Time) memory.Record {
	return memory.Record{Version: "0.1", ID: memory.ID("urn:ump:" + id), Kind: memory.Episodic,
		Body:  memory.Body{Text: text},
		Scope: memory.Scope{Session: session, Visibility: memory.Private}, Time: memory.Times{Observed: at}}
}

func loadLoCoMo(t *testing.T) labelled.Set {
	t.Helper()
	set, err := labelled.LoCoMo(filepath.Join("testdata", "locomo.json"))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestLoCoMo(t *testing.T) {
	first := time.Date(2024, 2, 29, 16, 30, 0, 0, time.UTC)
	want := labelled.Set{Name: "locomo", Stores: []labelled.Store{{
		Name: "walk",
		Records: []memory.Record{
			turn("D1:1", "Jon: Hello Ida!", "D1", first),
			turn("D1:2", "Ida:  I walked along the shore. ", "D1", first),
			turn("D1:3", "Jon: Look. [image: a heron on one leg]", "D1", first),
			turn("D2:1", "Jon: The boat was back.", "D2", time.Date(2024, 3, 1, 0, 5, 0, 0, time.UTC)),
		},
		Questions: []labelled.Question{
			{Text: "Where did Ida walk?", Class: "4", Evidence: []memory.ID{"urn:ump:D1:2"}},
			{Text: "What did they see?", Class: "1", Evidence: []memory.ID{"urn:ump:D1:3", "urn:ump:D2:1"}},
		},
	}}}
	if diff := cmp.Diff(want, loadLoCoMo(t)); diff != "" {
		t.Error(diff)
	}
}

// share lays out the files of a folder of shared data.
func share(t *testing.T, change map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	locomo, err := os.ReadFile(filepath.Join("testdata", "locomo.json"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"locomo-dev.json": string(locomo),
		"realtalk-dev.json": `{"conversations":[{"turns":[{"id":"D3:14","text":"Ida: Hi","at":"2024-01-02T03:04:05Z"}],
			"questions":[{"q":"Who?","gold":["D3:14","D3:14"],"class":"2"}]}]}`,
		"beam-dev.json": `{"conversations":[{"turns":[{"id":0,"text":"user: Hi","at":"2024-01-02T00:00:00Z"}],
			"questions":[{"q":"Who?","gold":[0],"class":"summary"}]}]}`,
		"facts-dev.jsonl": `{"type":"fact","id":"f1","text":"Ida rows.","kind":"semantic","project":"boat","observed":"2024-01-02T03:04:05Z","lang":"en"}
{"type":"question","q":"Wer rudert?","gold":["f1"],"class":"cross","lang":"de","now":"2024-05-01T12:00:00Z"}
{"type":"question","q":"Who sails?","gold":[],"class":"absent","lang":"en","now":"2024-05-01T12:00:00Z"}
`,
	}
	for name, text := range change {
		files[name] = text
	}
	for name, text := range files {
		path := filepath.Join(dir, "data", "recall", name)
		if strings.HasPrefix(name, "locomo") {
			path = filepath.Join(dir, "data", name)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestSets: an id such as D3:14 states a session, a number states none.
func TestSets(t *testing.T) {
	sets, err := labelled.Sets(share(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	at, asked := time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC), time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	fact := turn("f1", "Ida rows.", "", at)
	fact.Kind, fact.Scope.Project = memory.Semantic, "boat"
	want := []labelled.Set{
		loadLoCoMo(t),
		{Name: "realtalk", Stores: []labelled.Store{{Name: "1", Records: []memory.Record{turn("D3:14", "Ida: Hi", "D3", at)},
			Questions: []labelled.Question{{Text: "Who?", Class: "2", Evidence: []memory.ID{"urn:ump:D3:14"}}}}}},
		{Name: "beam", Stores: []labelled.Store{{Name: "1", Records: []memory.Record{turn("0", "user: Hi", "", at.Truncate(24*time.Hour))},
			Questions: []labelled.Question{{Text: "Who?", Class: "summary", Evidence: []memory.ID{"urn:ump:0"}}}}}},
		{Name: "facts", Stores: []labelled.Store{{Name: "facts", Records: []memory.Record{fact}, Questions: []labelled.Question{
			{Text: "Wer rudert?", Class: "cross", Lang: "de", Now: asked, Evidence: []memory.ID{"urn:ump:f1"}},
			{Text: "Who sails?", Class: "absent", Lang: "en", Now: asked},
		}}}},
	}
	if diff := cmp.Diff(want, sets); diff != "" {
		t.Error(diff)
	}
	for i, stated := range []bool{true, true, false, false} {
		if sets[i].StatesSessions() != stated {
			t.Errorf("%s: sessions are stated: %v", sets[i].Name, !stated)
		}
	}
}

func TestSetsRefuse(t *testing.T) {
	const fact = `{"type":"fact","id":"f1","text":"Ida rows.","kind":"semantic","lang":"en"}` + "\n"
	for _, tt := range []struct{ name, file, text string }{
		{"no JSON", "locomo-dev.json", `[`},
		{"a strange day", "locomo-dev.json", `[{"sample_id":"x","conversation":{"session_1_date_time":"yesterday","session_1":[]}}]`},
		{"no turns", "locomo-dev.json", `[{"sample_id":"x","conversation":{"session_1_date_time":"1:00 pm on 1 May, 2024","session_1":7}}]`},
		{"no question", "beam-dev.json", `{"conversations":[{"turns":[{"id":0,"text":"Hi"}]}]}`},
		{"an id twice", "beam-dev.json", `{"conversations":[{"turns":[{"id":0},{"id":0}],"questions":[{"q":"?","gold":[0]}]}]}`},
		{"unknown evidence", "realtalk-dev.json", `{"conversations":[{"turns":[{"id":"D1:1"}],"questions":[{"q":"?","gold":["D1:2"]}]}]}`},
		{"an id of another type", "realtalk-dev.json", `{"conversations":[{"turns":[{"id":{}}]}]}`},
		{"no time", "facts-dev.jsonl", fact + `{"type":"question","q":"Who?","gold":["f1"]}`},
		{"no kind", "facts-dev.jsonl", `{"type":"fact","id":"f1","text":"x","kind":"rumour"}`},
		{"no line of JSON", "facts-dev.jsonl", fact + "row"},
		{"no question about facts", "facts-dev.jsonl", fact},
	} {
		if _, err := labelled.Sets(share(t, map[string]string{tt.file: tt.text})); err == nil || !strings.Contains(err.Error(), tt.file) {
			t.Errorf("%s: error %v does not name the file", tt.name, err)
		}
	}
	if _, err := labelled.Sets(t.TempDir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestForms(t *testing.T) {
	set := loadLoCoMo(t)
	for range 40 { // more records than a shuffle leaves in order by chance
		next := set.Stores[0].Records[0]
		next.ID += "x"
		next.ID = memory.ID(strings.Repeat("x", len(set.Stores[0].Records))) + next.ID
		set.Stores[0].Records = append(set.Stores[0].Records, next)
	}
	before := cmp.Diff(set, labelled.Set{})
	sessionless, shuffled := set.WithoutSessions().Stores[0], set.Shuffled().Stores[0]
	if diff := cmp.Diff(shuffled, set.Shuffled().Stores[0]); diff != "" {
		t.Errorf("two shuffles differ: %s", diff)
	}
	ids, moved := map[memory.ID]bool{}, 0
	for i, r := range set.Stores[0].Records {
		if s := sessionless.Records[i]; s.ID != r.ID || s.Scope.Session != "" || s.Time != r.Time {
			t.Errorf("without sessions, record %d is %v", i, s)
		}
		s := shuffled.Records[i]
		if s.Scope.Session != "" || s.Time != (memory.Times{}) {
			t.Errorf("shuffled, record %d is %v", i, s)
		}
		if ids[s.ID] = true; s.ID != r.ID {
			moved++
		}
	}
	if len(ids) != len(set.Stores[0].Records) || moved < len(ids)/2 {
		t.Errorf("%d of %d records, %d moved", len(ids), len(set.Stores[0].Records), moved)
	}
	if cmp.Diff(set, labelled.Set{}) != before {
		t.Error("the set itself has changed")
	}
}
