package bundle

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestLinesAreSorted: lines come back in order, however many runs they make.
func TestLinesAreSorted(t *testing.T) {
	for _, many := range []int{0, 1, 100, 60_000} {
		s, err := newLineSorter(nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(many) {
			if err := s.add(fmt.Sprintf("%06d of the lines that are sorted", i)); err != nil {
				t.Fatal(err)
			}
		}
		n := 0
		err = s.each(func(line string) error {
			if want := fmt.Sprintf("%06d of the lines that are sorted", n); line != want {
				return fmt.Errorf("line %q, want %q", line, want)
			}
			n++
			return nil
		})
		if err != nil || n != many {
			t.Errorf("%d of %d lines: %v", n, many, err)
		}
		if many == 60_000 && len(s.runs) < 2 {
			t.Errorf("%d lines made %d runs: nothing was merged", many, len(s.runs))
		}
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}
}

// TestLinesStop: an error of the receiver ends the walk, and is returned as it is.
func TestLinesStop(t *testing.T) {
	s, err := newLineSorter(nil)
	if err == nil {
		err = errors.Join(s.add("b"), s.add("a"))
	}
	if err != nil {
		t.Fatal(err)
	}
	enough := errors.New("enough")
	if err := s.each(func(line string) error {
		if line != "a" {
			t.Errorf("the first line is %q", line)
		}
		return enough
	}); err != enough {
		t.Errorf("the walk ended with %v", err)
	}
}
