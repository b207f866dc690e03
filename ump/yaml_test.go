package ump_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/ump"
)

func TestFrontMatterErrorsNameTheLine(t *testing.T) {
	good := strings.Split(sampleNote, "\n")
	for name, c := range map[string]struct{ line, path string }{
		"UMP-4.3-3 an anchor": {"kind: &k procedural", "line 4"},
		"UMP-4.3-3 an alias":  {"kind: *k", "line 4"},
		"UMP-4.3-3 a tag":     {"kind: !!str procedural", "line 4"},
	} {
		t.Run(name, func(t *testing.T) {
			lines := append([]string{}, good...)
			lines[3] = c.line
			if strings.Contains(name, "alias") {
				lines[2] = "id: &k urn:ump:9f2c"
				c.path = "line 3" // where the anchor stands
			}
			_, _, err := readAll(t, ump.MarkdownFormat(), fileOf(strings.Join(lines, "\n")), codec.Options{})
			e, ok := errors.AsType[*codec.ParseError](err)
			if !ok || e.Path != c.path || e.Rule != "UMP-4.3-3" {
				t.Fatalf("%v, want it at %s", err, c.path)
			}
		})
	}
}
