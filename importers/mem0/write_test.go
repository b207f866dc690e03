package mem0_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/importers/importtest"
	"github.com/satchel-memory/satchel/importers/mem0"
	"github.com/satchel-memory/satchel/memory"
)

func write(t testing.TB, records ...memory.Record) (string, []codec.Loss) {
	t.Helper()
	return importtest.Write(t, mem0.Format(), importtest.Options(), records...)
}

func tree(t testing.TB, text string) canon.Value {
	t.Helper()
	v, err := canon.Parse([]byte(text), canon.Options{})
	if err != nil {
		t.Fatal(err, text)
	}
	return v
}

// Documents come back as they were, apart from the losses of reading.
func TestComesBack(t *testing.T) {
	for _, v := range importtest.Load(t, "testdata") {
		records, losses, err := importtest.Read(mem0.Format(), v.Source, v.Options)
		if err != nil || len(losses) > 0 || len(records) == 0 {
			continue
		}
		text := make([]byte, v.Source.Size)
		if _, err := v.Source.File.ReadAt(text, 0); err != nil {
			t.Fatal(err)
		}
		again, lost := write(t, records...)
		if !canon.Identical(tree(t, again), tree(t, string(text))) {
			t.Errorf("%s\nbecame\n%s", text, again)
		}
		for _, l := range lost {
			if l.Pointer != "/time/created" { // of records that the file dates
				t.Errorf("%s: %v", text, l)
			}
		}
	}
}

// A date without information comes back as it was, and is no loss.
func TestFirstOfYears(t *testing.T) {
	const text = `{"results":[{"id":"a","memory":"Keeps bees","created_at":"0001-01-01T00:00:00Z"}]}`
	records, _, err := read(t, text)
	if err != nil {
		t.Fatal(err)
	}
	again, lost := write(t, records...)
	if !canon.Identical(tree(t, again), tree(t, text)) || len(lost) > 0 {
		t.Errorf("became %s with %v", again, lost)
	}
}

const source = `{"results":[{"id":"a","text":"Keeps bees","hash":"77","metadata":{"n":1.50},"created_at":"2025-01-02T03:04:05+02:00","user_id":"mara","score":null}],"relations":[{"source":"mara","relationship":"knows","target":"ole"}]}`

// Changes since are made in the item, and the rest stays.
func TestEditsWin(t *testing.T) {
	for name, test := range map[string]struct {
		edit func(*memory.Record)
		want string
	}{
		"text":     {func(r *memory.Record) { r.Body.Text = "Keeps goats" }, `{"id":"a","text":"Keeps goats","metadata":{"n":1.50},"created_at":"2025-01-02T03:04:05+02:00","user_id":"mara"}`},
		"user":     {func(r *memory.Record) { r.Scope.User = "" }, `{"id":"a","text":"Keeps bees","hash":"77","metadata":{"n":1.50},"created_at":"2025-01-02T03:04:05+02:00"}`},
		"date":     {func(r *memory.Record) { r.Time.Created = r.Time.Created.Add(time.Hour) }, `{"id":"a","text":"Keeps bees","hash":"77","metadata":{"n":1.50},"created_at":"2025-01-02T02:04:05Z","user_id":"mara"}`},
		"relation": {func(r *memory.Record) { r.Body.Text = "mara loves ole" }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			records, _, err := read(t, source)
			if err != nil {
				t.Fatal(err)
			}
			if test.want == "" {
				test.edit(&records[1])
				out, _ := write(t, records...)
				if v := tree(t, out); v.Get("relations").Len() != 0 || v.Get("results").Items()[1].Get("memory").Text() != "mara loves ole" {
					t.Errorf("got %s", out)
				}
				return
			}
			test.edit(&records[0])
			out, _ := write(t, records...)
			if got := tree(t, out).Get("results").Items()[0]; !canon.Identical(got, tree(t, test.want)) {
				t.Errorf("got %s", got.Append(nil))
			}
		})
	}
}

func fact(text string) memory.Record {
	return memory.Record{Version: "0.1", ID: "urn:ump:aa", Kind: memory.Semantic, Body: memory.Body{Text: text},
		Scope: memory.Scope{Owner: importtest.Options().Owner, Visibility: memory.Private},
		Time:  memory.Times{Created: importtest.Modified()}}
}

func reason(losses []codec.Loss, words string) bool {
	for _, l := range losses {
		if l.Reason == words {
			return true
		}
	}
	return false
}

