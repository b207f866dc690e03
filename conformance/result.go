package conformance

import (
	"errors"
	"time"
)

// Outcome is the outcome of a row.
type Outcome string

// The outcomes.
const (
	Pass          Outcome = "pass"
	Fail          Outcome = "fail"
	Warn          Outcome = "warn"           // fails a strict run
	Blocked       Outcome = "blocked"        // something that the row needs does not work; rows about that thing fail
	NotTried      Outcome = "not tried"      // the run lacks something that the row needs
	NotApplicable Outcome = "not applicable" // HTTP does not show it, or it does not concern this server
)

// Result is one row of the requirements.
type Result struct {
	ID      string        `json:"id"`                // "UMP-3.2-7"
	Keyword string        `json:"keyword"`           // MUST, MUST NOT, SHOULD, SHOULD NOT, MAY or IMPLIED
	Level   string        `json:"level"`             // the lowest level that demands the row
	Section string        `json:"section,omitempty"` // "3.2"
	Title   string        `json:"title"`
	Outcome Outcome       `json:"outcome"`
	Message string        `json:"message,omitempty"` // the reason, unless the row passed
	Took    time.Duration `json:"-"`
}

// Skipped is the error of a row that the run could not try, or need not try.
type Skipped struct {
	Outcome Outcome
	Reason  string
}

// Error returns the reason.
func (s *Skipped) Error() string { return s.Reason }

// Lacks ends a row because the run lacks something that the row needs.
func Lacks(reason string) error { return &Skipped{NotTried, reason} }

// NotOffered ends a row about something that a server need not offer.
func NotOffered(what string) error {
	return &Skipped{NotApplicable, "the server does not offer " + what}
}

// IsSkipped reports whether an error says that the run could not try something.
func IsSkipped(err error) bool {
	_, skip := errors.AsType[*Skipped](err)
	return skip
}

// Judge turns the error of a row into an outcome. Rows of MUST and MUST NOT count; in a
// strict run rows of every keyword count.
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

// First returns the first error that is not nil.
func First(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
