package aicf_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aicf"
)

// small is a file of several sections, with things in it that a canonical one has not.
const small = `1|@AICF_VERSION
2|version=3.1
3|
4|@CONVERSATION:c1
5|timestamp_start=2025-10-06T10:00:00+02:00
6|foo=a\|b|c
7|timestamp_end=2025-10-06T09:00:00Z
8|messages=2
9|topic=one
10|topic=two
11|participants=ann|bob
12|
13|@STATE
14|status=nearly
15|user:lang=go
16|
17|@WORK:w1
18|a|b
19|c=d
20|
21|@INSIGHTS
22|@INSIGHTS first|INFRASTRUCTURE|high|0.9|src=x
23|second|DATA|LOW|LOW
24|
25|@LINKS c1->c1|supports
26|@LINKS nowhere|supports
`

func TestOnlyWhatChangedIsWrittenAnew(t *testing.T) {
	for name, c := range map[string]struct {
		change   func(*aicf.Contents)
		old, new string
	}{
		"AICF-FWD-2 AICF-HDR-7 a topic": {func(c *aicf.Contents) { find[*aicf.Conversation](c).Topic = ptr("three") },
			small[strings.Index(small, "5|t"):strings.Index(small, "12|")],
			"5|timestamp_start=2025-10-06T08:00:00Z\n6|timestamp_end=2025-10-06T09:00:00Z\n7|messages=2\n8|topic=one\n9|topic=three\n10|participants=ann,bob\n11|foo=a\\|b|c\n"},
		"AICF-STATE-8 a status": {func(c *aicf.Contents) { find[*aicf.State](c).Status = ptr(aicf.Word("completed")) },
			"14|status=nearly\n15|user:lang=go\n", "14|status=completed\n15|\n16|@STATE:user\n17|user:lang=go\n"},
		"AICF-INS-6 a text, the odd words stay": {func(c *aicf.Contents) { find[*aicf.Insight](c).Text = "1st" }, "@INSIGHTS first|", "@INSIGHTS 1st|"},
		"AICF-LINE-7 an insight in its list": {func(c *aicf.Contents) { insert(c, find[*aicf.Insight](c), insight("new")) },
			"23|second", "23|@INSIGHTS new|DATA|HIGH|LOW\n24|second"},
		"AICF-LINE-5 an insight at the end": {func(c *aicf.Contents) { c.Entries = append(c.Entries, insight("new")) },
			"26|@LINKS nowhere|supports\n", "26|@LINKS nowhere|supports\n27|\n28|@INSIGHTS\n29|@INSIGHTS new|DATA|HIGH|LOW\n30|\n"},
		"AICF-LINE-5 a section in a list": {func(c *aicf.Contents) { insert(c, find[*aicf.Insight](c), conversation(nil)) },
			"23|second", "23|\n24|@CONVERSATION:conv_001\n25|timestamp_start=2025-10-06T08:00:00Z\n26|timestamp_end=2025-10-06T08:00:00Z\n27|messages=0\n28|\n29|@INSIGHTS\n30|@INSIGHTS second"},
	} {
		t.Run(name, func(t *testing.T) {
			contents := read(t, []byte(small))
			c.change(contents)
			got := string(encode(t, contents, aicf.WriteOptions{Preserve: true}))
			want := strings.Replace(small, c.old, c.new, 1)
			if strip(got) != strip(want) || strip(want) == strip(small) {
				t.Errorf("got\n%swant\n%s", got, want)
			}
			if !strings.Contains(got, c.new) {
				t.Errorf("misnumbered:\n%s", got)
			}
		})
	}
}

// strip leaves the numbers of the lines out.
func strip(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		_, data, _ := strings.Cut(line, "|")
		b.WriteString(data)
	}
	return b.String()
}

// find returns the first entry of a kind.
func find[E aicf.Entry](c *aicf.Contents) E {
	for _, e := range c.Entries {
		if found, ok := e.(E); ok {
			return found
		}
	}
	panic("the fixture has no such entry")
}

// insert puts an entry behind another.
func insert(c *aicf.Contents, behind, e aicf.Entry) {
	for i := range c.Entries {
		if c.Entries[i] == behind {
			c.Entries = append(c.Entries[:i+1:i+1], append([]aicf.Entry{e}, c.Entries[i+1:]...)...)
			return
		}
	}
}

func TestChangesThatCannotBeWritten(t *testing.T) {
	t.Run("AICF-LINKS-5 an arrow put into a link that was read", func(t *testing.T) {
		for _, o := range []aicf.WriteOptions{{}, {Preserve: true}} {
			c := read(t, []byte(small))
			find[*aicf.Link](c).To = "a->b"
			if out, _, err := aicf.Encode(c, o); err == nil {
				t.Errorf("written:\n%s", out)
			}
		}
	})
}

