package aicf

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// sectionBuilder renders an entry as lines. err keeps the first member that cannot be
// written. The lines continue after it, so that two entries can be compared.
type sectionBuilder struct {
	name     string // of the entry, for messages: "CONVERSATION conv_001"
	lines    []string
	extra    []Field // not yet written
	err      error
	stripped bool // control characters were removed
}

func (s *sectionBuilder) refuse(member, rule, why string) {
	if s.err == nil {
		s.err = refusal(s.name, member, rule, why)
	}
}

// header begins a section. A name without an id stands alone.
func (s *sectionBuilder) header(name, id string, extra []Field) {
	s.name, s.extra = name, extra
	line := "@" + name
	if id != "" {
		s.name += " " + id
		line += ":" + s.ident("id", "AICF-HDR-3", id)
	}
	s.lines = append(s.lines, line)
}

// ident returns an escaped id. Ids have no line ends.
func (s *sectionBuilder) ident(member, rule, id string) string {
	if strings.ContainsAny(id, "\r\n") {
		s.refuse(member, rule, "an id has no line ends")
	}
	return s.escaped(member, id)
}

// escaped returns a value as written (AICF-STR-5, AICF-SAFE-4).
func (s *sectionBuilder) escaped(member, value string) string {
	s.plain(member, value)
	return Escape(value)
}

// plain refuses characters that no value can have. Line ends and carriage returns have
// escapes.
func (s *sectionBuilder) plain(member, value string) {
	if !utf8.ValidString(value) {
		s.refuse(member, "AICF-ENC-1", "the text is not UTF-8")
	}
	for i := range len(value) {
		if c := value[i]; control(rune(c)) && c != '\n' && c != '\r' {
			s.refuse(member, "AICF-SAFE-2", fmt.Sprintf("no value has the control character U+%04X", c))
		}
	}
}

// control reports whether no line can have the character.
func control(r rune) bool { return r < ' ' && r != '\t' }

func hasControl(text string) bool {
	for i := range len(text) {
		if control(rune(text[i])) {
			return true
		}
	}
	return false
}

// field writes a member, after its older values.
func (s *sectionBuilder) field(key, raw string) {
	s.older(key)
	s.lines = append(s.lines, key+"="+raw)
}

// older writes the further values of a known member.
func (s *sectionBuilder) older(key string) {
	if len(s.extra) == 0 {
		return
	}
	for _, f := range s.extra {
		if f.Key == key {
			s.lines = append(s.lines, s.member(f))
		}
	}
	s.extra = slices.DeleteFunc(slices.Clone(s.extra), func(f Field) bool { return f.Key == key })
}

// rest writes the unknown members.
func (s *sectionBuilder) rest() {
	for _, f := range s.extra {
		s.lines = append(s.lines, s.member(f))
	}
}

// member returns a member as spelled (AICF-FWD-4), or a line without a key.
func (s *sectionBuilder) member(f Field) string {
	raw := s.spelled(f.Key, f.Raw)
	if f.Key != "" {
		s.key(f.Key)
		return f.Key + "=" + raw
	}
	if raw == "" || headOf([]byte(raw)).shape != noHead {
		s.refuse("", "AICF-SAFE-4", "a line of a section is not empty and not a header")
	}
	s.keyless(raw)
	return raw
}

// keyless refuses text without a key that a reader would split into key and value.
func (s *sectionBuilder) keyless(raw string) {
	if _, ok := splitField(raw); ok {
		s.refuse("", "AICF-SAFE-4", "what begins with a key and an equals sign is a field of that key")
	}
}

// key refuses keys that a reader would not read as keys (AICF-STR-9).
func (s *sectionBuilder) key(key string) {
	s.plain("key", key)
	if key == "" || key[0] == '@' || strings.ContainsAny(key, "=|\\\r\n") {
		s.refuse("key "+strconv.Quote(key), "AICF-STR-9", `a key is not empty, does not begin with @ and has none of = | \ and line ends`)
	}
}

// spelled returns raw text without control characters.
func (s *sectionBuilder) spelled(member, raw string) string {
	if !utf8.ValidString(raw) {
		s.refuse(member, "AICF-ENC-1", "the text is not UTF-8")
	}
	if strings.Contains(raw, "\n") {
		s.refuse(member, "AICF-SAFE-4", "a line end is escaped in a value as it is spelled")
	}
	if !hasControl(raw) {
		return raw
	}
	s.stripped = true
	return strings.Map(func(r rune) rune {
		if control(r) {
			return -1
		}
		return r
	}, raw)
}

// filled writes a string unless it is empty.
func (s *sectionBuilder) filled(key, value string) {
	if value == "" {
		s.older(key)
		return
	}
	s.field(key, s.escaped(key, value))
}

// text writes an optional string. An empty string is not absent (AICF-STR-6).
func (s *sectionBuilder) text(key string, value *string) {
	if value == nil {
		s.older(key)
		return
	}
	s.field(key, s.escaped(key, *value))
}

// verbatim writes a value as spelled unless it is empty.
func (s *sectionBuilder) verbatim(key, raw string) {
	if raw == "" {
		s.older(key)
		return
	}
	s.field(key, s.spelled(key, raw))
}

// count writes an optional integer.
func (s *sectionBuilder) count(key string, n *int64) {
	if n == nil {
		s.older(key)
		return
	}
	if *n < 0 {
		s.refuse(key, "AICF-TYPE-1", "nothing is counted below 0")
	}
	s.field(key, strconv.FormatInt(*n, 10))
}

// list writes an optional list between pipes. An empty list is not absent.
func (s *sectionBuilder) list(key string, items []string) {
	if items == nil {
		s.older(key)
		return
	}
	if len(items) == 1 && items[0] == "" {
		s.oneEmpty(key)
	}
	for _, item := range items {
		s.plain(key, item)
	}
	s.field(key, JoinList(items))
}

// stamp writes an optional instant in UTC, with its fraction; an unreadable one as
// spelled.
func (s *sectionBuilder) stamp(key string, t Stamp) {
	switch {
	case !t.IsZero():
		if y := t.UTC().Year(); y < 0 || y > 9999 {
			s.refuse(key, "AICF-TYPE-2", "years have four digits")
		}
		s.field(key, FormatInstant(t.Time))
	case t.Text != "":
		s.filled(key, t.Text)
	default:
		s.older(key)
	}
}

func (s *sectionBuilder) oneEmpty(key string) {
	s.refuse(key, "AICF-TYPE-5", "a list of one empty item would be read as an empty list")
}
