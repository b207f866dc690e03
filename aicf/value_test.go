package aicf

import (
	"testing"
	"time"
)

func TestStamp(t *testing.T) {
	for text, want := range map[string]string{
		"2025-10-06T08:00:00Z":      "2025-10-06T08:00:00Z",
		"2025-10-04T10:36:47.342Z":  "2025-10-04T10:36:47.342Z",
		"2025-10-06T10:00:00+02:00": "2025-10-06T08:00:00Z",
		"20251001T230000Z":          "2025-10-01T23:00:00Z",
		"20251001T230000.5Z":        "2025-10-01T23:00:00.5Z",
		"20251001T230000-0130":      "2025-10-02T00:30:00Z",
		"0001-01-01T00:00:00Z":      "0001-01-01T00:00:00Z",
	} {
		t.Run("AICF-TYPE-3 "+text, func(t *testing.T) {
			got, ok := parseStamp(text)
			if !ok || FormatInstant(got.Time) != want || got.String() != text {
				t.Errorf("got %s, %v, spelled %s", FormatInstant(got.Time), ok, got)
			}
		})
	}
	for _, text := range []string{"", "yesterday", "2025-13-01T00:00:00Z", "2025-02-30T00:00:00Z", "2025-10-06", "2025-10-06T08:00:00", "20251001230000Z", "20251301T230000Z"} {
		t.Run("AICF-VALM-1 "+text, func(t *testing.T) {
			if got, ok := parseStamp(text); ok {
				t.Errorf("read as %s", got)
			}
		})
	}
	t.Run("AICF-TYPE-2 a stamp that was set anew is spelled anew", func(t *testing.T) {
		s, _ := parseStamp("2025-10-06T10:00:00+02:00")
		s.Time = time.Date(2025, 10, 6, 8, 0, 1, 0, time.UTC)
		if got := s.String(); got != "2025-10-06T08:00:01Z" {
			t.Errorf("got %s", got)
		}
	})
}

func TestParseCount(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "15": 15, "9223372036854775807": 1<<63 - 1} {
		if got, ok := parseCount(text); !ok || got != want {
			t.Errorf("AICF-TYPE-1 %q is read as %d, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "-1", "+1", "1.5", "0x0f", "1e3", "1_0", " 1", "9223372036854775808"} {
		if got, ok := parseCount(text); ok {
			t.Errorf("AICF-TYPE-1 %q is read as %d", text, got)
		}
	}
}

func TestPair(t *testing.T) {
	for _, row := range []struct {
		key     string
		section Word
		scope   Word
		name    string
	}{
		{"x", "", ScopeSession, "x"},
		{"x", ScopeUser, ScopeUser, "x"},
		{"app:x", ScopeUser, ScopeApp, "x"},
		{"user:x:y", "", ScopeUser, "x:y"},
		{"temp:x", ScopeSession, ScopeTemp, "x"},
		{"session:x", ScopeApp, ScopeApp, "session:x"},
		{"http://x", "", ScopeSession, "http://x"},
	} {
		t.Run("AICF-STATE-6 "+row.key+" in "+string(row.section), func(t *testing.T) {
			p := Pair{Key: row.key}
			if p.Scope(row.section) != row.scope || p.Name() != row.name {
				t.Errorf("got scope %s, name %s", p.Scope(row.section), p.Name())
			}
		})
	}
	t.Run("AICF-FWD-4 a value is spelled as it was until it is another", func(t *testing.T) {
		p := pairOf(Field{"k", `a|b\|c`})
		if got := p.Spelled(); got != `a|b\|c` {
			t.Errorf("got %s", got)
		}
		if p.Value = "d|e"; p.Spelled() != `d\|e` {
			t.Errorf("got %s", p.Spelled())
		}
	})
}

func TestLevel(t *testing.T) {
	for word, want := range map[Word]Word{"HIGH": High, "low": Low, "0.9": High, "0.8": High, "0.79": Medium, "0.5": Medium, "0": Low, "1": High, "CRITICAL": Critical,
		"": "", "SURE": "", "1.1": "", "-0.1": "", "NaN": "", "0x1p-1": ""} {
		if got := word.Level(); got != want {
			t.Errorf("AICF-INS-8 %q is of level %q, want %q", word, got, want)
		}
	}
}

func TestParseVersion(t *testing.T) {
	for text, want := range map[string]Version{"3.1": V31, "3.1.0": V31, "3.0.0": V30, "3.0.0-alpha": V30, "2.0": V20, "1.0": V10, "3.12": 3<<8 | 12} {
		if got, ok := ParseVersion(text); !ok || got != want {
			t.Errorf("AICF-VER-2 %q is read as %s, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "3", "3.", ".1", "x.y", "3.256", "256.0", "0.9", "-3.1", "3,1"} {
		if got, ok := ParseVersion(text); ok {
			t.Errorf("AICF-VER-2 %q is read as %s", text, got)
		}
	}
}

func TestKind(t *testing.T) {
	for said, want := range map[Word]Word{"": Semantic, Episodic: Episodic, Procedural: Procedural, "working": "working"} {
		if got := (&Insight{MemoryType: said}).Kind(); got != want {
			t.Errorf("AICF-INS-9 %q is of kind %q, want %q", said, got, want)
		}
	}
}
