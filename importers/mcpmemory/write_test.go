package mcpmemory_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/codec/codectest"
	"github.com/satchel-memory/satchel/importers/importtest"
	"github.com/satchel-memory/satchel/importers/mcpmemory"
	"github.com/satchel-memory/satchel/memory"
)

func TestFormat(t *testing.T) {
	codectest.Suite{Format: mcpmemory.Format(), Exempt: map[string]string{
		"Items": "the sample makes one observation; limit-items has more",
		"Name":  "the sample's only name is short; limit-name has a long one",
	}}.Run(t)
}

func write(t testing.TB, records ...memory.Record) (string, []codec.Loss) {
	t.Helper()
	return importtest.Write(t, mcpmemory.Format(), importtest.Options(), records...)
}

// A file of the server comes back byte for byte, without a newline at its end.
func TestComesBack(t *testing.T) {
	text := line + "\n" +
		`{"type":"entity","name":"Porto","entityType":"city","observations":[]}` + "\n" +
		`{"type":"entity","name":"","entityType":"","observations":["\u0001\b\f\u2028</b>"]}` + "\n" +
		`{"type":"entity","name":"Eve: x","entityType":"robot","observations":["Eve: x","a: b","a: b"],"since":1e2}` + "\n" +
		`{"type":"relation","from":"Ada","to":"Porto","relationType":"lives_in","more":[]}` + "\n" +
		`{"type":"relation","from":"Ada","to":"Ada","relationType":"is"}`
	text = strings.Replace(text, `"name":""`, `"name":"/../x"`, 1)
	records, err := read(t, strings.ReplaceAll(text, `\u2028`, "\u2028"))
	if err != nil {
		t.Fatal(err)
	}
	got, losses := write(t, records...)
	if diff := cmp.Diff(strings.ReplaceAll(text, `\u2028`, "\u2028"), got); diff != "" {
		t.Errorf("it changed (-was +is):\n%s", diff)
	}
	for _, l := range losses {
		if l.Pointer != "/time/created" {
			t.Error(l)
		}
	}
}

func fact(text string, about ...string) memory.Record {
	r := memory.Record{Version: "0.1", ID: "urn:ump:aa", Kind: memory.Semantic, Body: memory.Body{Text: text},
		Scope: memory.Scope{Owner: importtest.Options().Owner, Visibility: memory.Private},
		Time:  memory.Times{Created: importtest.Modified()}}
	for _, name := range about {
		r.Relations = append(r.Relations, memory.Relation{Type: memory.About, Target: "entity:" + name})
	}
	return r
}

func from(residue string, r memory.Record) memory.Record {
	r.Body.Structured = []byte(`{"mcpmemory":` + residue + `}`)
	return r
}

const person = `{"type":"entity","name":"User","entityType":"person","observations":[`

