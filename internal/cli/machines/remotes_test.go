package machines

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// A write is due at every remote, also at those after the first.
func TestWriteIsDueEverywhere(t *testing.T) {
	now := time.Now()
	k := &backgroundSync{dirty: true, written: now.Add(-time.Minute), due: map[string]time.Time{"stick": now.Add(time.Hour), "server": now.Add(time.Hour), "failing": now.Add(time.Hour)}}
	due := k.allDue([]remote{{Name: "stick"}, {Name: "server"}, {Name: "failing", Fails: 1}}, now)
	if len(due) != 2 || due[0].Name != "stick" || due[1].Name != "server" {
		t.Errorf("due are %v", due)
	}
	k.dirty = false
	if due := k.allDue([]remote{{Name: "stick"}, {Name: "server"}}, now); len(due) != 0 {
		t.Errorf("without a write due are %v", due)
	}
}

// A full list drops the remote that was met longest ago, and never one that the owner added.
func TestRemotesThatWereMetOnce(t *testing.T) {
	s := &ownerState{}
	if err := s.add(remote{Name: "added", Address: "/added"}); err != nil {
		t.Fatal(err)
	}
	for n := range mostRemotes + 3 {
		address := fmt.Sprintf("/%d/stick", n)
		s.addOnce(remote{Name: s.freeName("stick"), Address: address, Once: true, Met: time.Unix(int64(n), 0)})
	}
	if len(s.Remotes) != mostRemotes || len(s.kept()) != 1 {
		t.Errorf("%d remotes are remembered, %d added", len(s.Remotes), len(s.kept()))
	}
	if _, there := s.remote("/3/stick"); there {
		t.Error("the one that was met longest ago is still there")
	}
	if last, there := s.remote(fmt.Sprintf("/%d/stick", mostRemotes+2)); !there || !last.Once {
		t.Error("the last one is not remembered")
	}
	names := map[string]bool{}
	for _, r := range s.Remotes {
		if names[r.Name] {
			t.Errorf("two remotes have the name %s", r.Name)
		}
		names[r.Name] = true
	}
	if err := s.add(remote{Name: "stick", Address: "/9/stick"}); err != nil {
		t.Fatal(err)
	}
	if added, _ := s.remote("/9/stick"); added.Once {
		t.Error("a remote that the owner adds is still met once")
	}
}

// TestErrorsOfARemoteAreBounded: a server that answers with megabytes of text does not make
// sync.json one that is not read again.
func TestErrorsOfARemoteAreBounded(t *testing.T) {
	h := newTestHome(t)
	out := outcome{}
	out.fail(errors.New(strings.Repeat("no ", 10<<20)))
	err := changeState(h, "did:key:a", func(s *ownerState) error {
		for n := range mostRemotes {
			s.Remotes = append(s.Remotes, remote{Name: fmt.Sprint(n), Failed: out.Error})
		}
		return nil
	})
	if s, failed := readState(h); err != nil || failed != nil || len(s.of("did:key:a").Remotes) != mostRemotes {
		t.Errorf("%v %v", err, failed)
	}
	err = changeState(h, "did:key:a", func(s *ownerState) error { s.Remotes[0].Failed = strings.Repeat("x", mostState); return nil })
	if s, failed := readState(h); err == nil || failed != nil || len(s.of("did:key:a").Remotes) != mostRemotes {
		t.Errorf("what nobody could read is written: %v %v", err, failed)
	}
}
