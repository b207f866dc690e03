package vault_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

func TestConfirmReplaces(t *testing.T) {
	racing.Skip(t)
	onEach(t, testConfirmReplaces)
}

// testConfirmReplaces confirms candidates that would replace what is in force.
func testConfirmReplaces(t *testing.T, open opener) {
	const confirmed = `{"lifecycle":{"status":"active"}}`
	for _, test := range []struct {
		name  string
		waits string // relations of the candidate; OLD is what is in force
		then  func(h *house, old, candidate memory.ID) memory.ID
	}{
		{"UMP-3.5-3 what a candidate replaces ends when it is confirmed", "", nil},
		{"UMP-3.5-3 and when the candidate was revised before", "", func(h *house, _, candidate memory.ID) memory.ID {
			return h.Change(candidate, `{"body":{"text":"Use bun for all builds."}}`)
		}},
		{"UMP-3.5-3 and when another stands in its place by then", "", func(h *house, old, candidate memory.ID) memory.ID {
			h.Change(old, `{"body":{"text":"Use yarn for the build."}}`)
			return candidate
		}},
		{"UMP-3.5-3 and when another is to stand in its place", "", func(h *house, old, candidate memory.ID) memory.ID {
			h.Change(old, `{"body":{"text":"Use yarn for the build."},"time":{"valid_from":"2027-01-01T00:00:00Z"}}`)
			return candidate
		}},
		{"ENGRAM-3.9-CORR-12 one that contradicts as well replaces the same", `"relations":[{"type":"contradicts","target":"OLD"}]`, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := open(t)
			old := h.Tell("Use pnpm for the build.")
			h.Pass(time.Minute)
			more := []string{`"lifecycle":{"status":"candidate"}`, `"supersedes":["` + string(old) + `"]`}
			if test.waits != "" {
				more = append(more, strings.ReplaceAll(test.waits, "OLD", string(old)))
			}
			candidate, err := h.Says(h.Agent(), "Use bun for the build.", more...)
			if err != nil {
				t.Fatal(err)
			}
			if got := h.Live(); !slices.Equal(got, []string{"Use pnpm for the build."}) {
				t.Fatalf("before it is confirmed: %q", got)
			}
			h.Pass(time.Minute)
			if test.then != nil {
				candidate = test.then(h, old, candidate)
			}
			h.Pass(time.Minute)
			id := h.Change(candidate, confirmed)
			h.Pass(365 * 24 * time.Hour)
			h.tellsOne(t, id)
		})
	}
	t.Run("what was forgotten meanwhile stays so", func(t *testing.T) {
		h := open(t)
		old := h.Tell("Use pnpm for the build.")
		candidate, err := h.Says(h.Agent(), "Use bun for the build.", `"lifecycle":{"status":"candidate"}`, `"supersedes":["`+string(old)+`"]`)
		if err != nil {
			t.Fatal(err)
		}
		h.Must(ump.OpForget, `{"id":"`+string(old)+`","reason":"outdated"}`)
		h.Pass(time.Minute)
		if next := h.MustGet(h.Change(candidate, confirmed)); slices.Contains(next.Supersedes, old) {
			t.Errorf("supersedes %v", next.Supersedes)
		}
	})
}

// tellsOne wants all surfaces to tell one record as what holds.
func (h *house) tellsOne(t *testing.T, id memory.ID) {
	t.Helper()
	want := h.MustGet(id).Body.Text
	if got := h.Live(); !slices.Equal(got, []string{want}) {
		t.Errorf("in force: %q, want %q", got, want)
	}
	if got := h.Texts(memory.Query{Text: "build"}); !slices.Equal(got, []string{want}) {
		t.Errorf("recalled: %q, want %q", got, want)
	}
	if view, err := h.Context(h.Ctx, h.Me(), engram.Query{}); err != nil || len(view.Beliefs) != 1 || view.Beliefs[0].Text != want {
		t.Errorf("Engram tells %+v, want %q", view.Beliefs, want)
	}
	left := h.Left(aimem.Export{})
	now := slices.DeleteFunc(left.Contents(), func(text string) bool {
		return slices.ContainsFunc(left.Ends(), func(e string) bool {
			return strings.HasPrefix(e, "supersedes ") && strings.HasSuffix(e, text)
		})
	})
	if !slices.Equal(now, []string{want}) {
		t.Errorf("AIMEM tells %q, want %q", now, want)
	}
	h.Healthy()
}
