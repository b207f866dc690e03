package aicf

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/codec"
)

func TestDetect(t *testing.T) {
	for text, want := range map[string]Dialect{
		"":                                      Spec,
		"1|@AICF_VERSION\n2|version=3.1\n3|\n":  Spec,
		"35|@INSIGHTS a|DATA|LOW|LOW\n36|\n":    Spec,
		"1|@STATE\n2|a=7|20251001|R|a|b|c|S|\n": Spec,
		"1|@DECISION:d\n2|description=a\n":      Core311,
		"1|@STATE\n2|a=b\n3|\n4|@WORK:w\n":      Core311,
		"@AICF_VERSION\nversion=3.0\n":          Unnumbered,
		"\n@CONVERSATION:c\nmessages=1\n":       Unnumbered,
		"nothing that is known\n":               Unnumbered,
		"1|@SESSION:s\napp_name=a\n":            FirstLine,
		"@METADATA:\nproject=p\n":               Compiled,
		"1|@METADATA:\n2|project=p\n":           Spec,
		"version|3.0.0-alpha\n":                 Alpha,
		"@CONVERSATION|c|2025-10-01T00:00:00Z":  Watcher,
		"@INSIGHTS|c|2025-10-01T00:00:00Z\r\n":  Watcher,
		"@DECISION|c|2025-10-01T00:00:00Z\n":    Watcher,
		"@TASKS\n\n@SCHEMA\nT#|TASK\n":          Tables,
		"@AICF_VERSION\n2.0.0\n":                Tables,
		"1|CONV|c|1|2\n":                        Guide,
		"1|DATA|text\n":                         Guide,
		"7|20251001|R|a|b|c|S|a.js\n":           Rows,
		"# Log\n\n7|20251001|T|a|b|c|S|\n":      Rows,
		"7|20251001|Y|a|b|c|S|a.js\n":           Spec,
		"7|20251001|R|a|b|c|S\n":                Spec,
		"\ufeff {\"id\":1}":                     JSON,
		"[]":                                    JSON,
		"@AICF_VERSION\nversion=3.1\n@COMMANDS": Transcripts,
		"@TRANSCRIPT\r\na=b\r\n":                Transcripts,
	} {
		t.Run("AICF-REF-1 "+text, func(t *testing.T) {
			if got := Detect([]byte(text)); got != want {
				t.Errorf("%d, %s; want %d, %s", got, got, want, want)
			}
		})
	}
	t.Run("AICF-REF-1 every dialect has a name and a reader", func(t *testing.T) {
		seen := map[string]bool{}
		for d := Spec; d <= Transcripts; d++ {
			if _, ok := readers[d]; !ok || seen[d.String()] || d.String() == Dialect(0).String() {
				t.Errorf("%d %s", d, d)
			}
			seen[d.String()] = true
		}
	})
}

