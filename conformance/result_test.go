package conformance

import (
	"errors"
	"fmt"
	"testing"
)

func TestJudge(t *testing.T) {
	broken := errors.New("broken")
	for _, test := range []struct {
		name    string
		err     error
		keyword string
		strict  bool
		want    Outcome
	}{
		{"kept", nil, "MUST", true, Pass},
		{"a MUST", broken, "MUST", false, Fail},
		{"a MUST NOT", broken, "MUST NOT", false, Fail},
		{"a SHOULD", broken, "SHOULD", false, Warn},
		{"a SHOULD that counts", broken, "SHOULD", true, Fail},
		{"not tried", fmt.Errorf("the row: %w", Lacks("no token")), "MUST", true, NotTried},
		{"not offered", NotOffered("streams"), "MUST", true, NotApplicable},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, message := Judge(test.err, test.keyword, test.strict)
			if got != test.want || (message == "") != (test.err == nil) {
				t.Errorf("%s, %q", got, message)
			}
			if IsSkipped(test.err) != (got == NotTried || got == NotApplicable) {
				t.Error("skipped is another thing than not tried")
			}
		})
	}
}

func TestFirst(t *testing.T) {
	a, b := errors.New("a"), errors.New("b")
	if First(nil, a, b) != a || First(nil, nil) != nil {
		t.Error("it is not the first")
	}
}
