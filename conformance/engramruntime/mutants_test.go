package engramruntime

import (
	"crypto/rand"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
)

// rowShape finds the rows that a mutant names.
var rowShape = regexp.MustCompile(`ENGRAM-[0-9.]+(?:-[A-Z]+)?-[0-9]+`)

// target is a runtime to be tried.
func target(m runtime) Target {
	return Target{Runtime: m.start, Audience: true, Strict: true, Now: time.Now, Random: rand.Reader}
}

// failing returns the rows that a runtime breaks.
func failing(t *testing.T, target Target) (Summary, []string) {
	t.Helper()
	s, err := Run(t.Context(), target, nil)
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, r := range s.Failed {
		rows = append(rows, r.ID)
	}
	slices.Sort(rows)
	return s, rows
}

// mutants are runtimes with one thing wrong, and the rows that show it.
func mutants() []struct {
	name string
	runtime
} {
	only := func(reasons ...engram.Reason) []engram.Reason { return reasons }
	return []struct {
		name string
		runtime
	}{
		{"ENGRAM-3.2-9 ENGRAM-3.7-8 ENGRAM-3.8-13 ENGRAM-5-3 uses what has ended", runtime{overlooks: only(engram.Expired)}},
		{"ENGRAM-3.2-3 uses what is of tomorrow", runtime{overlooks: only(engram.FromTheFuture)}},
		{"ENGRAM-3.2-3 ENGRAM-3.2-24 uses what cannot be read in one way", runtime{overlooks: only(engram.MalformedExport)}},
		{"ENGRAM-3.10-1 ENGRAM-3.10-4 ENGRAM-3.10-6 looks at no version", runtime{overlooks: only(engram.VersionRefused)}},
		{"ENGRAM-12.6-2 uses what is unsigned", runtime{overlooks: only(engram.NotSigned)}},
		{"ENGRAM-3.8-9 ENGRAM-3.8-23 uses what has no kid", runtime{overlooks: only(engram.MissingKid)}},
		{"ENGRAM-3.8-27 reads any base64", runtime{overlooks: only(engram.MalformedSignature)}},
		{"ENGRAM-3.8-26 uses what somebody else issued", runtime{overlooks: only(engram.IssuerMismatch)}},
		{"ENGRAM-3.8-26 uses what it has no keys for", runtime{overlooks: only(engram.NoKeys)}},
		{"ENGRAM-3.8-11 ENGRAM-3.8-22 ENGRAM-3.8-24 ENGRAM-3.8-25 uses what is of an unknown key", runtime{overlooks: only(engram.UnknownKid)}},
		{"ENGRAM-3.8-24 uses keys that have expired", runtime{overlooks: only(engram.KeyExpired)}},
		{"ENGRAM-3.8-24 uses keys before their time", runtime{overlooks: only(engram.KeyNotYet)}},
		{"ENGRAM-3.2-11 ENGRAM-3.2-25 ENGRAM-3.8-12 ENGRAM-3.8-14 ENGRAM-3.8-15 verifies nothing", runtime{overlooks: only(engram.BadSignature)}},
		{"ENGRAM-3.7-22 uses what is for another", runtime{overlooks: only(engram.WrongAudience)}},
		{"ENGRAM-3.2-11 tries all keys", runtime{anyKey: true}},
		{"ENGRAM-3.8-10 ENGRAM-3.8-26 goes by the address in the context", runtime{anyIssuer: true}},
		{"ENGRAM-3.8-13 is lenient about the end", runtime{late: time.Minute}},
		{"ENGRAM-5-2 looks at no status", runtime{statuses: true}},
		{"ENGRAM-5-2 uses what broke off", runtime{breaks: true}},
		{"ENGRAM-5-2 prints what it cannot read", runtime{page: true}},
		{"ENGRAM-3.8-26 ENGRAM-5-1 goes where it is sent", runtime{wanders: true}},
		{"ENGRAM-3.8-10 ENGRAM-5-9 doubles slashes", runtime{slashes: true}},
		{"ENGRAM-5-1 asks twice", runtime{eager: true}},
		{"ENGRAM-3.8-25 asks for keys again and again", runtime{nagging: 2}},
		{"ENGRAM-6-2 proposes unasked", runtime{proposes: true}},
		{"ENGRAM-3.9-DISC-6 goes by standard paths", runtime{deaf: true}},
		{"ENGRAM-3.8-14 does not say why", runtime{silent: true}},
		{"ENGRAM-3.10-2 refuses later drafts", runtime{dislikes: `"0.9"`}},
		{"ENGRAM-3.10-5 compares versions as text", runtime{dislikes: `"0.10"`}},
		{"ENGRAM-3.10-2 ENGRAM-3.2-25 refuses what it does not know", runtime{dislikes: "x_note"}},
		{"ENGRAM-3.4-14 ENGRAM-3.4-16 refuses tombstones", runtime{dislikes: `"deleted"`}},
		{"ENGRAM-3.8-8 wants bytes as it would write them", runtime{dislikes: "\n"}},
		{"ENGRAM-3.8-21 knows one key", runtime{dislikes: previous}},
		{"ENGRAM-5-4 prints what is archived", runtime{archived: true}},
		{"ENGRAM-5-4 prints what is unsure", runtime{least: 0.4}},
		{"ENGRAM-3.4-24 ENGRAM-5-4 prints what is very sure", runtime{least: 0.6}},
		{"ENGRAM-5-4 is sure of what nobody said", runtime{unsaid: 1}},
		{"ENGRAM-3.4-14 prints what is deleted", runtime{deleted: true}},
		{"ENGRAM-3.9-CORR-19 prints what is proposed", runtime{proposed: true}},
		{"ENGRAM-5-7 prints values as they are", runtime{raw: true}},
		{"ENGRAM-5-5 ENGRAM-5-6 has another text", runtime{title: "Name"}},
		{"ENGRAM-5-6 leaves no blank line", runtime{joint: "\n"}},
		{"ENGRAM-3.4-22 drops what is overdue", runtime{overdue: true}},
		{"ENGRAM-3.4-22 ENGRAM-3.4-24 drops what could become overdue", runtime{impatient: true}},
		{"ENGRAM-3.10-4 has another error object", runtime{othersaid: true}},
		{"ENGRAM-12.6-2 ENGRAM-3.2-3 ENGRAM-3.2-9 ENGRAM-3.2-11 ENGRAM-3.2-24 ENGRAM-3.2-25 ENGRAM-3.7-8 ENGRAM-3.7-22 ENGRAM-3.8-9 ENGRAM-3.8-11 ENGRAM-3.8-12 ENGRAM-3.8-13 ENGRAM-3.8-14 ENGRAM-3.8-15 " +
			"ENGRAM-3.8-22 ENGRAM-3.8-23 ENGRAM-3.8-24 ENGRAM-3.8-25 ENGRAM-3.8-26 ENGRAM-3.8-27 ENGRAM-3.10-1 ENGRAM-3.10-4 ENGRAM-3.10-6 ENGRAM-5-3 fails and prints all the same", runtime{noisy: true}},
	}
}

