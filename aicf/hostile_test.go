package aicf_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aicf"
)

// TestLongHeaders takes very long, and much memory, where a finding costs what the header
// of its section is long.
func TestLongHeaders(t *testing.T) {
	for name, header := range map[string]string{
		"name":       "@" + strings.Repeat("A", 1<<20),
		"identifier": "@WORK:" + strings.Repeat("a", 1<<20),
	} {
		t.Run("AICF-SIZE-4 a long "+name, func(t *testing.T) {
			text := "1|" + header + "\n" + strings.Repeat("9|a=\\x\n", 20_000)
			found, err := aicf.Validate([]byte(text), aicf.Options{})
			if err != nil || len(found) < 40_000 {
				t.Fatalf("%d findings, %v", len(found), err)
			}
			for _, f := range found {
				if len(f.Section) > 200 {
					t.Fatalf("a finding of %d bytes", len(f.Section))
				}
			}
		})
	}
}

func TestCarriedRecords(t *testing.T) {
	t.Run("AICF-ENC-1 a record that is not UTF-8 is refused", func(t *testing.T) {
		e := &aicf.Carried{ID: "r", Record: strings.Repeat("\x80", 100_000)}
		if _, _, err := aicf.Encode(&aicf.Contents{Entries: []aicf.Entry{e}}, aicf.WriteOptions{}); err == nil {
			t.Error("it was written")
		}
	})
	t.Run("AICF-SIZE-3 a large record is written in parts, and comes back", func(t *testing.T) {
		record := strings.Repeat("ä|\\\n", 1<<20)
		out, _, err := aicf.Encode(&aicf.Contents{Entries: []aicf.Entry{&aicf.Carried{ID: "r", Record: record}}}, aicf.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range reading(t, string(out)).Entries {
			if c, ok := e.(*aicf.Carried); ok && c.Record == record {
				return
			}
		}
		t.Error("it did not come back")
	})
}

// TestOddLinesInRows holds the lines of a file that look odd in the same way to one note.
func TestOddLinesInRows(t *testing.T) {
	for name, text := range map[string]string{
		"AICF-LINE-6 blank lines":                  "1|@STATE\n2|a=b\n" + strings.Repeat("\n", 1000) + "3|@WORK\n4|\n",
		"AICF-VALS-1 one number over and over":     "1|@STATE\n" + strings.Repeat("9|a=b\n", 1000),
		"AICF-VALC-3 some lines that end in CR LF": "1|@STATE\n" + strings.Repeat("\r\n", 1000) + "2|a=b\n",
	} {
		t.Run(name, func(t *testing.T) {
			c := reading(t, text)
			if out, _, err := aicf.Encode(c, aicf.WriteOptions{Preserve: true}); err != nil || string(out) != text {
				t.Errorf("%d bytes of %d (%v)", len(out), len(text), err)
			}
			if len(c.Odd) != 1 {
				t.Errorf("%d notes", len(c.Odd))
			}
		})
	}
}
