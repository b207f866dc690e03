package agents_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/memory"
)

// mailed is a member of a state that identifies somebody, by the name of addressee.
const (
	mailed    = `"variables":{"mail":"quixotrovian.lovelace@example.org"}`
	addressee = "quixotrovian.lovelace"
)

// otherState has another state land, which identifies nobody.
func (s *source) otherState() string {
	s.t.Helper()
	const id = "5f0c7a52-0c5d-4d5a-9a68-2f0c6a1f0099"
	s.lands(s.sealed(s.checkpoint().With("state_id", value(s.t, quoted(id))), s.key))
	return id
}

// revised has a definition with a policy kept a minute later, and returns what is said.
func (s *source) revised(pii, version string, dry bool) string {
	s.t.Helper()
	s.now = s.now.Add(time.Minute)
	r, err := s.Intake(context.Background(), s.owner(), []byte(policed(pii, version)), aaif.IntakeOptions{Keep: true, Replace: true, DryRun: dry})
	if err != nil {
		s.t.Fatal(err)
	}
	return strings.Join(r.Warnings, "\n")
}

func TestLaterPolicy(t *testing.T) {
	for name, kind := range raw {
		t.Run("AAIF-12-10 a policy that becomes anonymize replaces what is here "+name, func(t *testing.T) {
			open, all := kind(t)
			s := sending(t, over(t, open))
			s.lands(s.ready(mailed))
			if !bytes.Contains(all(), []byte(addressee)) {
				t.Fatal("it is not found in the clear: the search below shows nothing")
			}
			if said := s.revised("anonymize", "2.0.0", true); !strings.Contains(said, "would be replaced") || !bytes.Contains(s.atRest(stateID), []byte(addressee)) {
				t.Errorf("when only asked for: %s", said)
			}
			if said := s.revised("anonymize", "2.0.0", false); !strings.Contains(said, "was replaced") || !strings.Contains(said, stateID) {
				t.Errorf("said %s", said)
			}
			if bytes.Contains(all(), []byte(addressee)) {
				t.Error("it lies in the clear")
			}
			if said := s.revised("none", "3.0.0", false); strings.Contains(said, stateID) {
				t.Errorf("said %s", said)
			}
			l, err := s.State(context.Background(), s.owner(), stateID)
			if err != nil || strings.Contains(text(l.Document), addressee) || aaif.VerifyChecksum(l.Document) != nil {
				t.Errorf("a later definition gives it back: %s, %v", text(l.Document), err)
			}
		})
		t.Run("AAIF-12-10 a policy that becomes reject removes what identifies people "+name, func(t *testing.T) {
			open, all := kind(t)
			s := sending(t, over(t, open))
			s.lands(s.ready(mailed))
			other := s.otherState()
			if said := s.revised("reject", "2.0.0", true); !strings.Contains(said, "would be removed: "+stateID) {
				t.Errorf("when only asked for: %s", said)
			}
			if _, err := s.State(context.Background(), s.owner(), stateID); err != nil {
				t.Errorf("when only asked for: %v", err)
			}
			said := s.revised("reject", "2.0.0", false)
			if !strings.Contains(said, "are removed: "+stateID) || strings.Contains(said, other) {
				t.Errorf("said %s", said)
			}
			if _, err := s.State(context.Background(), s.owner(), stateID); memory.KindOf(err) != memory.NotFound {
				t.Errorf("got %v", err)
			}
			if _, err := s.State(context.Background(), s.owner(), other); err != nil {
				t.Errorf("what identifies nobody: %v", err)
			}
			if bytes.Contains(all(), []byte(addressee)) {
				t.Error("it lies in the store")
			}
			if gone := s.log(audit.Remove); len(gone) != 1 || gone[0].Count != 1 || gone[0].Agent != s.vault.AuditMark(s.owner(), agentID) {
				t.Errorf("logged %+v", gone)
			}
		})
	}
	t.Run("AAIF-12-10 what lies sealed stays so, without what identifies people", func(t *testing.T) {
		s := sending(t, open(t))
		s.lands(s.ready(mailed))
		s.revised("encrypt", "2.0.0", false)
		s.revised("anonymize", "3.0.0", false)
		if s.atRest(stateID)[0] == '{' {
			t.Error("it lies in the clear")
		}
		s.revised("none", "4.0.0", false)
		if l, err := s.Look(context.Background(), s.owner(), stateID); err != nil || strings.Contains(text(l.Document), addressee) {
			t.Errorf("got %s, %v", text(l.Document), err)
		}
	})
}
