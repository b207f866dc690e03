package aaif_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/aaif"
)

func TestShown(t *testing.T) {
	for _, c := range []struct{ name, word, want string }{
		{"a word", "python", "python"},
		{"what no terminal shows", "\x1b[31mred\n\u202eder\x00", "[31mredder"},
		{"forty characters", strings.Repeat("é", 40), strings.Repeat("é", 39) + "…"},
		{"more", strings.Repeat("é", 4000), strings.Repeat("é", 39) + "…"},
		{"thirty-nine", strings.Repeat("é", 39), strings.Repeat("é", 39)},
		{"no UTF-8", "a\xffb", "a\ufffdb"},
	} {
		t.Run(c.name, func(t *testing.T) { expect(t, aaif.Shown(c.word), c.want) })
	}
}

// Whatever a document says is no longer than a word in what is said of it.
func TestViolationsAreBounded(t *testing.T) {
	const long = 300
	odd := "\x1b[31m" + strings.Repeat("q", 3000)
	for _, at := range []string{
		"/agent/tools/0/protocol", "/agent/orchestration/handoff/0/condition/lang", "/agent/compliance/safety_level", "/agent/memory/0/backend", "/agent/model/provider",
		"/agent/model/fallbacks/0/provider", "/agent/orchestration/handoff/0/target_agent", "/agent/tools/0/auth/type", "/agent/tools/0/endpoint", "/agent/events/triggers/0/schedule",
	} {
		t.Run("AAIF-4-1 "+at, func(t *testing.T) {
			d := changed(t, sample(t, "agent"), "/agent/tools/0/endpoint", "")
			d = changed(t, d, at, canonText(odd))
			said := []string{}
			for _, p := range validator(t).Lint(d) {
				said = append(said, p.Err.Error())
			}
			for _, l := range []aaif.Level{aaif.Portable, aaif.Enterprise} {
				for _, m := range validator(t).Lacks(d, l) {
					said = append(said, m.Text)
				}
			}
			said = append(said, aaif.Negotiate(aaif.ReadDefinition(d.Value), aaif.Manifest{}, aaif.NegotiateOptions{}).Words()...)
			for _, text := range said {
				if utf8.RuneCountInString(text) > long || strings.Contains(text, "\x1b") {
					t.Errorf("says %d characters: %.80q", utf8.RuneCountInString(text), text)
				}
			}
		})
	}
}

func TestErrors(t *testing.T) {
	d := changed(t, doc(t, minimal), "/agent/required_capabilities", `["odd"]`)
	all := validator(t).Lint(changed(t, d, "/agent/goal", `" "`))
	expect(t, len(all), 2)
	got := aaif.Errors(all)
	expect(t, len(got), 1)
	expect(t, got[0].Path, "/agent/goal")
	expect(t, len(aaif.Errors(nil)), 0)
}

func TestIsStrict(t *testing.T) {
	for safety, want := range map[aaif.Safety]bool{"": false, aaif.Minimal: false, aaif.Standard: false, aaif.Strict: true, aaif.Regulated: true, "maximum": true, "Standard": true} {
		t.Run("AAIF-4.9-1 R17 "+string(safety), func(t *testing.T) { expect(t, safety.IsStrict(), want) })
	}
}

func TestMismatched(t *testing.T) {
	v := set(sample(t, "state").Value, "/memory_snapshot", tree(t, `[{"scope":"task","key":"a","content":"x"},{"scope":"user","key":"b","content":"x"},
		{"scope":"long_term","key":"c","content":"x"},{"scope":"session","key":"d","content":"x"},{"scope":"odd","key":"e","content":"x"}]`))
	t.Run("AAIF-8.2-9 AAIF-U.Q-1 what is a person's, or may be", func(t *testing.T) {
		var got []string
		for _, p := range aaif.ReadState(v).PrincipalMismatches() {
			expect(t, aaif.CodeOf(p), aaif.PrincipalMismatch)
			got = append(got, p.Path)
		}
		expect(t, strings.Join(got, " "), "/memory_snapshot/1 /memory_snapshot/3 /memory_snapshot/4")
	})
}

// TestManyWarnings: no number of warnings makes a document wrong, and none hides what does.
func TestManyWarnings(t *testing.T) {
	needs := make([]string, 3000)
	for i := range needs {
		needs[i] = fmt.Sprintf(`"unheard.of%d"`, i)
	}
	d := aaif.Document{Kind: aaif.AgentKind, Value: set(sample(t, "agent").Value, "/agent/required_capabilities", tree(t, "["+strings.Join(needs, ",")+"]"))}
	found := validator(t).Lint(d)
	if len(found) != 1001 || aaif.HasErrors(found) || !strings.Contains(found[1000].Error(), "more, which are warnings") {
		t.Errorf("AAIF-4-1: %d, the last is %v", len(found), found[len(found)-1])
	}
	d.Value = set(d.Value, "/agent/tools", tree(t, `[{"name":"x","protocol":"http","description":"d","parameters_schema":{"type":"object"},"auth":7}]`))
	if found := validator(t).Lint(d); len(found) != 1001 || !aaif.HasErrors(found) {
		t.Errorf("AAIF-4-1: %d, refused %t", len(found), aaif.HasErrors(found))
	}
}
