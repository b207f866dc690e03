package agents_test

import (
	"context"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/agents"
)

func TestHooks(t *testing.T) {
	for level, refused := range map[string]bool{"minimal": false, "standard": false, "strict": true, "regulated": true} {
		t.Run("AAIF-4-21 a hook that is not registered, at "+level, func(t *testing.T) {
			h := open(t, running())
			raw := signedBy(t, h.key, definition(`"events":{"on_complete":"nope"}`, `"compliance":{"safety_level":"`+level+`"}`))
			if refused {
				h.refuses(raw, aaif.HookUnresolved)
			}
			r, err := h.Intake(context.Background(), h.owner(), []byte(raw), aaif.IntakeOptions{Keep: refused})
			if err != nil || !strings.Contains(strings.Join(r.Warnings, "\n"), "/agent/events/on_complete") {
				t.Errorf("got %q, %v", r.Warnings, err)
			}
		})
	}
}

func TestReadOnlyManifest(t *testing.T) {
	for readOnly, want := range map[bool]string{false: "https://here.example/aaif/agents", true: ""} {
		h := open(t, func(o *agents.Options) { o.URL, o.ReadOnly = "https://here.example", readOnly })
		if m, err := h.Manifest(context.Background()); err != nil || m.Platform.Intake.URL != want {
			t.Errorf("AAIF-7-15 read-only %v: %+v, %v", readOnly, m.Platform.Intake, err)
		}
	}
}

// TestHooksRegistered: what is registered is neither refused nor warned of.
func TestHooksRegistered(t *testing.T) {
	for _, level := range []string{"minimal", "standard", "strict", "regulated"} {
		t.Run("AAIF-4-21 a hook that is registered, at "+level, func(t *testing.T) {
			h := open(t, func(o *agents.Options) { running()(o); o.Hooks = []string{"ends"} })
			raw := signedBy(t, h.key, definition(`"events":{"on_complete":"ends"}`, `"compliance":{"safety_level":"`+level+`"}`))
			r, err := h.Intake(context.Background(), h.owner(), []byte(raw), aaif.IntakeOptions{})
			if err != nil || strings.Contains(strings.Join(r.Warnings, "\n"), "on_complete") {
				t.Errorf("got %q, %v", r.Warnings, err)
			}
		})
	}
}
