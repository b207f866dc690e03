package codectest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// mostCuts bounds how often one document is cut short.
const mostCuts = 4096

// testTruncation cuts documents short at every byte. The format must refuse the rest, or
// read the first records of the whole document.
func (s Suite) testTruncation(t *testing.T) {
	for _, d := range s.all(t) {
		t.Run(d.Name, func(t *testing.T) {
			whole, _ := s.decode(t, d.Data)
			step := len(d.Data)/mostCuts + 1
			for n := 0; n < len(d.Data); n += step {
				cut := d.Data[:n]
				records, _, err := s.read(cut, s.Options)
				if err != nil {
					s.refused(t, cut, s.Options, err)
				} else if !s.FreeText && !begins(whole, records) {
					t.Errorf("cut at byte %d of %d it is taken for something else", n, len(d.Data))
				}
				if t.Failed() {
					return
				}
			}
		})
	}
}

// begins reports whether records are the first records of whole.
func begins(whole, records []memory.Record) bool {
	if len(records) > len(whole) {
		return false
	}
	for i, r := range records {
		was, is := flatten(whole[i]), flatten(r)
		for pointer := range merged(was, is) {
			if was[pointer] != is[pointer] {
				return false
			}
		}
	}
	return true
}

// testDoubled doubles a member of each JSON object of a document. The format must refuse
// the document, or mend it and report a loss.
func (s Suite) testDoubled(t *testing.T) {
	for _, d := range s.all(t) {
		t.Run(d.Name, func(t *testing.T) {
			for _, doubled := range doublings(string(d.Data)) {
				_, losses, err := s.read([]byte(doubled), s.Options)
				if slices.ContainsFunc(losses, codec.IsMended) {
					continue
				}
				if err == nil {
					t.Fatalf("a doubled member is accepted:\n%s", doubled)
				}
				s.refused(t, []byte(doubled), s.Options, err)
			}
		})
	}
}

// doublings returns text with the first member of one object doubled, for each
// object in it.
func doublings(text string) []string {
	var list []string
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case c == '{' && !quoted:
			if name := firstName(text[i+1:]); name != "" {
				list = append(list, text[:i+1]+name+":0,"+text[i+1:])
			}
		}
	}
	return list
}

// firstName returns the first quoted member name inside an object.
func firstName(inside string) string {
	inside = strings.TrimLeft(inside, " \t\r\n")
	if !strings.HasPrefix(inside, `"`) {
		return ""
	}
	end := strings.IndexByte(inside[1:], '"')
	if end < 0 || !strings.HasPrefix(strings.TrimLeft(inside[end+2:], " \t\r\n"), ":") {
		return ""
	}
	return inside[:end+2]
}

// testDeep writes a payload with more nesting than a reader accepts.
func (s Suite) testDeep(t *testing.T) {
	if !s.writes() {
		t.Skip("the format is only read")
	}
	for _, c := range []struct {
		name         string
		depth, limit int
	}{{"a given limit", 30, 8}, {"the default limit", 200, 0}} {
		t.Run(c.name, func(t *testing.T) {
			r := full(t)
			r.Body.Structured = nested(c.depth)
			data, losses, err := s.write(r)
			if err != nil {
				if memory.KindOf(err) == memory.Internal {
					t.Errorf("refused without a kind: %v", err)
				}
				return
			}
			opt := s.Options
			opt.Limits.Depth = c.limit
			_, further, err := s.read(data, opt)
			if err == nil && !excused(append(losses, further...), r.ID, "/body/structured") {
				t.Fatal("deep nesting is accepted")
			}
			if err != nil {
				s.refused(t, data, opt, err)
			}
		})
	}
}

func nested(depth int) json.RawMessage {
	return json.RawMessage(`{"a":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + `}`)
}
