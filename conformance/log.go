package conformance

import (
	"fmt"
	"io"
)

// Log holds what became of the rows of a run.
type Log struct {
	Report  func(Result) // is told of each as soon as it is known; nil: nobody is
	Results []Result
}

// Note takes down what became of a row.
func (l *Log) Note(r Result) {
	l.Results = append(l.Results, r)
	if l.Report != nil {
		l.Report(r)
	}
}

// Tally sums up a run that was asked for the rows of only, see [Wants].
func (l *Log) Tally(only []string) Tally {
	t := Tally{Counts: map[Outcome]int{}, Partial: len(only) > 0, Rows: l.Results}
	for _, r := range l.Results {
		t.Counts[r.Outcome]++
		switch r.Outcome {
		case Fail, Blocked:
			t.Failed = append(t.Failed, r)
		case NotTried:
			t.Partial = true
		}
	}
	return t
}

// Tally is the sum of a run.
type Tally struct {
	Rows    []Result        // in the order in which they were tried
	Counts  map[Outcome]int // of rows
	Failed  []Result        // those that make the run fail
	Partial bool            // rows were not asked for, or not tried
}

// OK reports whether what was tried is kept.
func (t Tally) OK() bool { return len(t.Failed) == 0 && t.Counts[Pass] > 0 }

// Letters leave out those that endings and plurals are made of, so that no stemmer
// touches a word.
const Letters = "bcfhjkmpqvwxz"

// Word draws a word of nine [Letters] that sets a run apart from others.
func Word(random io.Reader) (string, error) {
	var b [9]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", fmt.Errorf("drawing a name for the run: %w", err)
	}
	for i, n := range b {
		b[i] = Letters[int(n)%len(Letters)]
	}
	return string(b[:]), nil
}
