package pam_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/codec/codectest"
	"github.com/satchel-memory/satchel/importers/importtest"
	"github.com/satchel-memory/satchel/importers/pam"
	"github.com/satchel-memory/satchel/memory"
)

func TestSuite(t *testing.T) {
	codectest.Suite{Format: pam.Format(), Exempt: map[string]string{"Items": "the sample has no list that is long enough"}}.Run(t)
}

func write(t testing.TB, records ...memory.Record) (string, []codec.Loss) {
	t.Helper()
	return importtest.Write(t, pam.Format(), importtest.Options(), records...)
}

func read(t testing.TB, text string) []memory.Record {
	t.Helper()
	records, _, err := importtest.Check(t, pam.Format(), importtest.File("memory-store.json", text), importtest.Options())
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return records
}

func record(kind memory.Kind, id memory.ID, text string) memory.Record {
	return memory.Record{
		Version: "0.1", ID: id, Kind: kind, Body: memory.Body{Text: text}, Time: memory.Times{Created: importtest.Modified()},
		Scope: memory.Scope{Owner: importtest.Options().Owner, Visibility: memory.Private},
	}
}

func reasons(losses []codec.Loss, pointer string) (list []string) {
	for _, l := range losses {
		if l.Pointer == pointer {
			list = append(list, l.Reason)
		}
	}
	return list
}

func parsed(t testing.TB, text string) canon.Value {
	t.Helper()
	v, err := canon.Parse([]byte(text), canon.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return v
}

// Every document comes back as it was, as far as its texts go.
func TestDocumentsComeBackAsTheyWere(t *testing.T) {
	n := 0
	for _, v := range importtest.Load(t, "testdata") {
		records, losses, err := importtest.Read(pam.Format(), v.Source, v.Options)
		if err != nil || len(records) == 0 || v.Source.File == nil || records[0].Scope.Session != "" && records[0].Kind == memory.Episodic {
			continue
		}
		if slices.ContainsFunc(losses, func(l codec.Loss) bool {
			return strings.HasPrefix(l.Pointer, "/memories") || codec.IsMended(l) || codec.IsLeftOut(l)
		}) {
			continue
		}
		raw := make([]byte, v.Source.Size)
		if _, err := v.Source.File.ReadAt(raw, 0); err != nil {
			t.Fatal(err)
		}
		n++
		got, _ := write(t, records...)
		if want := parsed(t, string(raw)); !canon.Equal(parsed(t, got), want) {
			t.Errorf("got\n%s\nwant\n%s", got, raw)
		}
	}
	if n < 4 {
		t.Errorf("%d documents", n)
	}
}

// Edits show, and the rest stays; the document is then another one.
func TestEdits(t *testing.T) {
	before := parsed(t, vector(t, "memory-types.txtar"))
	records := read(t, string(before.Append(nil)))
	records[0].Body.Text = "Ada is a Rust developer in Porto."
	records[1].Time.ValidTo = importtest.Modified()
	records[1].SupersededBy = []memory.ID{"urn:ump:next"}
	next := record(memory.Procedural, "urn:ump:next", "Add closing summaries.")
	next.Supersedes = []memory.ID{"urn:ump:old"}
	records[1].ID = "urn:ump:old"
	text, _ := write(t, append(records, next)...)
	after := parsed(t, text)
	read(t, text)
	m := after.Get("memories").Items()
	want := before.Get("memories").Items()
	if got := m[0].Without("content").Without("content_hash"); !canon.Equal(got, want[0].Without("content").Without("content_hash")) || m[0].Get("content").Text() != records[0].Body.Text {
		t.Errorf("the edited memory is %s", m[0].Append(nil))
	}
	if m[1].Get("status").Text() != "superseded" || m[1].Get("temporal").Get("superseded_by").Text() != "urn:ump:next" || m[1].Get("id").Text() != "urn:ump:old" {
		t.Errorf("the replaced memory is %s", m[1].Append(nil))
	}
	list := after.Get("relations").Items()
	if last := list[len(list)-1]; len(list) != 3 || last.Get("type").Text() != "supersedes" || last.Get("to").Text() != "urn:ump:old" {
		t.Errorf("relations are %s", after.Get("relations").Append(nil))
	}
	if after.Has("export_id") || after.Has("export_date") {
		t.Error("it says that it is the document that it came from")
	}
}

// vector returns the document of a vector.
func vector(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(data), "-- in/memory-store.json --\n")
	text, _, _ = strings.Cut(text, "-- want --\n")
	return text
}

// Any records come back with kind, text and dates, or a loss says why not; the document is
// valid.
func TestWrittenDocumentsAreRead(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		records := importtest.Records(rt)
		for i := range records {
			if rapid.Bool().Draw(rt, "ends") {
				records[i].Time.ValidTo = records[i].Time.Created.Add(time.Hour)
			}
			if rapid.Bool().Draw(rt, "session") {
				records[i].Scope.Session = rapid.SampledFrom([]string{"s1", "s/2"}).Draw(rt, "of")
			}
		}
		text, losses := write(t, records...)
		back := read(t, text)
		for _, l := range losses {
			if !pam.Format().Declared.Covers(l) {
				rt.Errorf("not declared: %v", l)
			}
		}
		for _, r := range records {
			lost := func(pointer string) bool {
				return slices.ContainsFunc(losses, func(l codec.Loss) bool {
					return l.ID == r.ID && (l.Pointer == pointer || strings.HasPrefix(pointer, l.Pointer+"/"))
				})
			}
			if lost("") {
				continue
			}
			again := back[0]
			back = back[1:]
			if again.Body.Text != r.Body.Text || again.Kind != r.Kind || !again.Time.Created.Equal(r.Time.Created) || !again.Time.ValidTo.Equal(r.Time.ValidTo) {
				rt.Fatalf("%v became %v", r, again)
			}
			for _, pointer := range codec.Differences(r, again) {
				if !lost(pointer) && pointer != "/body/structured" {
					rt.Errorf("%s differs, and no loss says so: %v", pointer, losses)
				}
			}
		}
		if len(back) > 0 {
			rt.Errorf("%d records more", len(back))
		}
	})
}

func TestDeclared(t *testing.T) {
	apart := importtest.Options()
	apart.Apart = true
	_, given, err := importtest.Read(pam.Format(), importtest.File("x.json", vector(t, "memory-types.txtar")), apart)
	if err != nil {
		t.Fatal(err)
	}
	proposed, about := record(memory.Semantic, "a", "Maybe."), record(memory.Semantic, "b", "Has a cat.")
	proposed.Lifecycle.Status = memory.Candidate
	about.Body.Structured = []byte(`{"colour":"black"}`)
	about.Relations = []memory.Relation{{Type: memory.DerivedFrom, Target: "urn:ump:a"}}
	_, losses := write(t, proposed, about, record(memory.Semantic, "c", " "), record(memory.Semantic, "d", strings.Repeat("x", 1<<20+1)))
	given = append(given, losses...)
	signed := parsed(t, vector(t, "signature-false.txtar"))
	records := read(t, string(signed.Append(nil)))
	_, losses = write(t, records[0])
	given = append(given, losses...)
	for _, lines := range []string{`{"schema":"portable-ai-memory-conversation","schema_version":"1.0","id":"c","messages":[]}`} {
		_, losses, err := importtest.Read(pam.Format(), importtest.File("c.json", lines), importtest.Options())
		if err != nil {
			t.Fatal(err)
		}
		given = append(given, losses...)
	}
	importtest.Declared(t, pam.Format(), "testdata", given...)
}
