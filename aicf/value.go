package aicf

import (
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// parseStamp reads an instant: RFC 3339, or the basic format of ISO 8601.
func parseStamp(text string) (Stamp, bool) {
	t, ok := memory.ParseInstant(text)
	if !ok {
		t, ok = memory.ParseInstant(extended(text))
	}
	if !ok {
		return Stamp{Text: text}, false
	}
	stamp := Stamp{Time: t.UTC()}
	if FormatInstant(stamp.Time) != text || t.IsZero() {
		stamp.Text = text
	}
	return stamp, true
}

// extended adds the separators to an instant in basic format, such as 20251001T230000Z.
func extended(text string) string {
	const date, clock = len("20060102T"), len("20060102T150405")
	if len(text) <= clock || text[date-1] != 'T' {
		return ""
	}
	zone := text[clock:]
	if at := strings.IndexAny(zone, "+-"); at >= 0 && len(zone) == at+len("+0200") {
		zone = zone[:at+3] + ":" + zone[at+3:]
	}
	return text[:4] + "-" + text[4:6] + "-" + text[6:date] + text[date:date+2] + ":" + text[date+2:date+4] + ":" + text[date+4:clock] + zone
}

// FormatInstant spells an instant in seconds, with a fraction if there is one (AICF-TYPE-2,
// -3).
func FormatInstant(t time.Time) string {
	return t.UTC().Format("2006-01-02T15:04:05.999999999Z")
}

// String spells the stamp as a file does; empty: it is missing.
func (s Stamp) String() string {
	if s.Time.IsZero() {
		return s.Text
	}
	if read, ok := parseStamp(s.Text); ok && read.Time.Equal(s.Time) {
		return s.Text
	}
	return FormatInstant(s.Time)
}

// said reports whether there is an instant, or text in its place.
func (s Stamp) said() bool { return !s.Time.IsZero() || s.Text != "" }

// Scope returns the scope of a pair. The key's prefix takes precedence over the section's
// scope; the session is the default.
func (p Pair) Scope(section Word) Word {
	scope, _ := p.prefix()
	if scope == "" {
		scope = section
	}
	if scope == "" {
		scope = ScopeSession
	}
	return scope
}

// Name returns the key without the prefix of its scope.
func (p Pair) Name() string {
	_, name := p.prefix()
	return name
}

// prefix splits the scope off the key; empty: it has none.
func (p Pair) prefix() (scope Word, name string) {
	before, name, _ := strings.Cut(p.Key, ":")
	switch scope := Word(before); scope {
	case ScopeUser, ScopeApp, ScopeTemp:
		if before != p.Key {
			return scope, name
		}
	}
	return "", p.Key
}

// parseCount reads a decimal integer (AICF-TYPE-1).
func parseCount(text string) (int64, bool) {
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

// decimal reports whether a text is a decimal number, perhaps with an exponent. It refuses
// other spellings that strconv accepts (Inf, 0x1p3, 1_0).
func decimal(text string) bool {
	if text == "" || strings.Trim(text, "0123456789+-.eE") != "" {
		return false
	}
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// Threshold returns the similarity threshold as a number; false: it is none.
func (e *Embedding) Threshold() (float64, bool) {
	n, err := strconv.ParseFloat(e.SimilarityThreshold, 64)
	return n, err == nil && decimal(e.SimilarityThreshold)
}

// percentage reads a percentage, which may exceed 100. signed reports whether the
// percent sign is there.
func percentage(text string) (n float64, signed, ok bool) {
	number, signed := strings.CutSuffix(text, "%")
	n, err := strconv.ParseFloat(number, 64)
	return n, signed, err == nil && decimal(number)
}

// Floats returns the numbers of the vector; false: it was elided, or is not what the format
// requires.
func (e *Embedding) Floats() ([]float64, bool) {
	if e.Elided || e.Vector == "" {
		return nil, false
	}
	floats := make([]float64, 0, strings.Count(e.Vector, ",")+1)
	for text := range strings.SplitSeq(e.Vector, ",") {
		text = strings.TrimSpace(text)
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || !decimal(text) {
			return nil, false
		}
		floats = append(floats, n)
	}
	return floats, int64(len(floats)) == e.Dimension
}

// Kind returns the memory type of an insight; semantic by default (AICF-INS-9).
func (in *Insight) Kind() Word {
	if in.MemoryType == "" {
		return Semantic
	}
	return in.MemoryType
}
