package aicf_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/codec"
)

// short is a file in which two sections have one name and identifier.
const short = `1|@AICF_VERSION
2|version=3.1
3|
4|@CONVERSATION:trip
5|messages=3
6|note=x=y=z
7|note=
8|
9|@STATE
10|status=completed
11|
12|@CONVERSATION:trip
13|messages=4
14|
`

func TestFind(t *testing.T) {
	f := parse(t, short)
	for _, c := range []struct {
		name, id string
		line     int
		all      []int
	}{
		{"CONVERSATION", "trip", 12, []int{4, 12}},
		{"STATE", "", 9, []int{9}},
		{"STATE", "user", 0, nil},
		{"CONVERSATION", "", 0, nil},
		{"LINKS", "", 0, nil},
	} {
		t.Run(fmt.Sprintf("AICF-OV-2 %s %s", c.name, c.id), func(t *testing.T) {
			got, ok := f.Find(c.name, c.id)
			if ok != (c.line > 0) || ok && got.Line() != c.line {
				t.Errorf("found line %d, %v; want line %d", got.Line(), ok, c.line)
			}
			var lines []int
			for _, s := range f.All(c.name, c.id) {
				lines = append(lines, s.Line())
			}
			if !slices.Equal(lines, c.all) {
				t.Errorf("all are at lines %v, want %v", lines, c.all)
			}
		})
	}
}

func TestFields(t *testing.T) {
	t.Run("AICF-STR-8 AICF-STR-6 AICF-HDR-7", func(t *testing.T) {
		s := parse(t, short).All("CONVERSATION", "trip")[0]
		got := map[int]aicf.Field{}
		for line, field := range s.Fields() {
			got[line] = field
		}
		want := map[int]aicf.Field{5: {Key: "messages", Raw: "3"}, 6: {Key: "note", Raw: "x=y=z"}, 7: {Key: "note"}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		for range s.Fields() {
			break // a caller may stop
		}
	})
	for _, line := range []string{"no equals sign", "=value", "@a=b", `a|b=c`, `a\b=c`} {
		t.Run(line+" is no field", func(t *testing.T) {
			for _, field := range parse(t, "1|@STATE\n2|"+line+"\n").All("STATE", "")[0].Fields() {
				t.Errorf("got %v", field)
			}
		})
	}
}

// TestLimits holds what is unusual to a warning and what exceeds a limit to a refusal,
// in either way of reading, and nothing to be cut short.
func TestLimits(t *testing.T) {
	field := func(n int) string { return "1|@STATE\n2|actions=" + strings.Repeat("a", n) + "\n3|\n" }
	entry := func(n int) string { return "1|@LINKS a->" + strings.Repeat("a", n) + "|related_to\n2|\n" }
	small := aicf.Limits{Line: 100, Field: 50, Sections: 3}
	file := aicf.Limits{File: 500}
	for _, c := range []struct {
		name, text string
		limits     aicf.Limits
		warns      string
		refused    string
	}{
		{name: "AICF-SIZE-3 a value of 64 KiB", text: field(65536)},
		{name: "AICF-SIZE-3 a value of 64 KiB and one byte", text: field(65537), warns: "AICF-SIZE-3"},
		{name: "AICF-SIZE-3 a part of 64 KiB", text: entry(65533)},
		{name: "AICF-SIZE-3 a part of 64 KiB and one byte", text: entry(65534), warns: "AICF-SIZE-3"},
		{name: "AICF-SIZE-2 a line of 1 MiB", text: field(1<<20 - 10), warns: "AICF-SIZE-3"},
		{name: "AICF-SIZE-2 a line of 1 MiB and one byte", text: field(1<<20 - 9), warns: "AICF-SIZE-2 AICF-SIZE-3"},
		{name: "AICF-SIZE-3 a value at the limit", text: field(50), limits: small},
		{name: "AICF-SIZE-3 a value beyond the limit", text: field(51), limits: small, refused: "AICF-SIZE-3"},
		{name: "AICF-SIZE-2 a line beyond the limit", text: field(110), limits: small, refused: "AICF-SIZE-2"},
		{name: "AICF-SIZE-1 a file at the limit", text: field(477), limits: file},
		{name: "AICF-SIZE-1 a file beyond the limit", text: field(478), limits: file, refused: "AICF-SIZE-1"},
		{name: "AICF-SIZE-4 sections at the limit", text: "1|@A\n2|@B\n3|@C\n", limits: small},
		{name: "AICF-SIZE-4 sections beyond the limit", text: "1|@A\n2|@B\n3|@C\n4|@D\n", limits: small, refused: "AICF-SIZE-4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := aicf.Options{Limits: c.limits}
			f, err := aicf.Parse([]byte(c.text), o)
			stream, sections, streamed := scan(strings.NewReader(c.text), o)
			if ruleOf(err) != c.refused || ruleOf(streamed) != c.refused {
				t.Fatalf("refused for %v, and as a stream for %v; want %q", err, streamed, c.refused)
			}
			if err != nil {
				return
			}
			if got := syntaxOf(f, sectionsOf(f)); got != syntaxOf(stream, sections) || !warnsOf(f.Findings(), c.warns) {
				t.Errorf("warned of %v, want %q", f.Findings(), c.warns)
			}
		})
	}
}

// warnsOf reports whether findings name just these rules.
func warnsOf(findings []aicf.Finding, rules string) bool {
	seen := map[string]bool{}
	for _, f := range findings {
		seen[f.Rule] = f.Severity == aicf.Warning
	}
	for _, rule := range strings.Fields(rules) {
		if !seen[rule] {
			return false
		}
	}
	return len(seen) == len(strings.Fields(rules))
}

func ruleOf(err error) string {
	if e, ok := errors.AsType[*codec.ParseError](err); ok {
		return e.Rule
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

func TestFindingsAreBounded(t *testing.T) {
	t.Run("AICF-VALS-5", func(t *testing.T) {
		text := "1|@STATE\n" + strings.Repeat("x|@ a=\\x\n", 10)
		f, err := aicf.Parse([]byte(text), aicf.Options{Limits: aicf.Limits{Findings: 4}})
		if err != nil {
			t.Fatal(err)
		}
		got := f.Findings()
		if last := got[len(got)-1]; len(got) != 5 || last.Code != "more" || !strings.HasPrefix(last.Message, "7 further") {
			t.Errorf("got %v", got)
		}
	})
}

// TestNumbers counts through every change of a number's width.
func TestNumbers(t *testing.T) {
	t.Run("AICF-VALS-1 AICF-LINE-2 numbers of one to nine digits are counted", func(t *testing.T) {
		for _, start := range []int{1, 5, 95, 985, 9_995, 99_989, 999_985, 9_999_985, 99_999_985} {
			var b strings.Builder
			b.WriteString(strconv.Itoa(start) + "|@STATE\n")
			for n := start + 1; n < start+120; n++ {
				b.WriteString(strconv.Itoa(n) + "|key=value\n")
			}
			right := parse(t, b.String())
			wrong := parse(t, b.String()+strconv.Itoa(start+121)+"|key=value\n")
			if irregular := min(start-1, 1); len(right.Findings()) != irregular || len(wrong.Findings()) != irregular+1 {
				t.Errorf("from %d on: %v, and with a gap at the end: %v", start, right.Findings(), wrong.Findings())
			}
			if raw := sectionsOf(right)[0].Raw(); strings.Count(raw, "\nkey=value") != 119 {
				t.Errorf("from %d on: numbers stayed in %q", start, raw)
			}
		}
	})
}
