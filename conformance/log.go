package conformance

import (
	"fmt"
	"io"
)

// Log holds the outcomes of a run's rows.
type Log struct {
	Report  func(Result) // gets each result as soon as it is known; nil: nobody does
	Results []Result
}

// Note logs the outcome of a row.
func (l *Log) Note(r Result) {
	l.Results = append(l.Results, r)
	if l.Report != nil {
		l.Report(r)
	}
}

// Tally sums up a run of the rows that only names, see [Wants].
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
	Failed  []Result        // rows that make the run fail
	Partial bool            // some rows were not requested or not tried
}

// OK reports whether the server keeps every tried row.
func (t Tally) OK() bool { return len(t.Failed) == 0 && t.Counts[Pass] > 0 }

// Letters leave out the letters of endings and plurals, so that no stemmer changes a word.
const Letters = "bcfhjkmpqvwxz"

// Word draws a word of nine [Letters] that tells a run from others.
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
