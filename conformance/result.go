package conformance

import (
	"errors"
	"time"
)

// Outcome is what became of a row.
type Outcome string

// The outcomes.
const (
	Pass          Outcome = "pass"
	Fail          Outcome = "fail"
	Warn          Outcome = "warn"           // fails a strict run
	Blocked       Outcome = "blocked"        // what it needs does not work; the rows of that fail
	NotTried      Outcome = "not tried"      // the run was not given what it takes
	NotApplicable Outcome = "not applicable" // cannot be seen over HTTP, or does not concern this server
)

// Result is one row of the requirements.
type Result struct {
	ID      string        `json:"id"`                // "UMP-3.2-7"
	Keyword string        `json:"keyword"`           // MUST, MUST NOT, SHOULD, SHOULD NOT, MAY, or IMPLIED
	Level   string        `json:"level"`             // the lowest that asks for it
	Section string        `json:"section,omitempty"` // "3.2"
	Title   string        `json:"title"`
	Outcome Outcome       `json:"outcome"`
	Message string        `json:"message,omitempty"` // why, unless it passed
	Took    time.Duration `json:"-"`
}

// Skipped is the error of a row that could not be tried, or need not be.
type Skipped struct {
	Outcome Outcome
	Reason  string
}

// Error returns the reason.
func (s *Skipped) Error() string { return s.Reason }

// Lacks ends a row for which the run was not given what it takes.
func Lacks(reason string) error { return &Skipped{NotTried, reason} }

// NotOffered ends a row about what a server need not offer.
func NotOffered(what string) error {
	return &Skipped{NotApplicable, "the server does not offer " + what}
}

// IsSkipped reports whether an error says that something could not be tried.
func IsSkipped(err error) bool {
	_, skip := errors.AsType[*Skipped](err)
	return skip
}

// Judge says what the error of a row means. Rows of MUST and MUST NOT count, in a
// strict run those of every keyword.
func Judge(err error, keyword string, strict bool) (Outcome, string) {
	if err == nil {
		return Pass, ""
	}
	if s, ok := errors.AsType[*Skipped](err); ok {
		return s.Outcome, s.Reason
	}
	if strict || keyword == "MUST" || keyword == "MUST NOT" {
		return Fail, err.Error()
	}
	return Warn, err.Error()
}

// First returns the first error there is.
func First(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
