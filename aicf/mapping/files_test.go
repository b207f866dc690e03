package mapping_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/satchel-memory/satchel/aicf/mapping"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/ump"
)

func TestLargeFilesAreReadInParts(t *testing.T) {
	var b strings.Builder
	b.WriteString(twoInsights)
	for n := 13; b.Len() < 17<<20; n += 3 {
		filler := strings.Repeat("x", 1<<20)
		b.WriteString(strings.Join([]string{strconv.Itoa(n) + "|@NOTES:n" + strconv.Itoa(n), strconv.Itoa(n+1) + "|text=" + filler, strconv.Itoa(n+2) + "|\n"}, "\n"))
	}
	small, _ := recordsIn(t, twoInsights)
	large, losses := recordsIn(t, b.String())
	for i, r := range small[:len(small)-1] {
		if large[i].ID != r.ID {
			t.Errorf("record %d is another one", i)
		}
	}
	if long := strings.Count(b.String(), "|@NOTES:"); len(large) != len(small) || len(losses) != 1+long {
		t.Errorf("%d records, losses %v", len(large), losses)
	}
}

func TestDetection(t *testing.T) {
	detect := mapping.Format(ump.Forms()).Detect
	paths, err := filepath.Glob("../testdata/dialects/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no dialects", err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := detect(sourceOf("x", string(archive.Files[0].Data))); got < codec.Likely {
			t.Errorf("%s: %v", path, got)
		}
	}
	for name, text := range map[string]string{
		"a mention": "@README.md\n", "a note": "@ANNA call back\n", "a table": "a|b|c\n", "a tag alone": "@STATE of the art\n",
		"objects": `[{"id":1,"messages":[]}]`, "a doc comment": "@param x|y\n", "a heading": "# Log\n\nnothing\n",
	} {
		if got := detect(sourceOf("x.aicf", text)); got >= codec.Likely {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestTheTextsExamples(t *testing.T) {
	root := os.Getenv("SATCHEL_SHARED")
	if root == "" {
		t.Skip("skipped: SATCHEL_SHARED not set")
	}
	spec, err := os.ReadFile(filepath.Join(root, "specs/aicf.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, block := range regexp.MustCompile("(?s)```[a-z]*\n(.*?)```").FindAllStringSubmatch(string(spec), -1) {
		text := block[1]
		if !strings.HasPrefix(text, "1|@AICF_VERSION") {
			continue
		}
		found++
		records, _ := recordsIn(t, text)
		if got, _ := fileOf(t, records...); got != text {
			t.Errorf("got\n%s\nwant\n%s", got, text)
		}
		if strings.Count(text, "\n") == 58 && len(records) != 13 {
			t.Errorf("check 1: %d records", len(records))
		}
	}
	if found < 2 {
		t.Errorf("%d examples", found)
	}
}

func TestSomeRecordsOfAFile(t *testing.T) {
	all, _ := recordsIn(t, everySection(t))
	some := all[:len(all)-1] // without the record that stands for the file
	text, losses := fileOf(t, some...)
	for _, want := range []string{
		"@SESSION:s1\n", "@CONVERSATION:talk_1\n", "|@INSIGHTS the well is far|LOGISTICS|HIGH|MEDIUM|memory_type=episodic\n",
		"|@DECISIONS buy a hose|LOW|HIGH|the well is far\n", "|user:soil=clay\n", "@CONSOLIDATION:garden\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	got, more := recordsIn(t, text)
	if len(got) != len(some) || len(losses)+len(more) > 0 {
		t.Errorf("%d records became %d, losses %v %v", len(some), len(got), losses, more)
	}
}

// What is forgotten must be gone: nothing that a record says stands in another one too.
func TestRecordsApart(t *testing.T) {
	paths, err := filepath.Glob("../testdata/dialects/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no dialects", err)
	}
	told := 0
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		opt := mapOptions()
		opt.Apart = true
		records, _, err := tryRecords(string(archive.Files[0].Data), opt)
		if err != nil {
			t.Fatal(path, err)
		}
		file := records[len(records)-1]
		for _, one := range records[:len(records)-1] {
			text := one.Body.Text
			if i := strings.IndexAny(text, ":("); i >= 0 { // words that mapping adds
				text = strings.TrimSpace(text[i+1:])
			}
			if len(text) > 12 && strings.Contains(string(file.Body.Structured), text) {
				t.Errorf("%s: the file's record repeats %q", path, text)
			}
			told++
		}
	}
	if told < 20 {
		t.Errorf("only %d records were looked for", told)
	}
}
