package agents_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/internal/store/sqlite"
	"github.com/satchel-memory/satchel/memory"
)

// canary is what a search of the store has to find nothing of. Each member of a state
// that can hold what a run is about has one of its own.
const canary = "Quixotrovian"

// planted are members of a state with canaries.
var planted = []string{`"variables":{"who":"` + canary + `Variable"}`,
	`"memory_snapshot":[{"scope":"task","key":"k","content":"` + canary + `Memory"}]`}

// raw are the kinds of store, each with what reads all that lies at rest in it.
var raw = map[string]func(t *testing.T) (opener, func() []byte){
	"sqlite": func(t *testing.T) (opener, func() []byte) {
		folder := t.TempDir()
		open := func(t testing.TB, seal func(memory.DID) []byte) store.Store {
			s, err := sqlite.Open(context.Background(), filepath.Join(folder, "satchel.db"), sqlite.Options{Seal: seal})
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		return open, func() (all []byte) {
			files, err := filepath.Glob(filepath.Join(folder, "*"))
			if err != nil || len(files) < 2 {
				t.Fatalf("the file and its log: %q, %v", files, err)
			}
			for _, file := range files {
				b, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, b...)
			}
			return all
		}
	},
	"postgres": func(t *testing.T) (opener, func() []byte) {
		url := pgtest.Database(t)
		open := func(t testing.TB, seal func(memory.DID) []byte) store.Store {
			if err := postgres.Init(context.Background(), url, postgres.Options{}); err != nil {
				t.Fatal(err)
			}
			s, err := postgres.Open(context.Background(), url, postgres.Options{Seal: seal})
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		return open, func() []byte {
			rows := pgtest.Query(t, url, `SELECT encode(document, 'escape') FROM states`)
			if len(rows) == 0 {
				t.Fatal("no state lies in the database")
			}
			return []byte(strings.Join(rows, "\n"))
		}
	},
}

// policed is a definition with a policy for what identifies people, of a version.
func policed(pii, version string) string {
	return definition(`"version":"`+version+`"`, `"compliance":{"pii_handling":"`+pii+`"}`)
}

// under has a definition with a policy kept.
func (s *source) under(pii, version string) {
	s.t.Helper()
	if _, err := s.Intake(context.Background(), s.owner(), []byte(policed(pii, version)), aaif.IntakeOptions{Keep: true}); err != nil {
		s.t.Fatal(err)
	}
}

// lands expects a state to land, and returns it as it is kept.
func (s *source) lands(v canon.Value) canon.Value {
	s.t.Helper()
	if _, err := s.receive(v); err != nil {
		s.t.Fatal(err)
	}
	back, err := s.State(context.Background(), s.owner(), v.Get("state_id").Text())
	if err != nil {
		s.t.Fatal(err)
	}
	return back.Document
}

func TestAtRest(t *testing.T) {
	for name, kind := range raw {
		t.Run("AAIF-12-10 encrypt: at rest there is no plaintext "+name, func(t *testing.T) {
			open, all := kind(t)
			s := sending(t, over(t, open))
			s.under("encrypt", "2.0.0")
			v := s.ready(planted...)
			if back := s.lands(v); text(back) != text(v) {
				t.Errorf("read back: %s", text(back))
			}
			if found := all(); bytes.Contains(found, []byte(canary)) {
				t.Error("what the state says lies in the clear")
			}
			list, err := s.States(context.Background(), s.owner(), agentID, aaif.Place{}, 0)
			if err != nil || len(list) != 1 || list[0].Source != "elsewhere" {
				t.Errorf("listed %+v, %v", list, err)
			}
		})
		t.Run("AAIF-12-10 the search finds what lies in the clear "+name, func(t *testing.T) {
			open, all := kind(t)
			s := sending(t, over(t, open))
			s.lands(s.ready(planted...))
			if !bytes.Contains(all(), []byte(canary)) {
				t.Error("a state without a policy is not found: the search above shows nothing")
			}
		})
		t.Run("AAIF-12-10 a policy that becomes encrypt seals what is here "+name, func(t *testing.T) {
			open, all := kind(t)
			s := sending(t, over(t, open))
			v := s.ready(planted...)
			s.lands(v)
			s.under("encrypt", "2.0.0")
			if bytes.Contains(s.atRest(stateID), []byte(canary)) || bytes.Contains(all(), []byte(canary)) {
				t.Error("what came before the policy lies in the clear")
			}
			if back, err := s.State(context.Background(), s.owner(), stateID); err != nil || text(back.Document) != text(v) {
				t.Errorf("read back: %+v, %v", back, err)
			}
		})
	}
	t.Run("AAIF-8.2-3 a sealed state that comes again is known", func(t *testing.T) {
		s := sending(t, open(t))
		s.under("encrypt", "2.0.0")
		first := s.lands(s.ready(planted...))
		if again := s.lands(s.sealed(s.checkpoint(planted...), s.key)); text(again) != text(first) {
			t.Errorf("got %s", text(again))
		}
		s.turnsAway(s.sealed(s.checkpoint().With("iteration", canon.Int(3)), s.key), aaif.TokenBinding)
	})
	t.Run("AAIF-12-10 encrypt without the owner's key: refused", func(t *testing.T) {
		h := open(t)
		s := sending(t, h)
		s.under("encrypt", "2.0.0")
		closed := h.closed()
		before := h.kept()
		_, err := closed.Receive(context.Background(), h.owner(), s.ready(planted...))
		if aaif.CodeOf(err) != aaif.PIIRejected || h.kept() != before {
			t.Errorf("got %v", err)
		}
	})
	const person = `"variables":{"mail":"ada.lovelace@example.org"}`
	t.Run("AAIF-12-10 anonymize: what identifies people is not kept", func(t *testing.T) {
		s := sending(t, open(t))
		s.under("anonymize", "2.0.0")
		v := s.ready(person)
		back := s.lands(v)
		if said := text(back); strings.Contains(said, "lovelace") || !strings.Contains(said, `"hello"`) || aaif.VerifyChecksum(back) != nil {
			t.Errorf("kept %s", said)
		}
		if again := s.lands(s.sealed(s.checkpoint(person), s.key)); text(again) != text(back) {
			t.Errorf("it comes again: %s", text(again))
		}
	})
	t.Run("AAIF-12-10 reject: what identifies people does not land", func(t *testing.T) {
		s := sending(t, open(t))
		s.under("reject", "2.0.0")
		s.turnsAway(s.ready(person), aaif.PIIRejected)
		v := s.ready()
		if back := s.lands(v); text(back) != text(v) {
			t.Errorf("kept %s", text(back))
		}
	})
}

// atRest is the document of a state as the store has it.
func (h *house) atRest(id string) (document []byte) {
	h.t.Helper()
	err := h.store.View(context.Background(), h.key.DID(), func(r store.Reader) error {
		s, err := r.Agents().State(id)
		document = s.Document
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return document
}

// closed is a service over the same store that holds no key.
func (h *house) closed() *agents.Service {
	h.t.Helper()
	_, s := h.over(h.store, nil)
	return s
}
