package agents_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/aaiftest"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/store"
)

// TestKeeps puts the case that every platform has to the vaults.
func TestKeeps(t *testing.T) {
	for name, opening := range stores {
		t.Run(name, func(t *testing.T) {
			h := over(t, opening)
			aaiftest.Keeps(t, h, h.owner())
		})
	}
}

// TestStatesPages lists more checkpoints than one answer has, and agents in pieces.
func TestStatesPages(t *testing.T) {
	h := open(t)
	h.taken(definition())
	const all = aaif.MostListed + 5
	err := h.store.Update(context.Background(), h.key.DID(), func(w store.Writer) error {
		for i := range all {
			s := store.State{ID: fmt.Sprintf("s%05d", i), Agent: agentID, Status: "paused", Checkpoint: start, Received: start, Document: []byte("{}")}
			if err := w.AgentKeeper().PutState(s); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var after aaif.Place
	var found []string
	for _, want := range []int{aaif.MostListed, 5, 0} {
		page, err := h.States(context.Background(), h.owner(), agentID, after, 5000)
		if err != nil || len(page) != want {
			t.Fatalf("%d on a page, %v", len(page), err)
		}
		for _, l := range page {
			after, found = l.Place(), append(found, l.StateID)
		}
	}
	if found[0] != fmt.Sprintf("s%05d", all-1) || found[all-1] != "s00000" {
		t.Errorf("from %s to %s", found[0], found[all-1])
	}
}

// TestAgentsInPieces lists more agents than are held at once.
func TestAgentsInPieces(t *testing.T) {
	h := open(t)
	for i := range 40 {
		h.taken(strings.Replace(definition(), agentID, fmt.Sprintf("5f0c7a52-0c5d-4d5a-9a68-2f0c6a1f01%02d", i), 1))
	}
	for limit, want := range map[int]int{0: 40, 33: 33, 16: 16, 17: 17, 41: 40} {
		list, err := h.Agents(context.Background(), h.owner(), "", limit)
		if err != nil || len(list) != want {
			t.Errorf("%d of %d, %v", len(list), limit, err)
		}
	}
}

func isKeepable(err error) bool {
	_, ok := errors.AsType[*aaif.NotRunnableError](err)
	return ok
}

// TestHint says of a refusal that a definition can be kept all the same where it can, and
// leaves it to whoever shows it how that is asked for.
func TestHint(t *testing.T) {
	h := open(t)
	_, err := h.intake(definition(`"constraints":["Never pay."]`))
	if !isKeepable(err) || strings.Contains(err.Error(), "--keep") || strings.Contains(err.Error(), "keep=") {
		t.Errorf("AAIF-7-12: got %v", err)
	}
	late := open(t, func(o *agents.Options) { o.Running.ExpiresAt = start.Add(time.Hour) })
	late.now = late.now.AddDate(0, 0, 1)
	_, err = late.intake(definition(`"constraints":["Never pay."]`))
	if aaif.CodeOf(err) != aaif.NegotiationStale || isKeepable(err) {
		t.Errorf("AAIF-U.U-2: it is advised to keep it by a manifest that has expired: %v", err)
	}
}
