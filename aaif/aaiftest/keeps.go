package aaiftest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/memory"
)

// Keeps tests that a platform without content keeps definitions as [aaif.Backend] says:
// the latest is the newest, lists continue where they stopped, and removed agents are
// gone. Every platform has this test, also the one in memory.
func Keeps(t *testing.T, b aaif.Backend, c memory.Caller) {
	first, second := Definition(AgentID, ""), Definition(AgentID, "standard")
	take := func(raw []byte) aaif.Receipt {
		t.Helper()
		r, err := b.Intake(t.Context(), c, raw, aaif.IntakeOptions{Keep: true})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	t.Run("AAIF-4.1-6_the_definition_that_came_last_is_the_newest", func(t *testing.T) {
		var got []string
		for _, raw := range [][]byte{first, first, second, first, first, second} {
			r := take(raw)
			newest, err := b.Agent(t.Context(), c, AgentID, 0)
			if err != nil || newest.Digest != r.Kept.Digest || newest.Revision != r.Kept.Revision {
				t.Errorf("the newest is %+v, %v", newest, err)
			}
			got = append(got, fmt.Sprint(r.Kept.Revision, r.Unchanged))
		}
		if want := "1 false,1 true,2 false,3 false,3 true,4 false"; strings.Join(got, ",") != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
	t.Run("AAIF-4.1-2_without_an_id_too", func(t *testing.T) {
		nameless := Definition("", "")
		id := take(nameless).Kept.AgentID
		if r := take(nameless); !r.Unchanged || r.Kept.AgentID != id {
			t.Errorf("again it is %+v", r.Kept)
		}
		if r := take(Definition(id, "standard")); r.Kept.Revision != 2 {
			t.Errorf("the next is %+v", r.Kept)
		}
		if r := take(nameless); r.Unchanged || r.Kept.AgentID != id || r.Kept.Revision != 3 {
			t.Errorf("once more it is %+v", r.Kept)
		}
		testRemoval(t, b, c, id, aaif.Removal{Revisions: 3})
	})
	t.Run("lists_go_on_where_they_left_off", func(t *testing.T) {
		for i := range 3 {
			take(Definition(fmt.Sprintf("00000000-1111-4000-8000-%012d", i), ""))
		}
		var ids []string
		for after := ""; ; after = ids[len(ids)-1] {
			page, err := b.Agents(t.Context(), c, after, 3)
			if err != nil {
				t.Fatal(err)
			}
			for _, k := range page {
				ids = append(ids, k.AgentID)
			}
			if len(page) < 3 {
				break
			}
		}
		if len(ids) != 4 || ids[3] != AgentID {
			t.Errorf("got %q", ids)
		}
		testRemoval(t, b, c, ids[0], aaif.Removal{Revisions: 1})
		if _, err := b.RemoveState(t.Context(), c, "unknown"); memory.KindOf(err) != memory.NotFound {
			t.Errorf("got %v", err)
		}
	})
}

// testRemoval removes an agent, and checks that none is left.
func testRemoval(t *testing.T, b aaif.Backend, c memory.Caller, id string, want aaif.Removal) {
	t.Helper()
	got, err := b.RemoveAgent(t.Context(), c, id)
	if got.Pending = false; err != nil || got != want {
		t.Errorf("removed %+v, %v", got, err)
	}
	if _, err := b.Agent(t.Context(), c, id, 0); memory.KindOf(err) != memory.NotFound {
		t.Errorf("got %v", err)
	}
	if _, err := b.RemoveAgent(t.Context(), c, id); memory.KindOf(err) != memory.NotFound {
		t.Errorf("again: %v", err)
	}
}
