package aicf_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/aicf"
)

func tail(t testing.TB, text string) aicf.Tail {
	t.Helper()
	got, err := aicf.TailOf(strings.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestTailOf(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	for name, c := range map[string]struct {
		text string
		want aicf.Tail
	}{
		"AICF-WRITE-4 nothing":                       {"", aicf.Tail{Empty: true}},
		"AICF-LINE-11 nothing complete":              {"1|@AICF", aicf.Tail{Empty: true, Cut: 7}},
		"AICF-LINE-7 a closed section":               {"1|@STATE\n2|a=b\n3|\n", aicf.Tail{Number: 3}},
		"AICF-LINE-5 an open section":                {"1|@STATE\n2|a=b\n", aicf.Tail{Number: 2, Open: true}},
		"AICF-LINE-11 a torn line":                   {"1|@STATE\n2|a=b\n3|\n4|@CONVERS", aicf.Tail{Number: 3, Cut: 10}},
		"AICF-LINE-11 a torn long line":              {"1|@STATE\n2|\n3|a=" + long, aicf.Tail{Number: 2, Cut: int64(len(long)) + 4}},
		"AICF-LINE-11 a separator without an end":    {"1|@STATE\n2|a=b\n3|", aicf.Tail{Number: 3, Unended: true}},
		"AICF-LINE-11 another number without an end": {"1|@STATE\n2|a=b\n4|", aicf.Tail{Number: 2, Open: true, Cut: 2}},
		"AICF-LINE-7 a long line":                    {"1|@STATE\n2|a=" + long + "\n", aicf.Tail{Number: 2, Open: true}},
		"AICF-ENC-3 CR LF":                           {"1|@STATE\r\n2|\r\n", aicf.Tail{Number: 2, CRLF: true}},
		"AICF-LINE-8 no numbers":                     {"@STATE\na=b\n\n", aicf.Tail{Numbering: aicf.NotNumbered}},
		"AICF-LINE-9 numbers of entries":             {"1|@SESSION:s\na=b\n2|@SESSION:t\nc=d\ne=f\n", aicf.Tail{Number: 2, Numbering: aicf.EntryNumbered, Open: true}},
		"AICF-LINE-10 counted on from the last":      {"1|@STATE\n2|\n1|@STATE\n2|a=b\n3|\n", aicf.Tail{Number: 3}},
		"AICF-LINE-6 blank lines at the end":         {"1|@STATE\n2|\n\n\n", aicf.Tail{Number: 2}},
		"AICF-LINE-7 a long way back to a number":    {"7|@STATE\n8|a=" + "\n" + strings.Repeat("\n", 100_000), aicf.Tail{Number: 8}},
		"AICF-LINE-10 no number to count on from":    {"01|@STATE\n", aicf.Tail{Open: true}},
		"AICF-LINE-7 values that look like numbers":  {"@STATE\n12|x\n\n", aicf.Tail{Numbering: aicf.NotNumbered}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tail(t, c.text); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// counting counts what is read of a large file that has one line over and over.
type counting struct {
	line string
	read int
}

func (c *counting) ReadAt(b []byte, at int64) (int, error) {
	c.read += len(b)
	for i := range b {
		b[i] = c.line[(at+int64(i))%int64(len(c.line))]
	}
	return len(b), nil
}

func TestTheEndIsAllThatIsRead(t *testing.T) {
	t.Run("AICF-LINE-7 a file of 10 GB", func(t *testing.T) {
		file := &counting{line: "9|@INSIGHTS x|DATA|LOW|LOW\n"}
		got, err := aicf.TailOf(file, int64(len(file.line))*400_000_000)
		if err != nil || got.Number != 9 || file.read > 1<<20 {
			t.Errorf("%+v %v, %d bytes read", got, err, file.read)
		}
	})
}

func TestContinue(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"AICF-WRITE-4 an empty file":     {"", "1|@AICF_VERSION\n2|version=3.1\n3|\n4|@INSIGHTS\n5|@INSIGHTS a|DATA|HIGH|LOW\n6|\n"},
		"AICF-LINE-7 a closed section":   {"1|@STATE\n13|\n", "14|@INSIGHTS\n15|@INSIGHTS a|DATA|HIGH|LOW\n16|\n"},
		"AICF-LINE-5 an open section":    {"1|@STATE\n2|a=b\n", "3|\n4|@INSIGHTS\n5|@INSIGHTS a|DATA|HIGH|LOW\n6|\n"},
		"AICF-ENC-3 CR LF":               {"1|@STATE\r\n2|\r\n", "3|@INSIGHTS\r\n4|@INSIGHTS a|DATA|HIGH|LOW\r\n5|\r\n"},
		"AICF-LINE-8 no numbers":         {"@STATE\na=b\n", "\n@INSIGHTS\n@INSIGHTS a|DATA|HIGH|LOW\n\n"},
		"AICF-LINE-9 numbers of entries": {"1|@SESSION:s\na=b\n\n", "2|@INSIGHTS\n3|@INSIGHTS a|DATA|HIGH|LOW\n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, losses, err := aicf.Continue(tail(t, c.text), insight("a"))
			if string(got) != c.want || err != nil || losses != nil {
				t.Errorf("%v %v; got\n%swant\n%s", losses, err, got, c.want)
			}
		})
	}
	t.Run("AICF-STATE-10 nothing temporary", func(t *testing.T) {
		got, losses, err := aicf.Continue(aicf.Tail{Number: 3}, &aicf.State{Scope: aicf.ScopeTemp})
		if len(got) > 0 || len(losses) != 1 || err != nil {
			t.Errorf("%q %v %v", got, losses, err)
		}
	})
	t.Run("AICF-LINKS-5 what cannot be written", func(t *testing.T) {
		if got, _, err := aicf.Continue(aicf.Tail{}, insight("a"), &aicf.Link{From: "a->b", To: "c", Type: "implements"}); got != nil || err == nil {
			t.Errorf("%q %v", got, err)
		}
	})
	t.Run("AICF-LINE-2 no number is left", func(t *testing.T) {
		if got, _, err := aicf.Continue(tail(t, "1|@STATE\n9223372036854775800|a=b\n"), insight("a"), insight("b"), insight("c"), conversation(nil)); err == nil {
			t.Errorf("%q", got)
		}
	})
}

func TestAppendingIsWriting(t *testing.T) {
	t.Run("AICF-LINE-7 a file that grew reads as one that was written at once", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			c := contents(rt, awkward)
			var file []byte
			for at := 0; at < len(c.Entries); {
				n := rapid.IntRange(1, len(c.Entries)-at).Draw(rt, "entries at once")
				torn := rapid.SampledFrom([]string{"", "", "77", "78|@CONV", "\r"}).Draw(rt, "torn")
				file = append(file, torn...)
				end, err := aicf.TailOf(bytes.NewReader(file), int64(len(file)))
				if err != nil || end.Cut != int64(len(torn)) {
					rt.Fatalf("%+v %v", end, err)
				}
				more, _, err := aicf.Continue(end, c.Entries[at:at+n]...)
				if err != nil {
					rt.Fatal(err)
				}
				file = append(file[:len(file)-len(torn)], more...)
				at += n
			}
			again := read(t, file)
			if d := diff(again.Entries, c.Entries); d != "" {
				rt.Fatal(d)
			}
			lines := 0
			for line := range strings.Lines(string(file)) {
				if lines++; !strings.HasPrefix(line, fmt.Sprintf("%d|", lines)) {
					rt.Fatalf("line %d is %q", lines, line)
				}
			}
		})
	})
}
