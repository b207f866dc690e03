package aicf_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/satchel-memory/satchel/aicf"
)

// files returns every context file in testdata, by name.
func files(t testing.TB) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	err := filepath.WalkDir("testdata", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".txtar" {
			return err
		}
		archive, err := txtar.ParseFile(path)
		if err != nil {
			return err
		}
		for _, f := range archive.Files {
			if filepath.Ext(f.Name) == ".aicf" {
				all[path+" "+f.Name] = f.Data
			}
		}
		return nil
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("no context files: %v", err)
	}
	return all
}

// same fails unless a file is written as it was read.
func same(t testing.TB, data []byte) {
	t.Helper()
	f, err := aicf.Parse(data, aicf.Options{})
	if err != nil {
		return // refused, and never read
	}
	c, _ := aicf.Read(f, aicf.Options{})
	out, losses, err := aicf.Encode(c, aicf.WriteOptions{Preserve: true})
	if err == nil && len(losses) > 0 && hasTemporary(c) {
		return
	}
	if err != nil || len(losses) > 0 || !bytes.Equal(out, data) {
		t.Fatalf("%v %v; written\n%q\nof\n%q", losses, err, out, data)
	}
}

func hasTemporary(c *aicf.Contents) bool {
	for _, e := range c.Entries {
		if s, ok := e.(*aicf.State); ok {
			for _, p := range s.Pairs {
				if p.Scope(s.Scope) == aicf.ScopeTemp {
					return true
				}
			}
			if s.Scope == aicf.ScopeTemp {
				return true
			}
		}
	}
	return false
}

func TestUnchangedFilesStayAsTheyAre(t *testing.T) {
	for name, data := range files(t) {
		t.Run("AICF-WRITE-8 "+name, func(t *testing.T) { same(t, data) })
	}
	unnumbered := "@AICF_VERSION\nversion=3.1\n\n@CONVERSATION:c\nmessages=1\n"
	for name, text := range map[string]string{
		"AICF-FWD-1 AICF-FWD-2 AICF-FWD-4 small": small,
		"AICF-ENC-3 CR LF":                       strings.ReplaceAll(small, "\n", "\r\n"),
		"AICF-VALC-3 mixed ends":                 strings.Replace(small, "\n", "\r\n", 3),
		"AICF-ENC-4 byte order mark":             "\ufeff" + small,
		"AICF-LINE-11 open end":                  strings.TrimSuffix(small, "\n"),
		"AICF-LINE-11 open end in CR":            strings.TrimSuffix(small, "\n") + "\r",
		"AICF-LINE-10 numbers begin again":       small + small,
		"AICF-LINE-6 blank lines":                strings.ReplaceAll(small, "16|\n", "\n\n"),
		"AICF-LINE-2 no numbers":                 strings.Replace(strings.Replace(small, "8|", "08|", 1), "9|", "-9|", 1),
		"AICF-EX-3 a fragment":                   "14|@INSIGHTS\n15|@INSIGHTS a|DATA|HIGH|HIGH\n16|\n",
		"AICF-LINE-8 no numbers at all":          unnumbered,
		"AICF-LINE-9 numbers of entries":         "1|@SESSION:s\napp_name=a\n\n4|@SESSION:t\napp_name=b\n",
		"AICF-LINE-1 a writer that lost count":   unnumbered + "NaN|@STATE\nNaN|a=b\nNaN|\n",
		"AICF-HDR-5 a preamble":                  "\n\nhello\n1|@STATE\n",
		"AICF-SAFE-2 control characters":         "1|@WORK\n2|a=\x01\x00\n3|b\rc\n",
		"AICF-ENC-1 not UTF-8":                   "1|@STATE\n2|a=\xff\n",
		"nothing":                                "",
		"a line end":                             "\n",
		"a byte order mark alone":                "\ufeff",
	} {
		t.Run(name, func(t *testing.T) { same(t, []byte(text)) })
	}
}

// everything has each section of the text's full example.
const everything = `1|@AICF_VERSION
2|version=3.1
3|
4|@SESSION:watch_1
5|app_name=harbour
6|user_id=noor
7|created_at=2026-04-06T14:00:00Z
8|last_update_time=2026-04-06T15:30:00Z
9|status=completed
10|event_count=4
11|total_tokens=320
12|
13|@CONVERSATION:chart_1
14|timestamp_start=2026-04-06T14:00:00Z
15|timestamp_end=2026-04-06T15:30:00Z
16|messages=4
17|tokens=320
18|topic=tides
19|participants=noor|assistant
20|platform=claude
21|
22|@STATE
23|status=completed
24|actions=chart_drawn
25|flow=ask|draw|check
26|
27|@STATE:user
28|user:language=pt
29|
30|@INSIGHTS
31|@INSIGHTS the_bar_moves_each_spring|DATA|HIGH|MEDIUM|memory_type=semantic
32|
33|@DECISIONS
34|@DECISIONS draw_the_chart_anew|HIGH|LOW|the_bar_has_moved
35|
36|@LINKS
37|@LINKS chart_1->chart_2|depends_on
38|
39|@EMBEDDING:chart_1
40|model=small
41|dimension=1536
42|vector=0.5,0.25,...
43|keywords=tides|bar
44|
45|@CONSOLIDATION:charts
46|source_items=chart_1|chart_2
47|consolidated_at=2026-04-06T16:00:00Z
48|method=semantic_clustering
49|semantic_theme=tides
50|information_preserved=95.5%
51|
`

func TestFullExample(t *testing.T) {
	for name, text := range fullExamples(t) {
		t.Run("AICF-EX-2 is written byte for byte: "+name, func(t *testing.T) {
			f, err := aicf.Parse([]byte(text), aicf.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if c, _ := aicf.Read(f, aicf.Options{}); len(c.Entries) < 9 {
				t.Errorf("%d entries are read", len(c.Entries))
			}
			same(t, []byte(text))
		})
	}
}

// fullExamples returns a file with everything, and that of the text where SATCHEL_SHARED
// has it.
func fullExamples(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{"an example like that of the text": everything}
	shared := os.Getenv("SATCHEL_SHARED")
	if shared == "" {
		return all
	}
	text, err := os.ReadFile(filepath.Join(shared, "specs", "aicf.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, full, _ := strings.Cut(string(text), "### Full Featured AICF File")
	_, full, _ = strings.Cut(full, "```\n")
	full, _, _ = strings.Cut(full, "```")
	if strings.Count(full, "\n") != 58 {
		t.Fatalf("an example of %d lines", strings.Count(full, "\n"))
	}
	all["the example of the text"] = full
	return all
}

func FuzzPreserve(f *testing.F) {
	for _, data := range files(f) {
		f.Add(data)
	}
	f.Add([]byte(small))
	f.Fuzz(func(t *testing.T, data []byte) { same(t, data) })
}
