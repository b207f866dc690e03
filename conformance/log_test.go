package conformance_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/conformance"
)

func TestLog(t *testing.T) {
	rows := func(outcomes ...conformance.Outcome) (list []conformance.Result) {
		for _, o := range outcomes {
			list = append(list, conformance.Result{ID: "X-1", Outcome: o})
		}
		return list
	}
	for _, c := range []struct {
		name    string
		rows    []conformance.Result
		only    []string
		failed  int
		partial bool
		ok      bool
	}{
		{"nothing tried", nil, nil, 0, false, false},
		{"all kept", rows(conformance.Pass, conformance.NotApplicable), nil, 0, false, true},
		{"a warning", rows(conformance.Pass, conformance.Warn), nil, 0, false, true},
		{"one fails", rows(conformance.Pass, conformance.Fail), nil, 1, false, false},
		{"one fails and another cannot be told", rows(conformance.Pass, conformance.Fail, conformance.Blocked), nil, 2, false, false},
		{"one not tried", rows(conformance.Pass, conformance.NotTried), nil, 0, true, true},
		{"some asked for", rows(conformance.Pass), []string{"X-1"}, 0, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var told []conformance.Result
			l := conformance.Log{Report: func(r conformance.Result) { told = append(told, r) }}
			for _, r := range c.rows {
				l.Note(r)
			}
			s := l.Tally(c.only)
			if len(s.Failed) != c.failed || s.Partial != c.partial || s.OK() != c.ok {
				t.Errorf("%+v", s)
			}
			if d := cmp.Diff(c.rows, told); d != "" {
				t.Error(d)
			}
		})
	}
	t.Run("nobody is told", func(t *testing.T) {
		var l conformance.Log
		l.Note(conformance.Result{Outcome: conformance.Pass})
		if s := l.Tally(nil); s.Counts[conformance.Pass] != 1 {
			t.Errorf("%+v", s)
		}
	})
}

func TestWord(t *testing.T) {
	if got, err := conformance.Word(strings.NewReader("\x00\x01\x0d\x0e\xff\x02\x03\x04\x05")); got != "bcbcqfhjk" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := conformance.Word(strings.NewReader("short")); got != "" || err == nil {
		t.Errorf("%q, %v", got, err)
	}
}
