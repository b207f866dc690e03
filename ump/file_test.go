package ump_test

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

func TestFile(t *testing.T) {
	one := mustAuthor(t, `{"body":{"text":"one","structured":{}},"own":[1.0,{"a":[]}]}`)
	two := mustAuthor(t, `{"body":{"text":"two"}}`)
	t.Run("UMP-4.3-1 an array is written and read", func(t *testing.T) {
		text := writeAll(t, ump.Format(), codec.Options{}, one, two)
		if !strings.HasPrefix(text, "[\n  {\n    \"ump\": \"0.1\",\n    \"id\": \"urn:ump:") || !strings.HasSuffix(text, "\n  }\n]\n") {
			t.Errorf("the document is\n%s", text)
		}
		sameRecords(t, text, one, two)
		if got := writeAll(t, ump.Format(), codec.Options{}); got != "[]\n" {
			t.Errorf("no records are %q", got)
		}
		sameRecords(t, "[]")
		sameRecords(t, " \n")
		sameRecords(t, string(one.Origin), one)
	})
	t.Run("UMP-4.3-2 NDJSON is written and read", func(t *testing.T) {
		text := writeAll(t, ump.Format(), codec.Options{NDJSON: true}, one, two)
		if text != string(one.Origin)+"\n"+string(two.Origin)+"\n" {
			t.Errorf("the document is\n%s", text)
		}
		sameRecords(t, text, one, two)
		sameRecords(t, "\n\n"+strings.ReplaceAll(text, "\n", "\r\n\r\n"), one, two)
	})
	t.Run("UMP-4.3-7 the same records give the same bytes", func(t *testing.T) {
		first := writeAll(t, ump.Format(), codec.Options{}, one, two)
		if second := writeAll(t, ump.Format(), codec.Options{}, one, two); first != second {
			t.Error("they differ")
		}
	})
	t.Run("UMP-7-1 UMP-0-2 a record passes unchanged through every file", func(t *testing.T) {
		page := writeAll(t, ump.MarkdownFormat(), codec.Options{}, one)
		got, _, err := readAll(t, ump.MarkdownFormat(), fileOf(page), codec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		sameRecords(t, writeAll(t, ump.Format(), codec.Options{}, got[0]), one)
	})
}

func sameRecords(t *testing.T, text string, want ...memory.Record) {
	t.Helper()
	got, losses, err := readAll(t, ump.Format(), fileOf(text), codec.Options{})
	if err != nil || len(got) != len(want) || len(losses) > 0 {
		t.Errorf("read %d records, want %d; %v, %v", len(got), len(want), losses, err)
		return
	}
	for i := range want {
		if canonical(t, got[i].Origin) != canonical(t, want[i].Origin) {
			t.Errorf("record %d is %s", i, got[i].Origin)
		}
	}
}

func TestFileFills(t *testing.T) {
	const bare = `{"ump":"0.1","kind":"semantic","body":{"text":"x"},"scope":{"owner":"` + string(ownerDID) + `"},"provenance":{"actor_kind":"user","method":"m"}}`
	later := birthTime.Add(time.Hour)
	opt := codec.Options{Owner: "did:web:somebody.else", Project: "garden", Now: func() time.Time { return later }}
	fill := func(t *testing.T, text string, opt codec.Options, modified time.Time) memory.Record {
		t.Helper()
		src := fileOf(text)
		src.Modified = modified
		got, _, err := readAll(t, ump.Format(), src, opt)
		if err != nil {
			t.Fatal(err)
		}
		return got[0]
	}
	t.Run("UMP-2-12 an unsigned record is completed", func(t *testing.T) {
		r := fill(t, bare, opt, birthTime)
		if r.Scope.Owner != ownerDID || r.Scope.Project != "garden" || r.Scope.Visibility != memory.Private || !r.Time.Created.Equal(birthTime) || r.Provenance.Actor != string(ownerDID) || r.ID != "" {
			t.Errorf("it is %+v", r)
		}
		if v, _ := parse(t, r.Origin).At("/scope/project"); v.Text() != "garden" {
			t.Errorf("its origin does not say so: %s", r.Origin)
		}
		if _, err := ump.Author(r, ownerKey(t)); err != nil {
			t.Error(err)
		}
	})
	t.Run("UMP-2-14 created is observed, else valid_from, else the file's, else now", func(t *testing.T) {
		at := func(members string) string {
			return strings.Replace(bare, `"scope"`, `"time":{`+members+`},"scope"`, 1)
		}
		for _, c := range []struct {
			text     string
			modified time.Time
			want     time.Time
		}{
			{at(`"valid_from":"2020-01-01T00:00:00Z","observed":"2021-01-01T00:00:00Z"`), birthTime, time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC)},
			{at(`"valid_from":"2020-01-01T00:00:00Z"`), birthTime, time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)},
			{bare, birthTime, birthTime},
			{bare, time.Time{}, later},
		} {
			if r := fill(t, c.text, opt, c.modified); !r.Time.Created.Equal(c.want) {
				t.Errorf("%s is dated %s, want %s", c.text, r.Time.Created, c.want)
			}
		}
		_, _, err := readAll(t, ump.Format(), fileOf(bare), codec.Options{Owner: ownerDID})
		if e, ok := errors.AsType[*codec.ParseError](err); !ok || e.Rule != "UMP-2-14" {
			t.Errorf("without any date: %v", err)
		}
	})
	t.Run("UMP-3.3-4 nothing is filled into a signed record", func(t *testing.T) {
		r := mustAuthor(t, `{"body":{"text":"x"}}`)
		bareScope := parse(t, r.Origin).Get("scope").Without("visibility")
		form := parse(t, r.Origin).With("scope", bareScope).Append(nil)
		if got := fill(t, string(form), opt, birthTime); string(got.Origin) != string(form) || got.Scope.Project != "" {
			t.Errorf("it is %s", got.Origin)
		}
		_, _, err := readAll(t, ump.Format(), fileOf(strings.Replace(string(form), `"id":`, `"was":`, 1)), opt)
		if e, ok := errors.AsType[*codec.ParseError](err); !ok || e.Rule != "UMP-2-3" {
			t.Errorf("without an id: %v", err)
		}
	})
	t.Run("UMP-2-9 neither an owner nor a kind is filled in, and validation says the same", func(t *testing.T) {
		for path, text := range map[string]string{
			"/scope/owner": strings.Replace(bare, `"owner"`, `"user"`, 1), "/kind": strings.Replace(bare, `"kind"`, `"sort"`, 1),
			"/body/text": strings.Replace(bare, `"text"`, `"words"`, 1),
		} {
			_, _, err := readAll(t, ump.Format(), fileOf(text), opt)
			if e, ok := errors.AsType[*codec.ParseError](err); !ok || e.Path != path {
				t.Errorf("without %s: %v", path, err)
			}
			found := map[string]bool{}
			if err := ump.Format().Validate(fileOf(text), opt, func(e *codec.ParseError) { found[e.Path] = true }); err != nil || !found[path] {
				t.Errorf("without %s validation finds %v, %v", path, found, err)
			}
		}
	})
	t.Run("UMP-2-2 an edition is not filled in", func(t *testing.T) {
		_, _, err := readAll(t, ump.Format(), fileOf(strings.Replace(bare, `"ump":"0.1",`, ``, 1)), opt)
		if memory.KindOf(err) != memory.InvalidRecord {
			t.Errorf("%v", err)
		}
	})
}