func TestWrites(t *testing.T) {
	ada := `{"type":"entity","name":"Ada","entityType":"poet","observations":["x"],"since":1}`
	lives := `{"type":"relation","from":"Ada","to":"Porto","relationType":"lives in"}`
	for name, test := range map[string]struct {
		records []memory.Record
		want    []string
	}{
		"nothing":                        {nil, []string{""}},
		"about nothing":                  {[]memory.Record{fact("Likes tea")}, []string{person + `"Likes tea"]}`}},
		"about an entity":                {[]memory.Record{fact("Plays chess", "Ada")}, []string{`{"type":"entity","name":"Ada","entityType":"","observations":["Plays chess"]}`}},
		"which it names already":         {[]memory.Record{fact("Ada: Plays chess", "Ada")}, []string{`{"type":"entity","name":"Ada","entityType":"","observations":["Plays chess"]}`}},
		"about two":                      {[]memory.Record{fact("Play chess", "Ada", "Eve")}, []string{`{"type":"entity","name":"Ada","entityType":"","observations":["Play chess"]}`}},
		"about a blank name":             {[]memory.Record{fact("Plays chess", " ")}, []string{person + `"Plays chess"]}`}},
		"about a long name":              {[]memory.Record{fact("Plays chess", strings.Repeat("n", 5000))}, []string{person + `"Plays chess"]}`}},
		"in the order in which they are": {[]memory.Record{fact("b", "Eve"), fact("a"), fact("c", "Eve")}, []string{`{"type":"entity","name":"Eve","entityType":"","observations":["b","c"]}`, person + `"a"]}`}},
		"an entity that is told of late": {[]memory.Record{fact("b", "Ada"), from(ada, fact("Ada: x", "Ada"))}, []string{`{"type":"entity","name":"Ada","entityType":"poet","observations":["b","x"],"since":1}`}},
		"a person of another type":       {[]memory.Record{fact("b"), from(strings.ReplaceAll(ada, "Ada", "User"), fact("User: x", "User"))}, []string{`{"type":"entity","name":"User","entityType":"poet","observations":["b","x"],"since":1}`}},
		"one name of two types": {[]memory.Record{from(ada, fact("Ada: x", "Ada")), from(strings.Replace(ada, "poet", "ship", 1), fact("Ada: x", "Ada"))},
			[]string{ada, strings.Replace(ada, "poet", "ship", 1)}},
		"an edited observation":      {[]memory.Record{from(ada, fact("Ada: y", "Ada"))}, []string{strings.Replace(ada, `"x"`, `"y"`, 1)}},
		"about another entity now":   {[]memory.Record{from(ada, fact("Ada: x", "Eve"))}, []string{`{"type":"entity","name":"Eve","entityType":"","observations":["Ada: x"]}`}},
		"about the same, too":        {[]memory.Record{from(ada, fact("Ada: x", "Eve", "Ada"))}, []string{ada}},
		"a relation":                 {[]memory.Record{from(lives, fact("Ada lives in Porto", "Ada", "Porto")), fact("a")}, []string{person + `"a"]}`, lives}},
		"an edited relation":         {[]memory.Record{from(lives, fact("Ada left Porto", "Ada", "Porto"))}, []string{`{"type":"entity","name":"Ada","entityType":"","observations":["Ada left Porto"]}`}},
		"a relation to others":       {[]memory.Record{from(lives, fact("Ada lives in Porto", "Ada"))}, []string{`{"type":"entity","name":"Ada","entityType":"","observations":["Ada lives in Porto"]}`}},
		"residue that is no line":    {[]memory.Record{from(`{"type":"entity","name":""}`, fact("a")), from(`5`, fact("b")), from(strings.Replace(ada, "Ada", " ", 1), fact("c", " "))}, []string{person + `"a","b","c"]}`}},
		"residue that is too deep":   {[]memory.Record{from(strings.Replace(ada, `:1}`, `:`+strings.Repeat("[", 64)+strings.Repeat("]", 64)+`}`, 1), fact("Ada: x", "Ada"))}, []string{`{"type":"entity","name":"Ada","entityType":"","observations":["x"]}`}},
		"an entity, then what it is": {[]memory.Record{from(strings.Replace(ada, `"x"`, `""`, 1), fact("Ada (poet)", "Ada"))}, []string{strings.Replace(ada, `"x"`, `""`, 1)}},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := write(t, test.records...)
			if diff := cmp.Diff(strings.Join(test.want, "\n"), got); diff != "" {
				t.Errorf("written (-want +got):\n%s", diff)
			}
			if _, err := read(t, got); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestLeftOut(t *testing.T) {
	closed, proposed := fact("a"), fact("a")
	closed.Time.ValidTo, proposed.Lifecycle.Status = importtest.Modified(), memory.Candidate
	bare := from(`{"type":"entity","name":"Ada","entityType":"poet","observations":[]}`, fact("Ada (poet)", "Ada"))
	seen := map[string]bool{}
	for name, test := range map[string]struct {
		records []memory.Record
		reason  string
		left    int
	}{
		"closed":                     {[]memory.Record{closed}, codec.NotHeld, 0},
		"proposed":                   {[]memory.Record{proposed}, codec.NotHeld, 0},
		"blank":                      {[]memory.Record{fact("\t\n")}, "it is blank, nothing to remember", 0},
		"only a name":                {[]memory.Record{fact("Ada: ", "Ada")}, "it is blank, nothing to remember", 0},
		"too long with its name":     {[]memory.Record{fact(strings.Repeat("x", 1<<20-5))}, "an observation that is longer than may be read is left out", 0},
		"too long as it is written":  {[]memory.Record{fact(strings.Repeat("\x01", 700_000))}, "an observation that is longer than may be read is left out", 0},
		"an entity that is observed": {[]memory.Record{bare, fact("x", "Ada")}, "an entity with observations is no memory of its own", 1},
		"a name before the text":     {[]memory.Record{fact("x", "Ada")}, "an observation comes back with the name of its entity before it", 1},
		"no date":                    {[]memory.Record{fact("x", "Ada")}, "the graph has no dates", 1},
		"what the line says":         {[]memory.Record{fact("User: x", "User")}, "comes back with the entity or the relation that it is part of", 1},
		"the rest":                   {[]memory.Record{fact("x", "Ada")}, codec.NoPlace, 1},
	} {
		t.Run(name, func(t *testing.T) {
			out, losses := write(t, test.records...)
			for _, l := range losses {
				if seen[l.Reason] = true; !mcpmemory.Format().Declared.Covers(l) {
					t.Errorf("not declared: %v", l)
				}
			}
			records, err := read(t, out)
			if !slices.ContainsFunc(losses, func(l codec.Loss) bool { return l.Reason == test.reason }) || err != nil || len(records) != test.left {
				t.Errorf("%d records, %v, %v", len(records), err, losses)
			}
		})
	}
	for _, v := range importtest.Load(t, "testdata") {
		_, losses, _ := importtest.Read(mcpmemory.Format(), v.Source, v.Options)
		for _, l := range losses {
			if !mcpmemory.Format().Declared.Covers(l) {
				t.Errorf("not declared: %v", l)
			}
			seen[strings.Trim(l.Reason, "0123456789")] = true
			seen[strings.Trim(codec.LostUnit, "…")] = seen[strings.Trim(codec.LostUnit, "…")] || codec.IsLeftOut(l)
		}
	}
	d := mcpmemory.Format().Declared
	for _, words := range append(d.Reading, d.Writing...) {
		if !seen[strings.Trim(words, "…")] {
			t.Errorf("declared, and never seen: %s", words)
		}
	}
}

// If an entity has more observations than a line may hold, another line continues it.
func TestLongLinesGoOn(t *testing.T) {
	opt := importtest.Options()
	opt.Limits = codec.Limits{Items: 3, Record: 200}
	var records []memory.Record
	for i := range 20 {
		records = append(records, fact("User: "+strings.Repeat(string(rune('a'+i)), i*5), "User"))
	}
	records[19] = from(`{"type":"entity","name":"User","entityType":"p","observations":["x"],"rest":"`+strings.Repeat("r", 120)+`"}`, records[19])
	out, losses := importtest.Write(t, mcpmemory.Format(), opt, records...)
	again, _, err := importtest.Read(mcpmemory.Format(), importtest.File("memory.jsonl", out), opt)
	if err != nil || len(again) != 19 || strings.Count(out, "\n") < 6 {
		t.Errorf("%d records, %v\n%s\n%v", len(again), err, out, losses)
	}
}

// TestSurvives writes any records, and finds all of them again, or a loss that says why
// not.
func TestSurvives(t *testing.T) {
	names := []string{"Ada", "User", "../x", "Ada: x", "\x00", " "}
	lines := []string{"", `{"type":"entity","name":"Ada","entityType":"t","observations":["a"],"k":1}`, `{"type":"entity","name":"User","entityType":"u","observations":[]}`,
		`{"type":"relation","from":"Ada","to":"User","relationType":"a"}`, `{}`}
	rapid.Check(t, func(rt *rapid.T) {
		var records []memory.Record
		for i := range rapid.IntRange(0, 6).Draw(rt, "records") {
			text := rapid.SampledFrom([]string{"a", "Ada: a", "Ada a User", "User (u)", "Ada: Ada: x: a", ""}).Draw(rt, "said") + rapid.SampledFrom([]string{"", "\n", "b"}).Draw(rt, "more")
			r := fact(text, rapid.SliceOfN(rapid.SampledFrom(names), 0, 2).Draw(rt, "about")...)
			if residue := rapid.SampledFrom(lines).Draw(rt, "line"); residue != "" {
				r = from(residue, r)
			}
			r.ID = memory.ID("urn:ump:" + string(rune('a'+i)))
			records = append(records, r)
		}
		records = append(records, importtest.Records(rt)...)
		out, losses := write(t, records...)
		again, err := read(t, out)
		if err != nil {
			rt.Fatalf("%v\n%s", err, out)
		}
		excused := func(r memory.Record, pointer string) bool {
			return slices.ContainsFunc(losses, func(l codec.Loss) bool { return l.ID == r.ID && l.Pointer == pointer })
		}
		kept := map[int]bool{}
		for _, r := range records {
			if excused(r, "") {
				continue
			}
			// The graph has its own order: look for a record that differs only where a loss
			// says so.
			at := slices.IndexFunc(again, func(read memory.Record) bool {
				return strings.HasSuffix(read.Body.Text, r.Body.Text) && !slices.ContainsFunc(codec.Differences(r, read), func(pointer string) bool { return !excused(r, pointer) })
			})
			if at < 0 {
				rt.Errorf("%q does not come back\n%s\n%v", r.Body.Text, out, losses)
				continue
			}
			kept[at] = true
		}
	})
}

func TestWritesNoMoreWhenClosed(t *testing.T) {
	w, err := mcpmemory.Format().Create(&bytes.Buffer{}, importtest.Options())
	if err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	if w.Write(fact("a")) == nil || w.Close() == nil {
		t.Error("it can be written on")
	}
}