func TestRewritingKeepsTheLayout(t *testing.T) {
	change := func(t *testing.T, text string) string {
		c := read(t, []byte(text))
		c.Entries = append(c.Entries, insight("new"))
		return string(encode(t, c, aicf.WriteOptions{Preserve: true}))
	}
	for name, c := range map[string]struct{ text, want string }{
		"AICF-ENC-3 CR LF":                     {"1|@AICF_VERSION\r\n2|version=3.1\r\n3|\r\n", "1|@AICF_VERSION\r\n2|version=3.1\r\n3|\r\n4|@INSIGHTS\r\n5|@INSIGHTS new|DATA|HIGH|LOW\r\n6|\r\n"},
		"AICF-LINE-11 an open end is closed":   {"1|@AICF_VERSION\n2|version=3.1", "1|@AICF_VERSION\n2|version=3.1\n3|\n4|@INSIGHTS\n5|@INSIGHTS new|DATA|HIGH|LOW\n6|\n"},
		"AICF-LINE-10 numbers are sequential":  {"1|@AICF_VERSION\n2|version=3.1\n1|\n", "1|@AICF_VERSION\n2|version=3.1\n3|\n4|@INSIGHTS\n5|@INSIGHTS new|DATA|HIGH|LOW\n6|\n"},
		"AICF-VER-1 a version is put in":       {"1|@STATE\n2|a=b\n3|\n", "1|@AICF_VERSION\n2|version=3.1\n3|\n4|@STATE\n5|a=b\n6|\n7|@INSIGHTS\n8|@INSIGHTS new|DATA|HIGH|LOW\n9|\n"},
		"AICF-COMPAT-4 an old one is replaced": {"1|@AICF_VERSION\n2|version=3.0\n3|x=y\n4|\n", "1|@AICF_VERSION\n2|version=3.1\n3|x=y\n4|\n5|@INSIGHTS\n6|@INSIGHTS new|DATA|HIGH|LOW\n7|\n"},
		"AICF-LINE-8 no numbers":               {"@AICF_VERSION\nversion=3.1\n\n", "@AICF_VERSION\nversion=3.1\n\n@INSIGHTS\n@INSIGHTS new|DATA|HIGH|LOW\n\n"},
		"AICF-STATE-10 temporary state goes": {"1|@AICF_VERSION\n2|version=3.1\n3|\n4|@STATE:temp\n5|temp:a=b\n6|\n",
			"1|@AICF_VERSION\n2|version=3.1\n3|\n4|@INSIGHTS\n5|@INSIGHTS new|DATA|HIGH|LOW\n6|\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := change(t, c.text); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

func TestOddEntriesInCanonicalForm(t *testing.T) {
	t.Run("AICF-WRITE-8 what was read is written, in order or as it was", func(t *testing.T) {
		out := string(encode(t, read(t, []byte(small)), aicf.WriteOptions{}))
		for _, line := range []string{"|foo=a\\|b|c\n", "8|topic=one\n9|topic=two\n", "|status=nearly\n", "|a|b\n", "|@INSIGHTS first|INFRASTRUCTURE|high|0.9|src=x\n",
			"|@INSIGHTS second|DATA|LOW|LOW\n", "|@LINKS c1->c1|supports\n", "|@LINKS nowhere|supports\n"} {
			if !strings.Contains(out, line) {
				t.Errorf("no %q in\n%s", line, out)
			}
		}
		if again := string(encode(t, read(t, []byte(out)), aicf.WriteOptions{})); again != out {
			t.Errorf("not the same a second time:\n%s\n%s", again, out)
		}
	})
	t.Run("AICF-HDR-5 what stands before the first section gets one", func(t *testing.T) {
		out := string(encode(t, read(t, []byte("1|hello\n2|version=2.0\n3|@STATE\n4|a=b\n")), aicf.WriteOptions{}))
		if want := "4|@PREAMBLE\n5|hello\n6|version=2.0\n7|\n8|@STATE\n9|a=b\n10|\n"; !strings.HasSuffix(out, "3|\n"+want) {
			t.Errorf("got\n%s", out)
		}
	})
	t.Run("AICF-SAFE-2 control characters are left out, and that is said", func(t *testing.T) {
		out, losses, err := aicf.Encode(read(t, []byte("1|@WORK:w\n2|a=\x00b\n")), aicf.WriteOptions{})
		if err != nil || len(losses) != 1 || !strings.Contains(string(out), "|a=b\n") {
			t.Errorf("%v %v\n%s", losses, err, out)
		}
	})
}
