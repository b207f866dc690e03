package conformance_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/satchel-memory/satchel/conformance"
)

// tries counts what was tried, and ends the context at one row.
type tries struct {
	tried []string
	end   func()
}

// check is named as a suite names it.
type check conformance.Check[*tries]

func course() conformance.Course[*tries, check] {
	row := func(id, keyword string) conformance.Result {
		return conformance.Result{ID: id, Keyword: keyword, Level: "L1", Section: conformance.Section(id), Title: "Of " + id + "."}
	}
	try := func(id string, err error) check {
		return check{id, func(r *tries) error {
			r.tried = append(r.tried, id)
			if r.end != nil && id == "X-2-1" {
				r.end()
			}
			return err
		}}
	}
	noon := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	return conformance.Course[*tries, check]{
		Rows:   []conformance.Result{row("X-1-1", "MUST"), row("X-1-2", "SHOULD"), row("X-2-1", "MUST"), row("X-2-2", "MAY")},
		Checks: []check{try("X-1-2", errors.New("broken")), try("X-2-1", nil), try("X-1-1", errors.New("broken"))},
		Absent: []conformance.Absence{{"X-2-2", "nobody sees it"}},
		Now:    func() time.Time { noon = noon.Add(time.Second); return noon },
	}
}

func TestCourse(t *testing.T) {
	what := func(l conformance.Log) (said []string) {
		for _, r := range l.Results {
			said = append(said, strings.TrimSpace(r.ID+" "+string(r.Outcome)+" "+r.Message))
		}
		return said
	}
	for _, c := range []struct {
		name   string
		only   []string
		strict bool
		ends   bool
		want   []string
	}{
		{"all, in the order of the checks", nil, false, false, []string{"X-1-2 warn broken", "X-2-1 pass", "X-1-1 fail broken", "X-2-2 not applicable nobody sees it"}},
		{"strictly", nil, true, false, []string{"X-1-2 fail broken", "X-2-1 pass", "X-1-1 fail broken", "X-2-2 not applicable nobody sees it"}},
		{"a section", []string{"X-2"}, false, false, []string{"X-2-1 pass", "X-2-2 not applicable nobody sees it"}},
		{"until the context ends", nil, false, true, []string{"X-1-2 warn broken"}},
		{"nothing", []string{"Y"}, false, false, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var log conformance.Log
			r, way := &tries{}, course()
			if way.Only, way.Strict = c.only, c.strict; c.ends {
				r.end = cancel
			}
			way.Run(ctx, r, &log)
			if d := cmp.Diff(c.want, what(log)); d != "" {
				t.Error(d)
			}
			for _, got := range log.Results {
				if d := cmp.Diff(rowOf(way.Rows, got.ID), got, cmpopts.IgnoreFields(conformance.Result{}, "Outcome", "Message", "Took")); d != "" {
					t.Error(d)
				}
				if took := got.Took; (took == time.Second) != (got.Outcome != conformance.NotApplicable) {
					t.Errorf("%s took %v", got.ID, took)
				}
			}
		})
	}
}

func rowOf(rows []conformance.Result, id string) conformance.Result {
	for _, w := range rows {
		if w.ID == id {
			return w
		}
	}
	return conformance.Result{}
}

func TestGaps(t *testing.T) {
	if gaps := course().Gaps(); len(gaps) > 0 {
		t.Errorf("%q", gaps)
	}
	c := course()
	c.Checks = append(c.Checks[1:], check{ID: "X-2-2"}, check{ID: "X-3-1"})
	c.Absent = append(c.Absent, conformance.Absence{"X-3-2", ""})
	want := []string{"X-1-2 is tried or explained 0 times", "X-2-2 is tried or explained 2 times", "X-3-1 is no requirement", "X-3-2 is no requirement", "X-3-2 is not tried for no reason"}
	if d := cmp.Diff(want, c.Gaps()); d != "" {
		t.Error(d)
	}
}

func TestNames(t *testing.T) {
	for only, want := range map[string]bool{"X-1-1": true, "X-2": true, "X-3": false, "X-1-11": false} {
		if conformance.Names(course().Rows, only) != want {
			t.Errorf("%s: %v", only, !want)
		}
	}
	for id, want := range map[string]string{"X-3.2-7": "3.2", "X-3.9-CORR-4": "3.9", "X": ""} {
		if got := conformance.Section(id); got != want {
			t.Errorf("%s is of %q", id, got)
		}
	}
}

func TestStart(t *testing.T) {
	tokenless := errors.New("a token is needed")
	for _, c := range []struct {
		name, address, token, random string
		now                          func() time.Time
		want                         string
	}{
		{"all there", "http://a.example/", "t", "\x00\x01\x0d\x0e\xff\x02\x03\x04\x05", time.Now, ""},
		{"no clock", "http://a.example/", "t", "123456789", nil, "Target.Now"},
		{"no randomness", "http://a.example/", "t", "", time.Now, "drawing"},
		{"no address", "nowhere", "t", "123456789", time.Now, "address"},
		{"no token", "http://a.example/", "", "123456789", time.Now, "a token is needed: there is none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			base, word, err := conformance.Start(c.address, c.token, tokenless, c.now, strings.NewReader(c.random))
			if c.want == "" && (base != "http://a.example" || word != "bcbcqfhjk" || err != nil) {
				t.Errorf("%q %q %v", base, word, err)
			}
			if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || base+word != "") || errors.Is(err, tokenless) != (c.token == "") {
				t.Errorf("%q %q %v", base, word, err)
			}
		})
	}
	if _, _, err := conformance.Start("http://a.example", "t", tokenless, time.Now, nil); err == nil {
		t.Error("it starts without randomness")
	}
}

// TestImplied makes rows of IMPLIED count, and no others.
func TestImplied(t *testing.T) {
	for implied, want := range map[bool]conformance.Outcome{false: conformance.Warn, true: conformance.Fail} {
		c := course()
		c.Rows[0].Keyword, c.Implied = "IMPLIED", implied
		var log conformance.Log
		c.Run(t.Context(), &tries{}, &log)
		for _, r := range log.Results {
			if r.ID == "X-1-1" && r.Outcome != want || r.ID == "X-1-2" && r.Outcome != conformance.Warn {
				t.Errorf("%s: %s", r.ID, r.Outcome)
			}
		}
	}
}
