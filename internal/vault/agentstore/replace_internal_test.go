package agentstore

import (
	"errors"
	"testing"

	"github.com/satchel-memory/satchel/internal/store"
)

// stuck is a writer that removes nothing, and counts what is put.
type stuck struct {
	store.Writer
	put int
}

var errStuck = errors.New("stuck")

func (s *stuck) AgentKeeper() store.AgentKeeper { return stuckKeeper{of: s} }

type stuckKeeper struct {
	store.AgentKeeper
	of *stuck
}

func (stuckKeeper) DropState(string) error       { return errStuck }
func (k stuckKeeper) PutState(store.State) error { k.of.put++; return nil }

func TestStateIsNotPutBesideWhatStays(t *testing.T) {
	w := &stuck{}
	if err := depart(w, store.State{ID: "x"}, Departed{For: "b"}); !errors.Is(err, errStuck) || w.put > 0 {
		t.Errorf("put %d times after %v", w.put, err)
	}
}