func TestLeftOut(t *testing.T) {
	with := func(f func(*memory.Record)) memory.Record {
		r := fact("Keeps bees")
		f(&r)
		return r
	}
	for name, test := range map[string]struct {
		r    memory.Record
		want string
	}{
		"closed":   {with(func(r *memory.Record) { r.Time.ValidTo = r.Time.Created }), codec.NotHeld},
		"proposed": {with(func(r *memory.Record) { r.Lifecycle.Status = memory.Candidate }), codec.NotHeld},
		"blank":    {fact("\t"), "it is blank, nothing to remember"},
		"large":    {fact(strings.Repeat("x", 1<<20+1)), "a memory that is larger than may be read is left out"},
	} {
		t.Run(name, func(t *testing.T) {
			out, losses := write(t, test.r)
			if !reason(losses, test.want) || tree(t, out).Get("results").Len() != 0 {
				t.Errorf("%v\n%s", losses, out)
			}
		})
	}
	t.Run("the largest", func(t *testing.T) {
		text := strings.Repeat("\x01", 1<<19) // six bytes each as written
		out, _ := write(t, fact(text))
		if records, _, err := importtest.Read(mem0.Format(), importtest.File("x.json", out), importtest.Options()); err != nil || records[0].Body.Text != text {
			t.Error(len(records), err)
		}
	})
	t.Run("a long name", func(t *testing.T) {
		out, losses := write(t, with(func(r *memory.Record) { r.Scope.User = strings.Repeat("u", 5000) }))
		if _, _, err := read(t, out); err != nil || !reason(losses, codec.NoPlace) {
			t.Error(err, losses)
		}
	})
	t.Run("after the end", func(t *testing.T) {
		w, _ := mem0.Format().Create(&bytes.Buffer{}, importtest.Options())
		if err := errors.Join(w.Close()); err != nil || w.Write(fact("x")) == nil || w.Close() == nil {
			t.Error("it can be written on")
		}
	})
}

// Residue that somebody else made gives no unreadable document.
func TestStrangeResidue(t *testing.T) {
	deep := strings.Repeat("[", 61) + strings.Repeat("]", 61)
	for _, residue := range []string{
		`{"item":{"memory":"Keeps bees","id":{}}}`, `{"item":{"memory":" "}}`, `{"item":{"memory":"x","event":"DELETE"}}`, `{"item":[]}`, `{"item":{"memory":"x","a":` + deep + `}}`,
		`{"item":{"memory":"x","a":9007199254740993}}`,
		`{"document":{"results":[1]}}`, `{"document":{"results":[],"items":[]}}`, `{"document":{}}`, `{"document":[1]}`, `{"document":5}`, `{"document":{"results":[],"a":[` + deep + `]}}`,
		`{"document":{"results":[],"relations":[{}]}}`, `{"item":{"memory":"Keeps bees","a":"` + strings.Repeat("x", 4<<20-40) + `"}}`, `{"relation":{"source":1}}`, `{"relation":{}}`, `{"relation":5}`, `5`,
	} {
		r := fact("Keeps bees")
		r.Body.Structured = []byte(`{"mem0":` + residue + `}`)
		out, losses := write(t, r)
		records, _, err := read(t, out)
		if err != nil || len(records) != 1 || records[0].Body.Text != "Keeps bees" || len(losses) == 0 {
			t.Errorf("%.80s: %v, losses %v\n%.300s", residue, err, losses, out)
		}
	}
}

// TestSurvives writes any records, and finds all of them again, or a loss that says why not.
func TestSurvives(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		records := importtest.Records(rt)
		for i := range records {
			r := &records[i]
			r.Scope.User = rapid.SampledFrom([]string{"", "mara", "../x"}).Draw(rt, "user")
			if rapid.Bool().Draw(rt, "ends") {
				r.Time.ValidTo = importtest.Modified().AddDate(0, 0, rapid.IntRange(-1, 50).Draw(rt, "end")).Truncate(24 * time.Hour)
			}
			if rapid.Bool().Draw(rt, "odd") {
				r.Body.Structured = rapid.SampledFrom([][]byte{[]byte(`{"tags":["a","b"]}`), []byte(`{"tags":"a"}`), []byte(`{"tags":[1]}`), []byte(`[1]`)}).Draw(rt, "structured")
			}
		}
		out, losses := write(t, records...)
		again, _, err := read(t, out)
		if err != nil {
			rt.Fatalf("%v\n%s", err, out)
		}
		for _, l := range losses {
			if !mem0.Format().Declared.Covers(l) {
				rt.Errorf("not declared: %v", l)
			}
		}
		for _, r := range records {
			if excused(losses, r.ID, "") {
				continue
			}
			read := again[0]
			again = again[1:]
			for _, pointer := range codec.Differences(r, read) {
				if !excused(losses, r.ID, pointer) {
					rt.Errorf("%s differs and no loss says so", pointer)
				}
			}
			if read.Body.Text != r.Body.Text || !read.Time.Created.Equal(r.Time.Created) {
				rt.Errorf("%q of %v became %q of %v", r.Body.Text, r.Time.Created, read.Body.Text, read.Time.Created)
			}
		}
		if len(again) > 0 {
			rt.Errorf("%d records more", len(again))
		}
	})
}

func excused(losses []codec.Loss, id memory.ID, pointer string) bool {
	for _, l := range losses {
		if l.ID == id && l.Pointer == pointer {
			return true
		}
	}
	return false
}

// TestDeclared: every declared loss occurs in some test, in the declared words.
func TestDeclared(t *testing.T) {
	opt := importtest.Options()
	opt.Apart = true
	_, apart, err := importtest.Read(mem0.Format(), importtest.File("all.json", `{"count":1,"results":[]}`), opt)
	if err != nil {
		t.Fatal(err)
	}
	records, _, err := read(t, source)
	if err != nil {
		t.Fatal(err)
	}
	closed := fact("x")
	closed.Lifecycle.Status = memory.Tombstoned
	_, losses := write(t, append(records, closed, fact("x"), fact(" "), fact(strings.Repeat("x", 2<<20)))...)
	importtest.Declared(t, mem0.Format(), "testdata", append(losses, apart...)...)
}
