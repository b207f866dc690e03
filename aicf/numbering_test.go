package aicf

import (
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// A file says the same, however its lines are numbered; that they are so, is told.
func TestNumberingHasNoMeaning(t *testing.T) {
	const part = "@CONVERSATION:c\ntimestamp_start=2025-10-06T08:00:00Z\ntimestamp_end=2025-10-06T09:00:00Z\nmessages=1\ntopic=12|a\n" +
		"@STATE\nstatus=completed\n@DECISIONS a|HIGH|LOW|b\n"
	numbered := numberLines(part, func(int, string) bool { return true })
	for name, c := range map[string]struct{ text, code string }{
		"AICF-LINE-8 no numbers":              {part, codeUnnumbered},
		"AICF-LINE-9 numbers of entries":      {numberLines(part, func(_ int, l string) bool { return l[0] == '@' }), codeUnnumbered},
		"AICF-LINE-10 numbers begin again":    {numbered[:strings.Index(numbered, "6|")] + numberLines(part[strings.Index(part, "@STATE"):], func(int, string) bool { return true }), codeRestart},
		"AICF-LINE-6 a line without a number": {numberLines(part, func(n int, _ string) bool { return n != 3 }), codeLineNumber},
	} {
		t.Run(name, func(t *testing.T) {
			want, _ := placeless(t, numbered)
			got, found := placeless(t, c.text)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%v\nwant\n%v", got, want)
			}
			if !strings.Contains(shownFindings(found), c.code) {
				t.Errorf("not told: %v", found)
			}
		})
	}
}

func numberLines(text string, which func(n int, line string) bool) string {
	var b strings.Builder
	n := 0
	for line := range strings.Lines(text) {
		if n++; which(n, line) {
			b.WriteString(strconv.Itoa(n) + "|")
		}
		b.WriteString(line)
	}
	return b.String()
}

// placeless returns what a file says, without where, and what is wrong with it.
func placeless(t *testing.T, text string) ([]Entry, []Finding) {
	t.Helper()
	f, err := Parse([]byte(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, _ := Read(f, Options{})
	for _, e := range c.Entries {
		*e.Place() = Origin{}
	}
	return c.Entries, f.Findings()
}
