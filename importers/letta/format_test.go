package letta_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/codec/codectest"
	"github.com/satchel-memory/satchel/importers/importtest"
	"github.com/satchel-memory/satchel/importers/letta"
	"github.com/satchel-memory/satchel/memory"
)

const document = `{"agents":[{"id":"agent-0","name":"Joiner","block_ids":["block-0"]}],"blocks":[{"id":"block-0","label":"human","value":"Mara.","limit":9000,` +
	`"updated_at":"2026-02-05T00:00:00Z"}],"mcp_servers":[],"created_at":"2026-02-03T10:00:00Z"}`

func TestVectors(t *testing.T) { importtest.Run(t, letta.Format(), "testdata") }

func TestFormat(t *testing.T) {
	codectest.Run(t, letta.Format(), codectest.Document{Name: "document", Data: []byte(document)})
}

func FuzzRead(f *testing.F) {
	for _, text := range importtest.Texts(f, "testdata") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		src := importtest.File("joiner.af", text)
		letta.Format().Detect(src)
		records, _, err := importtest.Check(t, letta.Format(), src, importtest.Options())
		if err != nil {
			return
		}
		written, _ := importtest.Write(t, letta.Format(), importtest.Options(), records...)
		if _, _, err := importtest.Read(letta.Format(), importtest.File("again.af", written), importtest.Options()); err != nil {
			t.Errorf("what was written is refused: %v", err)
		}
	})
}

func read(t testing.TB, text string) []memory.Record {
	t.Helper()
	records, _, err := importtest.Check(t, letta.Format(), importtest.File("joiner.af", text), importtest.Options())
	if err != nil {
		t.Fatal(err)
	}
	return records
}

func TestScopeAndTimes(t *testing.T) {
	r := read(t, document)[0]
	if r.Scope.Agent != "Joiner" || r.Time.Observed.Format(time.DateOnly) != "2026-02-05" || r.Provenance.Source.Provider != "letta" {
		t.Errorf("%+v", r)
	}
}

func TestDates(t *testing.T) {
	importtest.NeedsOwnerAndDate(t, letta.Format(), importtest.File("x.json", `{"agents":[],"blocks":[{"label":"a","value":"b"}]}`), "LETTA-7")
}

func TestDetect(t *testing.T) {
	quoted := `"` + strings.ReplaceAll(document, `"`, `\"`) + `"`
	for name, test := range map[string]struct {
		text string
		want codec.Confidence
	}{
		"a file":            {document, codec.Certain},
		"a file, indented":  {"\n " + strings.ReplaceAll(document, ":", ": "), codec.Certain},
		"in a string":       {quoted, codec.Certain},
		"in lines, quoted":  {strings.Replace(quoted, "{", `{\n  `, 1), codec.Certain},
		"an older one":      {`{"agent_type":"memgpt_agent","core_memory":[]}`, codec.Certain},
		"nothing but lists": {`{"agents":[],"blocks":[],"mcp_servers":[]}`, codec.Likely},
		"other agents":      {`{"agents":[],"blocks":[]}`, codec.No},
		"a string":          {`"agents, block_ids"`, codec.No},
		"a list":            {"[" + document + "]", codec.No},
		"nothing":           {"", codec.No},
	} {
		t.Run(name, func(t *testing.T) {
			if got := letta.Format().Detect(importtest.File("x", test.text)); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
	if got := letta.Format().Detect(importtest.Folder("f", map[string]string{"joiner.af": document})); got != codec.No {
		t.Errorf("a folder: got %v", got)
	}
}

// TestShared reads a file that Letta publishes, and writes and reads it again.
func TestShared(t *testing.T) {
	for name, want := range map[string]string{
		"loop.af":                    "about_user active_hypotheses conversation_patterns custom_instructions learned_corrections persona preferences scratchpad soul",
		"memgpt_agent_with_convo.af": "human persona",
		"customer_service.af":        "human persona",
	} {
		t.Run(name, func(t *testing.T) {
			src := importtest.Shared(t, "data/formats/letta-af/"+name)
			if got := letta.Format().Detect(src); got != codec.Certain {
				t.Errorf("detected as %v", got)
			}
			records, _, err := importtest.Check(t, letta.Format(), src, importtest.Options())
			if err != nil {
				t.Fatal(err)
			}
			var labels []string
			records = slices.DeleteFunc(records, func(r memory.Record) bool { return r.Kind == memory.Episodic })
			for _, r := range records {
				_, label, _ := strings.Cut(r.Provenance.Source.Ref, "/")
				labels = append(labels, label)
			}
			if got := strings.Join(labels, " "); got != want {
				t.Errorf("labels %s", got)
			}
			written, losses := importtest.Write(t, letta.Format(), importtest.Options(), records...)
			if diff := cmp.Diff(records, read(t, written)); diff != "" || len(losses) != 0 {
				t.Errorf("written and read (-want +got):\n%s%v", diff, losses)
			}
		})
	}
}