// sections are those of rows.
func sections(rows []string) []string {
	var found []string
	for _, id := range rows {
		section, _, _ := strings.Cut(strings.TrimPrefix(id, "ENGRAM-"), "-")
		found = append(found, "ENGRAM-"+section)
	}
	return found
}

// TestMutants wants the rows of each mutant to fail, and no other of their sections.
func TestMutants(t *testing.T) {
	shown := map[string]bool{"ENGRAM-6-5": true} // it fails with any of the smallest runtime
	for _, m := range mutants() {
		want := rowShape.FindAllString(m.name, -1)
		slices.Sort(want)
		for _, id := range want {
			shown[id] = true
		}
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			target := target(m.runtime)
			target.Only = append(sections(want), "ENGRAM-6")
			s, got := failing(t, target)
			reader := !slices.Contains(got, "ENGRAM-6-5")
			if got = slices.DeleteFunc(got, func(id string) bool { return id == "ENGRAM-6-5" }); !slices.Equal(got, want) {
				t.Errorf("%s fail", strings.Join(got, " "))
			}
			if level := (map[bool]Level{true: Minimal})[reader]; s.OK() || s.Level != level || (s.Tier == engram.ReaderTier) != reader {
				t.Errorf("%v, level %q, tier %q", s.OK(), s.Level, s.Tier)
			}
		})
	}
	for _, c := range checks() {
		if !shown[c.id] && c.level != "" { // those of no level are broken in TestFurther
			t.Errorf("no mutant breaks %s", c.id)
		}
	}
}
