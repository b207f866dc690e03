package agents_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/agents"
)

// TestTogether lets two vaults use one store, each with connections of its own, as two
// processes do.
func TestTogether(t *testing.T) {
	for name, kind := range raw {
		t.Run("AAIF-8.2-8 of two servers that are brought a token at once one takes it "+name, func(t *testing.T) {
			open, _ := kind(t)
			s := sending(t, over(t, open))
			second := open(t, s.seal)
			defer func() { _ = second.Close() }()
			_, other := s.house.over(second, s.holds)
			for round := range 12 {
				v := s.sealed(s.checkpoint().With("state_id", canon.String(fmt.Sprintf("7a1d8f10-93a1-4c0f-8f54-0d5d0f3b%04d", round))), s.key)
				landed := s.race(v, s.Service, other)
				if landed[0]+landed[1] != 1 {
					t.Fatalf("round %d: %d and %d landed", round, landed[0], landed[1])
				}
				for _, service := range []*agents.Service{s.Service, other} {
					if _, err := service.Receive(context.Background(), s.owner(), v); aaif.CodeOf(err) != aaif.TokenReplayed {
						t.Errorf("afterwards: %v", err)
					}
				}
			}
			for _, service := range []*agents.Service{s.Service, other} {
				if list, err := service.States(context.Background(), s.owner(), "", aaif.Place{}, 0); err != nil || len(list) != 12 {
					t.Errorf("%d states, %v", len(list), err)
				}
			}
		})
	}
}

// race brings a state to two services at once, twice each, and counts how often it has
// landed at either.
func (s *source) race(v canon.Value, services ...*agents.Service) [2]int {
	s.t.Helper()
	var landed [2]int
	var mu sync.Mutex
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i, service := range services {
		for range 2 {
			wg.Go(func() {
				<-start
				_, err := service.Receive(context.Background(), s.owner(), v)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					landed[i]++
				case aaif.CodeOf(err) != aaif.TokenReplayed:
					s.t.Errorf("got %v", err)
				}
			})
		}
	}
	close(start)
	wg.Wait()
	return landed
}
