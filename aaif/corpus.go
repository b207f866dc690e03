package aaif

import (
	"errors"
	"time"

	"github.com/satchel-memory/satchel/codec"
)

// Fixture is a document of a conformance corpus (section 6).
type Fixture struct {
	Name  string // unique in its corpus
	Valid bool   // a validator must accept it; otherwise it must refuse it
	Raw   []byte
}

// Misjudgement is a fixture on which the validator decided wrongly.
type Misjudgement struct {
	Name  string
	Valid bool
	Found []*codec.ParseError // why a valid fixture was refused
}

// RunCorpus validates the fixtures of a corpus. It returns the run, for a claim, and the
// fixtures that were decided wrongly (AAIF-6-12, AAIF-6-20). Formats are annotations
// (decision R2); at is the time of the run.
func (v *Validator) RunCorpus(corpus string, fixtures []Fixture, at time.Time) (Suite, []Misjudgement) {
	run := Suite{Corpus: corpus, Total: len(fixtures), RanAt: at}
	var wrong []Misjudgement
	for _, f := range fixtures {
		found := v.checkRaw(f.Raw)
		if HasErrors(found) == f.Valid {
			wrong = append(wrong, Misjudgement{Name: f.Name, Valid: f.Valid, Found: found})
		}
	}
	run.Passed = run.Total - len(wrong)
	return run, wrong
}

// checkRaw reads and validates a document.
func (v *Validator) checkRaw(raw []byte) []*codec.ParseError {
	d, err := Read(raw, ReadOptions{})
	if err != nil {
		return []*codec.ParseError{asParseError(err)}
	}
	return v.Validate(d)
}

// asParseError returns the error of an unreadable document.
func asParseError(err error) *codec.ParseError {
	if p, ok := errors.AsType[*codec.ParseError](err); ok {
		return p
	}
	return fault(NotJSON, "9-1", "", "%v", err)
}