func TestFileErrors(t *testing.T) {
	good := string(mustAuthor(t, `{"body":{"text":"x"}}`).Origin)
	bad := strings.Replace(good, `"kind":"semantic"`, `"kind":"note"`, 1)
	for _, c := range []struct{ name, text, path, rule string }{
		{"UMP-4.3-1 in an array the index leads", "[" + good + "," + bad + "]", "/1/kind", "UMP-2-4"},
		{"UMP-4.3-2 in NDJSON the index leads", good + "\n" + bad + "\n", "/1/kind", "UMP-2-4"},
		{"UMP-2-4 in a single record nothing leads", bad, "/kind", "UMP-2-4"},
		{"an array of words", `["x"]`, "/0", "UMP-2-1"},
		{"an array that does not end", "[" + good, "", "UMP-2-28"},
		{"something after the array", "[" + good + "] x", "", "UMP-2-28"},
		{"a word", `"x"`, "", "UMP-2-1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := readAll(t, ump.Format(), fileOf(c.text), codec.Options{})
			e, ok := errors.AsType[*codec.ParseError](err)
			if !ok || e.Path != c.path || e.Rule != c.rule {
				t.Errorf("error is %v, want one at %q for %s", err, c.path, c.rule)
			}
		})
	}
	t.Run("validation goes on after a violation", func(t *testing.T) {
		forged := strings.Replace(good, `"text":"x"`, `"text":"y"`, 1)
		var got []string
		err := ump.Format().Validate(fileOf("["+bad+","+forged+`,{"ump":"0.1"},`+good+"]"), codec.Options{}, func(e *codec.ParseError) { got = append(got, e.Rule+e.Path) })
		want := "UMP-2-4/0/kind UMP-2.8-1/1/integrity/content_hash UMP-2-5/2/body UMP-2-8/2/scope UMP-2-13/2/time UMP-2-3/2/id UMP-2-4/2/kind"
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("found %s, %v; want %s", strings.Join(got, " "), err, want)
		}
	})
	t.Run("nothing is no document", func(t *testing.T) {
		if _, err := ump.Format().Open(codec.Source{}, codec.Options{}); memory.KindOf(err) != memory.InvalidRecord {
			t.Errorf("%v", err)
		}
	})
}

