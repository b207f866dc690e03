package trial_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/internal/trial"
)

func TestLog(t *testing.T) {
	rows := func(outcomes ...trial.Outcome) (list []trial.Result) {
		for _, o := range outcomes {
			list = append(list, trial.Result{ID: "X-1", Outcome: o})
		}
		return list
	}
	for _, c := range []struct {
		name    string
		rows    []trial.Result
		only    []string
		failed  int
		partial bool
		ok      bool
	}{
		{"nothing tried", nil, nil, 0, false, false},
		{"all kept", rows(trial.Pass, trial.NotApplicable), nil, 0, false, true},
		{"a warning", rows(trial.Pass, trial.Warn), nil, 0, false, true},
		{"one fails", rows(trial.Pass, trial.Fail), nil, 1, false, false},
		{"one fails and another cannot be told", rows(trial.Pass, trial.Fail, trial.Blocked), nil, 2, false, false},
		{"one not tried", rows(trial.Pass, trial.NotTried), nil, 0, true, true},
		{"some asked for", rows(trial.Pass), []string{"X-1"}, 0, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var told []trial.Result
			l := trial.Log{Report: func(r trial.Result) { told = append(told, r) }}
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
		var l trial.Log
		l.Note(trial.Result{Outcome: trial.Pass})
		if s := l.Tally(nil); s.Counts[trial.Pass] != 1 {
			t.Errorf("%+v", s)
		}
	})
}

func TestWord(t *testing.T) {
	if got, err := trial.Word(strings.NewReader("\x00\x01\x0d\x0e\xff\x02\x03\x04\x05")); got != "bcbcqfhjk" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := trial.Word(strings.NewReader("short")); got != "" || err == nil {
		t.Errorf("%q, %v", got, err)
	}
}
