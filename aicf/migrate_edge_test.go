package aicf

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestMigrateKeepsWhatCouldBeRedacted(t *testing.T) {
	const row = "7|20251001|R|harvest|Ask mira.holm@example.com for beans|She has them|S|\n"
	t.Run("AICF-PII-6 it is kept, and told", func(t *testing.T) {
		out, report := migrated(t, []byte(row))
		if !strings.Contains(out, "mira.holm@example.com") || !warned(report.Findings, "AICF-PII-6") {
			t.Errorf("%v\n%s", report.Findings, out)
		}
		for _, f := range report.Findings {
			if strings.Contains(f.Message, "mira") {
				t.Errorf("told: %s", f)
			}
		}
	})
	t.Run("AICF-PII-6 nothing is told of a file without", func(t *testing.T) {
		if _, report := migrated(t, []byte(strings.ReplaceAll(row, "@", " at "))); warned(report.Findings, "AICF-PII-6") {
			t.Errorf("%v", report.Findings)
		}
	})
	t.Run("AICF-PII-6 it is redacted on request", func(t *testing.T) {
		c, _, err := Migrate([]byte(row), Options{})
		if err != nil {
			t.Fatal(err)
		}
		Redactor{Unknown: true, Fields: []string{"what"}}.Contents(c)
		if out, _, err := Encode(c, WriteOptions{}); err != nil || bytes.Contains(out, []byte("mira.holm")) {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

// A conversation needs times. If the file has none, they are that of the file, and the
// entry says so.
func TestMigrateDatesAConversationByItsFile(t *testing.T) {
	const text = `{"conversations":[{"id":"c1","messages":[{"role":"user","content":"I sail on Sundays"}]}]}`
	c, report, err := Migrate([]byte(text), Options{Modified: time.Date(2025, 3, 1, 9, 30, 0, 999, time.FixedZone("", 3600))})
	if err != nil {
		t.Fatal(err)
	}
	out, _, err := Encode(c, WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"timestamp_start=2025-03-01T08:30:00Z\n", "timestamp_end=2025-03-01T08:30:00Z\n", "x_assumed=timestamp_start,timestamp_end\n"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if found, err := Validate(out, Options{}); err != nil || Fatal(found, false) || len(report.Assumed) != 1 {
		t.Errorf("AICF-CONV-2 %v %v, assumed %v", err, found, report.Assumed)
	}
}

func TestCodesOfOldVersions(t *testing.T) {
	kinds := map[string]string{"R": "release", "F": "feature", "X": "fix", "D": "docs", "W": "work", "M": "refactor", "T": "test", "Q": "", "r": "", "": ""}
	for code, want := range kinds {
		if got := workKind(code); got != want {
			t.Errorf("AICF-COMPAT-9 the kind %q is %q", code, got)
		}
	}
	outcomes := map[string]string{"S": "shipped", "D": "decided", "R": "resolved", "P": "in_progress", "B": "blocked", "C": "cancelled", "X": "", "": ""}
	for code, want := range outcomes {
		if got := outcome(code); got != want {
			t.Errorf("AICF-COMPAT-9 the outcome %q is %q", code, got)
		}
	}
}

// A name that is repeated for each of many lines must not make a large file of a small one.
func TestMigrateIsBounded(t *testing.T) {
	long := strings.Repeat("n", 20_000)
	for name, text := range map[string]string{
		"columns":      "@TASKS\n@SCHEMA\nT#|" + long + "\n@DATA\n" + strings.Repeat("1|a\n", 400),
		"tables":       "@" + strings.ToUpper(long) + "\n@SCHEMA\nZ#|A\n@DATA\n" + strings.Repeat("1|a\nx\n", 400),
		"conversation": "@INSIGHTS|" + long + "|2025-10-01T00:00:00Z\n" + strings.Repeat("insight|a|b|c\n", 400),
		"members":      `{"` + long + `":{` + jsonMembers(2000) + `}}`,
		"nested":       `{"a":{"` + long + `":{` + jsonMembers(2000) + `}}}`,
		"semicolons":   "version|3.0.0-alpha\nuserIntents|" + strings.Repeat(";", 200_000) + "\n",
		"participants": `{"id":"c","messages":[` + strings.TrimSuffix(strings.Repeat(`{"role":"a"},`, 2000), ",") + `]}`,
	} {
		t.Run("AICF-SIZE-4 "+name, func(t *testing.T) {
			if out, _ := migrated(t, []byte(text)); len(out) > 40*len(text) {
				t.Errorf("%d bytes became %d", len(text), len(out))
			}
		})
	}
}

func jsonMembers(n int) string {
	members := make([]string, n)
	for i := range members {
		members[i] = fmt.Sprintf(`"m%d":1`, i)
	}
	return strings.Join(members, ",")
}
