package distill_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/aicf/distill"
)

// asked distils a short conversation with a model that answers so.
func asked(t *testing.T, answer string) (*aicf.Contents, distill.Report, []string, error) {
	t.Helper()
	var prompts []string
	c := said("x", "Chat\n### user\nThe vet is Dr. Mora, mail a@b.example. I live in Oslo.\n### assistant\nBlue it is, then.\n### tool\nThe vet is closed.")
	contents, report, err := distill.Distill(c, distill.Options{Propose: func(prompt string) (string, error) {
		prompts = append(prompts, prompt)
		return answer, nil
	}})
	return contents, report, prompts, err
}

// What a model proposes is taken where a turn of the right author says it, and only there.
func TestProposals(t *testing.T) {
	entry := func(kind, text, turn, quote string) string {
		return `{"entries":[{"kind":"` + kind + `","text":"` + text + `","turn":"` + turn + `","quote":"` + quote + `"}]}`
	}
	for _, test := range []struct {
		name, answer   string
		taken, dropped int
	}{
		{"a fact of the user", entry("fact", "The user's vet is Dr. Mora.", "t1", "The vet is Dr. Mora"), 1, 0},
		{"in a fence", "```json\n" + entry("fact", "The user's vet is Dr. Mora.", "t1", "The vet is Dr. Mora") + "\n```", 1, 0},
		{"a decision of the assistant", entry("decision", "The colour is blue.", "t2", "Blue it is"), 1, 0},
		{"a fact of the assistant", entry("fact", "The user likes blue.", "t2", "Blue it is"), 0, 1},
		{"of a tool", entry("decision", "The vet is closed.", "t3", "vet is closed"), 0, 1},
		{"a quote that nobody says", entry("fact", "The vet is Dr. Moro.", "t1", "The vet is Dr. Moro"), 0, 1},
		{"a quote of another turn", entry("fact", "The vet is Dr. Mora.", "t2", "The vet is Dr. Mora"), 0, 1},
		{"no quote", entry("fact", "The vet is Dr. Mora.", "t1", ""), 0, 1},
		{"no such turn", entry("fact", "The vet is Dr. Mora.", "t9", "The vet is Dr. Mora"), 0, 1},
		{"no such kind", entry("rumour", "The vet is Dr. Mora.", "t1", "The vet is Dr. Mora"), 0, 1},
		{"known already", entry("fact", "I live in Oslo.", "t1", "I live in Oslo"), 0, 1},
		{"too long", entry("fact", strings.Repeat("vet ", 200), "t1", "The vet is Dr. Mora"), 0, 1},
		{"nothing", `{"entries":[]}`, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, report, _, err := asked(t, test.answer)
			if err != nil || report.Proposed != test.taken || report.Dropped != test.dropped {
				t.Errorf("took %d, dropped %d, %v", report.Proposed, report.Dropped, err)
			}
		})
	}
}

func TestProposalsThatCannotBeRead(t *testing.T) {
	for _, answer := range []string{"", "Sure! Here you are.", `{"entries":{}}`, `[]`, `{"entries":[` + strings.Repeat(" ", 2<<20) + `]}`} {
		if _, _, _, err := asked(t, answer); err == nil {
			t.Errorf("%d bytes were taken for proposals", len(answer))
		}
	}
	failed := errors.New("out of reach")
	_, _, err := distill.Distill(said("x", "\n### user\nhello"), distill.Options{Propose: func(string) (string, error) { return "", failed }})
	if !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
}

// A model sees what is redacted, and long conversations in parts.
func TestPrompts(t *testing.T) {
	_, _, prompts, err := asked(t, `{"entries":[]}`)
	if err != nil || len(prompts) != 1 || strings.Contains(prompts[0], "a@b.example") || !strings.Contains(prompts[0], `{"turn":"t1","author":"user","text":"The vet`) {
		t.Errorf("AICF-PII-1: asked %q, %v", prompts, err)
	}
	n, turn := 0, "### user\n"+strings.Repeat("word ", 1000)+"\n"
	_, _, err = distill.Distill(said("x", "\n"+strings.Repeat(turn, 12)), distill.Options{Propose: func(prompt string) (string, error) {
		if n++; len(prompt) > 32<<10 {
			t.Errorf("a prompt of %d bytes", len(prompt))
		}
		return `{"entries":[]}`, nil
	}})
	if err != nil || n != 3 {
		t.Errorf("asked %d times, %v", n, err)
	}
}
