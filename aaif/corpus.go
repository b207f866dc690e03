package aaif

import (
	"errors"
	"time"

	"github.com/satchel-memory/satchel/codec"
)

// Fixture is a document of a conformance corpus (section 6).
type Fixture struct {
	Name  string // unique in its corpus
	Valid bool   // whether it has to be taken; otherwise it has to be refused
	Raw   []byte
}

// Misjudged is a fixture that was judged otherwise than it has to be.
type Misjudged struct {
	Name  string
	Valid bool
	Found []*codec.ParseError // of a valid one: why it was refused
}

// RunCorpus judges the fixtures of a corpus, and returns the run, for a claim, with what
// was misjudged (AAIF-6-12, AAIF-6-20). Formats are annotations (decision R2); at is
// when it is run.
func (v *Validator) RunCorpus(corpus string, fixtures []Fixture, at time.Time) (Suite, []Misjudged) {
	run := Suite{Corpus: corpus, Total: len(fixtures), RanAt: at}
	var wrong []Misjudged
	for _, f := range fixtures {
		found := v.judgeRaw(f.Raw)
		if Refused(found) == f.Valid {
			wrong = append(wrong, Misjudged{Name: f.Name, Valid: f.Valid, Found: found})
		}
	}
	run.Passed = run.Total - len(wrong)
	return run, wrong
}

// judgeRaw reads and validates a document.
func (v *Validator) judgeRaw(raw []byte) []*codec.ParseError {
	d, err := Read(raw, ReadOptions{})
	if err != nil {
		return []*codec.ParseError{asParseError(err)}
	}
	return v.Validate(d)
}

// asParseError returns the error of a document that cannot be read.
func asParseError(err error) *codec.ParseError {
	if p, ok := errors.AsType[*codec.ParseError](err); ok {
		return p
	}
	return fault(NotJSON, "9-1", "", "%v", err)
}
