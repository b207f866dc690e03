package mem0_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/codec/codectest"
	"github.com/satchel-memory/satchel/importers/importtest"
	"github.com/satchel-memory/satchel/importers/mem0"
	"github.com/satchel-memory/satchel/memory"
)

func TestVectors(t *testing.T) { importtest.Run(t, mem0.Format(), "testdata") }

func TestFormat(t *testing.T) {
	codectest.Suite{Format: mem0.Format(), Exempt: map[string]string{
		"Items": "the sample says nothing that is written as a list of two; limit-categories does",
	}}.Run(t)
}

func FuzzRead(f *testing.F) { importtest.Fuzz(f, mem0.Format(), "all.json", "testdata") }

func read(t testing.TB, text string) ([]memory.Record, []codec.Loss, error) {
	t.Helper()
	return importtest.Check(t, mem0.Format(), importtest.File("all.json", text), importtest.Options())
}

func TestWhoseAndHowLong(t *testing.T) {
	records, _, err := read(t, `[{"memory":"Keeps bees","user_id":"mara","agent_id":"shop","run_id":"9","expiration_date":"2025-12-31"},{"memory":"Keeps goats","expiration_date":"2026-01-02T03:00:00Z"}]`)
	if err != nil {
		t.Fatal(err)
	}
	s := records[0].Scope
	if s.User != "mara" || s.Agent != "shop" || s.Session != "9" {
		t.Errorf("scope %+v", s)
	}
	for i, want := range []string{"2026-01-01T00:00:00Z", "2026-01-02T03:00:00Z"} {
		if got := records[i].Time.ValidTo.Format(time.RFC3339); got != want {
			t.Errorf("valid to %s, want %s", got, want)
		}
	}
}

func TestDates(t *testing.T) {
	now := time.Date(2026, 5, 5, 5, 5, 5, 0, time.UTC)
	for name, test := range map[string]struct {
		text     string
		modified time.Time
		now      func() time.Time
		want     time.Time
	}{
		"the file's":               {`[{"memory":"a"}]`, importtest.Modified(), func() time.Time { return now }, importtest.Modified()},
		"the clock's":              {`[{"memory":"a"}]`, time.Time{}, func() time.Time { return now }, now},
		"its own":                  {`[{"memory":"a","created_at":"2026-05-05T05:05:05Z"}]`, time.Time{}, nil, now},
		"none is refused":          {text: `[{"memory":"a"}]`},
		"of a relation is refused": {text: `{"results":[],"relations":[{"source":"a","relationship":"b","target":"c"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			src, opt := importtest.File("all.json", test.text), importtest.Options()
			src.Modified, opt.Now = test.modified, test.now
			records, _, err := importtest.Check(t, mem0.Format(), src, opt)
			if test.want.IsZero() {
				importtest.Breaks(t, err, "MEM0-7")
			} else if err != nil || !records[0].Time.Created.Equal(test.want) {
				t.Errorf("got %v, %v", records, err)
			}
		})
	}
	t.Run("no owner is refused", func(t *testing.T) {
		opt := importtest.Options()
		opt.Owner = ""
		_, _, err := importtest.Check(t, mem0.Format(), importtest.File("all.json", `[]`), opt)
		importtest.Breaks(t, err, "MEM0-7")
	})
}

func TestValidateReportsEverything(t *testing.T) {
	text := `{"results":[1,{"memory":"a","id":{},"created_at":"x"},{"memory":"b","more":1}],"relations":[{}]}`
	want := []string{"MEM0-2 /results/0", "MEM0-3 /results/1/id", "MEM0-4 /results/1/created_at", "MEM0-5 /relations/0/source", "MEM0-5 /relations/0/relationship", "MEM0-5 /relations/0/destination"}
	for strict, want := range map[bool][]string{false: want, true: append(want[:3:3], append([]string{"MEM0-2 /results/2/more"}, want[3:]...)...)} {
		opt := importtest.Options()
		opt.Strict = strict
		if diff := cmp.Diff(want, importtest.Violations(t, mem0.Format(), importtest.File("all.json", text), opt)); diff != "" {
			t.Errorf("strict %v: violations differ (-want +got):\n%s", strict, diff)
		}
	}
}

func TestDetect(t *testing.T) {
	long := strings.Repeat("c", 100_000)
	for name, test := range map[string]struct {
		text string
		want codec.Confidence
	}{
		"results":                  {`{"results":[{"id":"a","memory":"b"}]}`, codec.Likely},
		"a list":                   {` [{"id":"a","memory":"b"}]`, codec.Likely},
		"results after others":     {`{"count":1,"results" : [ {"hash":"a","memory":"b"}]}`, codec.Likely},
		"nothing but the text":     {`[{"memory":"b"}]`, codec.Possible},
		"another text, but whose":  {`{"memories":[{"text":"b","run_id":"r"}]}`, codec.Possible},
		"another text, an id":      {`{"memories":[{"text":"b","id":"r"}]}`, codec.Possible},
		"another text":             {`{"items":[{"content":"b"}]}`, codec.No},
		"and of others":            {`{"memories":[{"text":"b","id":"r","importance":3}]}`, codec.No},
		"and a list of anything":   {`[{"text":"b","id":"r"}]`, codec.No},
		"a text within":            {`{"results":[{"id":"a","data":{"memory":"b"},"event":"ADD"}]}`, codec.Likely},
		"a long item":              {`{"results":[{"id":"a","memory":"` + long + `"}]}`, codec.Possible},
		"a long item of others":    {`{"results":[{"id":"a","note":"` + long + `"}]}`, codec.No},
		"no results":               {`{"results":[]}`, codec.Likely},
		"no items":                 {`{"items":[]}`, codec.No},
		"no results of others":     {`{"results":[],"total":0}`, codec.No},
		"a memory of mcp service":  {`{"memories":[{"content":"b","content_hash":"r","user_id":"x"}]}`, codec.No},
		"a conversation":           {`[{"role":"user","content":"b","user_id":"x"}]`, codec.No},
		"records":                  {`[{"ump":"0.1","memory":"b"}]`, codec.No},
		"a number for the memory":  {`[{"id":"a","memory":5}]`, codec.No},
		"broken":                   {`[{"id":"a","memory":`, codec.No},
		"only the words of a list": {`"results": [`, codec.No},
	} {
		t.Run(name, func(t *testing.T) {
			if got := mem0.Format().Detect(importtest.File("all.json", test.text)); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
	if got := mem0.Format().Detect(importtest.Folder("f", map[string]string{"all.json": `[{"id":"a","memory":"b"}]`})); got != codec.No {
		t.Errorf("a folder: got %v", got)
	}
}

func TestShared(t *testing.T) {
	src := importtest.Shared(t, "data/formats/mem0/get_all.json")
	if got := mem0.Format().Detect(src); got != codec.Likely {
		t.Errorf("detected as %v", got)
	}
	records, _, err := importtest.Check(t, mem0.Format(), src, importtest.Options())
	if err != nil || len(records) != 1 || records[0].Body.Text != "User prefers pnpm as package manager" || records[0].Scope.User != "u1" {
		t.Errorf("got %+v, %v", records, err)
	}
}