// failing is a medium that breaks.
type failing struct{ after int }

var errMedium = errors.New("the disk is gone")

func (f *failing) Write(p []byte) (int, error) {
	if f.after -= len(p); f.after < 0 {
		return 0, errMedium
	}
	return len(p), nil
}

func (f *failing) ReadAt([]byte, int64) (int, error) { return 0, errMedium }

func TestMedium(t *testing.T) {
	r := mustAuthor(t, `{"body":{"text":"x"}}`)
	for _, after := range []int{0, 1000} {
		w, err := ump.Format().Create(&failing{after: after}, codec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			err = errors.Join(err, w.Write(r))
		}
		if err = errors.Join(err, w.Close()); !errors.Is(err, errMedium) {
			t.Errorf("writing to a broken disk: %v", err)
		}
	}
	for _, f := range []codec.Format{ump.Format(), ump.MarkdownFormat()} {
		src := codec.Source{File: &failing{}, Size: 100}
		if _, _, err := readAll(t, f, src, codec.Options{}); !errors.Is(err, errMedium) || memory.KindOf(err) != memory.Internal {
			t.Errorf("%s: reading from a broken disk: %v", f.Name, err)
		}
		if err := f.Validate(src, codec.Options{}, func(e *codec.ParseError) { t.Errorf("a broken disk is a violation: %v", e) }); !errors.Is(err, errMedium) {
			t.Errorf("%s: validating a broken disk: %v", f.Name, err)
		}
		if got := f.Detect(src); got != codec.No {
			t.Errorf("%s: a broken disk is of confidence %d", f.Name, got)
		}
	}
	w, err := ump.Format().Create(io.Discard, codec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(r), w.Close()); err != nil || len(w.Losses()) > 0 {
		t.Fatalf("%v, losses are %v", err, w.Losses())
	}
	if w.Write(r) == nil || w.Close() == nil {
		t.Error("a closed document takes records")
	}
}

func TestDetect(t *testing.T) {
	long := mustAuthor(t, `{"body":{"text":"`+strings.Repeat("x", 900_000)+`","structured":{"a":"`+strings.Repeat("y", 900_000)+`"}}}`)
	for name, c := range map[string]struct {
		text string
		want codec.Confidence
	}{
		"an empty array":           {"[]", codec.Possible},
		"a record of a megabyte":   {"[" + string(long.Origin) + "]", codec.Likely},
		"a record without edition": {`{"kind":"x","body":{},"scope":{},"time":{}}`, codec.Likely},
		"a bundle":                 {`{"format":"aimem-bundle","version":"1","chunks":[{"x_ump":{"record":{"ump":"0.1"}}}]}`, codec.No},
		"a record, then garbage":   {vaultNote + "\n{", codec.Certain},
		"a cut record":             {vaultNote[:200], codec.Possible},
	} {
		if got := ump.Format().Detect(fileOf(c.text)); got != c.want {
			t.Errorf("%s: confidence is %d, want %d", name, got, c.want)
		}
	}
}

// endless is an array of records without an end, of which only size bytes exist.
type endless struct{ element []byte }

func (e endless) ReadAt(p []byte, off int64) (int, error) {
	n := int64(len(e.element))
	for i := range p {
		if off == 0 && i == 0 {
			p[i] = '['
			continue
		}
		p[i] = e.element[(off+int64(i)-1)%n]
	}
	return len(p), nil
}

func TestBoundedMemory(t *testing.T) {
	record := string(mustAuthor(t, `{"body":{"text":"`+strings.Repeat("x", 10_000)+`"}}`).Origin) + ","
	src := codec.Source{File: endless{[]byte(record)}, Size: 1 + 3000*int64(len(record))}
	r, err := ump.Format().Open(src, codec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	held := heap()
	for range 2000 { // 20 MB of records
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
	}
	if grown := int64(heap() - held); grown > 2<<20 {
		t.Errorf("after 2000 records %d bytes are held", grown)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	var one bytes.Buffer
	w, err := ump.Format().Create(&one, codec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(mustAuthor(t, `{"body":{"text":"x"}}`)); err != nil || one.Len() == 0 {
		t.Errorf("a record is held back until the end: %v", err)
	}
}

// heap returns how many bytes are in use.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