func TestVersionOfDialect(t *testing.T) {
	for text, want := range map[string]Version{
		"1|@AICF_VERSION\n2|version=3.1\n":                V31,
		"1|@AICF_VERSION\n2|version=3.1.0\n":              V31,
		"1|@AICF_VERSION\n2|3.0.0\n":                      V30,
		"1|@AICF_VERSION 3.1.0\n":                         V31,
		"1|@AICF_VERSION\n2|format_version=3.1.1\n":       V31,
		"version|3.0.0-alpha\nflow|1|user|a\n":            V30,
		"{\"conversations\":[]}":                          V10,
		"{\"aicf_version\":\"2.0.0\"}":                    V20,
		"7|20251001|R|a|b|c|S|\n":                         V10,
		"@TASKS\n@SCHEMA\nT#|TASK\n":                      V20,
		"1|CONV|c|1|2\n":                                  V20,
		"1|@CONVERSATION:c\n2|messages=1\n":               V30,
		"1|@INSIGHTS a|DATA|LOW|LOW|memory_type=semantic": V31,
		"@METADATA:\na=b\n\n@MEMORY:\nsemantic|x|y\n":     V31,
	} {
		t.Run("AICF-VER-2 AICF-COMPAT-7 "+text, func(t *testing.T) {
			f, err := Parse([]byte(text), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if c, _ := Read(f, Options{}); c.Version != want {
				t.Errorf("%s, want %s", c.Version, want)
			}
		})
	}
}

// disguises are ways in which the same file may be stored.
func disguises(data []byte) map[string][]byte {
	return map[string][]byte{
		"as it is":                data,
		"CR LF":                   bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n")),
		"open end":                bytes.TrimSuffix(data, []byte("\n")),
		"byte order mark":         append(slices.Clone(byteOrderMark), data...),
		"a blank line":            append([]byte("\n"), data...),
		"a control character":     append(bytes.TrimSuffix(data, []byte("\n")), 1),
		"bytes that are not text": append(bytes.TrimSuffix(data, []byte("\n")), 0xff, '\n'),
	}
}

func TestDialectsStayAsTheyAre(t *testing.T) {
	for _, d := range dialectFiles(t) {
		for name, data := range disguises(d.in) {
			t.Run("AICF-WRITE-8 "+d.path+" "+name, func(t *testing.T) {
				f, err := Parse(data, Options{})
				if err != nil {
					t.Fatal(err)
				}
				c, _ := Read(f, Options{})
				out, losses, err := Encode(c, WriteOptions{Preserve: true})
				if err != nil || len(losses) > 0 || !bytes.Equal(out, data) {
					t.Errorf("%v %v; written\n%q\nof\n%q", losses, err, out, data)
				}
			})
		}
	}
}

func TestDialectThatWasChanged(t *testing.T) {
	const row = "7|20251001|R|harvest|Picked beans|They were ripe|S|\n"
	read := func(t *testing.T) *Contents {
		f, err := Parse([]byte(row), Options{})
		if err != nil {
			t.Fatal(err)
		}
		c, _ := Read(f, Options{})
		return c
	}
	for name, c := range map[string]struct {
		change func(*Contents)
		o      WriteOptions
		want   string
	}{
		"a topic":             {func(c *Contents) { *c.Entries[0].(*Conversation).Topic = "beans" }, WriteOptions{Preserve: true}, "|topic=beans\n"},
		"an entry less":       {func(c *Contents) { c.Entries = c.Entries[:1] }, WriteOptions{Preserve: true}, "|topic=harvest\n"},
		"the version in full": {func(*Contents) {}, WriteOptions{Preserve: true, Version: V31}, "|version=3.1\n"},
		"another version":     {func(*Contents) {}, WriteOptions{Preserve: true, Version: V30}, "|version=3.0\n"},
	} {
		t.Run("AICF-WRITE-8 "+name, func(t *testing.T) {
			contents := read(t)
			c.change(contents)
			out, _, err := Encode(contents, c.o)
			if err != nil || !strings.HasPrefix(string(out), "1|@AICF_VERSION\n") || !strings.Contains(string(out), c.want) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

func TestValidateDialects(t *testing.T) {
	for _, d := range dialectFiles(t) {
		if dialect := Detect(d.in); dialect.Sections() {
			continue
		}
		t.Run("AICF-REF-1 "+d.path, func(t *testing.T) {
			found, err := Validate(d.in, Options{})
			if err != nil || Fatal(found, false) || !Fatal(found, true) {
				t.Errorf("%v %v", err, found)
			}
			if found[0].Rule != "AICF-COMPAT-6" {
				t.Errorf("what it is, is not told first: %v", found)
			}
		})
	}
	t.Run("AICF-COMPAT-3 what is no JSON is an error, and kept", func(t *testing.T) {
		const text = "{\"id\": 1,\n nonsense | here}"
		found, err := Validate([]byte(text), Options{})
		if err != nil || !Fatal(found, false) {
			t.Errorf("%v %v", err, found)
		}
		if out, _ := migrated(t, []byte(text)); !strings.Contains(out, `nonsense \| here`) {
			t.Errorf("lost in\n%s", out)
		}
	})
}

func TestLaterVersions(t *testing.T) {
	const later, laterKind = "1|@AICF_VERSION\n2|version=3.4\n3|\n4|@STATE\n5|a=b\n6|\n", "1|@AICF_VERSION\n2|version=4.0\n3|\n4|@STATE\n5|a=b\n6|\n"
	t.Run("AICF-FWD-5 a later minor version is read with a warning", func(t *testing.T) {
		c, report, err := Migrate([]byte(later), Options{})
		if err != nil || len(c.Entries) != 4 || len(report.Changes) > 0 || !warned(report.Findings, "AICF-FWD-5") {
			t.Errorf("%v %v", err, report)
		}
	})
	t.Run("AICF-FWD-5 a later major version is refused", func(t *testing.T) {
		_, _, err := Migrate([]byte(laterKind), Options{})
		if refused := (*codec.ParseError)(nil); !errors.As(err, &refused) || refused.Rule != "AICF-FWD-5" {
			t.Errorf("%v", err)
		}
		if found, _ := Validate([]byte(laterKind), Options{Partial: true}); !Fatal(found, false) {
			t.Errorf("it is valid: %v", found)
		}
		if found, _ := Validate([]byte(`{"aicf_version":"4.0.0"}`), Options{}); !Fatal(found, false) {
			t.Errorf("in another dialect it is valid: %v", found)
		}
	})
	t.Run("AICF-FWD-5 unless that is forced", func(t *testing.T) {
		_, report, err := Migrate([]byte(laterKind), Options{Force: true, Partial: true})
		if err != nil || !warned(report.Findings, "AICF-FWD-5") || Fatal(report.Findings, false) {
			t.Errorf("%v %v", err, report.Findings)
		}
	})
}

func warned(found []Finding, rule string) bool {
	return slices.ContainsFunc(found, func(f Finding) bool { return f.Rule == rule && f.Severity == Warning })
}
