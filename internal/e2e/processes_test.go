package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

// stored lists every text in the store.
func (h *home) stored() map[string]bool {
	h.Helper()
	all := map[string]bool{}
	var records []struct {
		Body struct{ Text string } `json:"body"`
	}
	if err := json.Unmarshal([]byte(h.run("export", "-q")), &records); err != nil {
		h.Fatal(err)
	}
	for _, r := range records {
		all[r.Body.Text] = true
	}
	return all
}

// TestProcesses has eight processes write to one store at once. What was
// acknowledged is there, and none of it was refused.
func TestProcesses(t *testing.T) {
	t.Parallel()
	const processes, writes = 8, 50
	h := newHome(t)
	var wg sync.WaitGroup
	for p := range processes {
		s := h.connect()
		wg.Go(func() {
			defer s.Close()
			for i := range writes {
				answer, err := s.call("ump.remember", fmt.Sprintf(`{"record":{"body":{"text":"fact %d of process %d"}}}`, i, p))
				if err != nil || answer["result"] != "created" {
					t.Errorf("process %d, fact %d: %v, %v", p, i, answer, err)
					return
				}
			}
		})
	}
	wg.Wait()
	all := h.stored()
	if len(all) != processes*writes {
		t.Fatalf("%d facts are stored, want %d", len(all), processes*writes)
	}
	s := h.connect()
	defer s.Close()
	for range 20 { // and found
		want := fmt.Sprintf("fact %d of process %d", rand.IntN(writes), rand.IntN(processes))
		found := texts(s.must("ump.recall", `{"query":"`+want+`","limit":50}`))
		if len(found) == 0 {
			t.Fatalf("%q is not found", want)
		}
	}
	if out, errs, err := h.try("doctor"); err != nil {
		t.Fatalf("doctor: %v\n%s%s", err, out, errs)
	}
}

// TestKilled kills a process in the middle of its writes while others go on.
func TestKilled(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for round := range 3 {
		var mu sync.Mutex
		acknowledged := map[string]bool{}
		write := func(s *session, who string, n int) error {
			for i := range n {
				text := fmt.Sprintf("round %d: %s says %d", round, who, i)
				if _, err := s.call("ump.remember", `{"record":{"body":{"text":"`+text+`"}}}`); err != nil {
					return err
				}
				mu.Lock()
				acknowledged[text] = true
				mu.Unlock()
			}
			return nil
		}
		victim, other := h.connect(), h.connect()
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := write(victim, "the victim", 1<<20); err == nil {
				t.Error("the victim was never killed")
			}
		})
		wg.Go(func() {
			if err := write(other, "the other", 100); err != nil {
				t.Errorf("another process was disturbed: %v", err)
			}
		})
		time.Sleep(time.Duration(200+rand.IntN(200)) * time.Millisecond)
		if err := victim.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		wg.Wait()
		_ = victim.Close() // it is dead
		_ = other.Close()
		all := h.stored()
		for text := range acknowledged {
			if !all[text] {
				t.Fatalf("%q was acknowledged and is lost", text)
			}
		}
	}
}
