package engramruntime

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/conformance"
	engramsuite "github.com/satchel-memory/satchel/conformance/engram"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/keys"
)

// TestRun tries a runtime that does everything right, and one that does no more than
// the smallest.
func TestRun(t *testing.T) {
	careless := runtime{overlooks: []engram.Reason{
		engram.VersionRefused, engram.NotSigned, engram.MissingKid, engram.MalformedSignature, engram.IssuerMismatch, engram.NoKeys, engram.UnknownKid, engram.KeyExpired,
		engram.KeyNotYet, engram.BadSignature, engram.WrongAudience,
	}, raw: true}
	for _, test := range []struct {
		name string
		runtime
		level, reached Level
		ok             bool
	}{
		{"ENGRAM-6-5 everything is right", runtime{}, "", Full, true},
		{"the smallest, of which no more is asked", runtime{raw: true}, Minimal, Minimal, true},
		{"nothing is verified", careless, "", Minimal, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			target := target(test.runtime)
			target.Level = test.level
			s, err := Run(t.Context(), target, nil)
			if err != nil || s.OK() != test.ok || s.Level != test.reached || s.Tier != engram.ReaderTier || s.Partial {
				t.Errorf("%+v, %v", s, err)
			}
		})
	}
}

func TestEveryRowIsTriedOrExplained(t *testing.T) {
	times, listed := map[string]int{}, map[string]bool{}
	for _, c := range checks() {
		times[c.id]++
	}
	for _, a := range absent() {
		if times[a[0]]++; a[1] == "" {
			t.Errorf("%s is not tried for no reason", a[0])
		}
	}
	for _, w := range engramsuite.Rows() {
		listed[w.ID] = true
		if of := strings.HasPrefix(w.Message, "it is asked of whoever reads contexts"); of && times[w.ID] == 0 {
			t.Errorf("%s is asked of readers, and neither tried nor explained", w.ID)
		}
	}
	for id, n := range times {
		if n != 1 || !listed[id] {
			t.Errorf("%s is tried or explained %d times, or is no requirement", id, n)
		}
	}
}

func TestNotTried(t *testing.T) {
	t.Run("ENGRAM-3.7-22 not by a runtime that is not told its URI", func(t *testing.T) {
		target := target(runtime{})
		target.Audience, target.Only = false, []string{"ENGRAM-3.7"}
		var got []conformance.Result
		s, err := Run(t.Context(), target, func(r conformance.Result) { got = append(got, r) })
		if err != nil || !s.OK() || !s.Partial || len(got) != 2 || got[1].ID != "ENGRAM-3.7-22" || got[1].Outcome != conformance.NotApplicable || !strings.Contains(got[1].Message, "{audience}") {
			t.Errorf("%+v, %v", got, err)
		}
	})
	t.Run("what is a matter of choice is a warning", func(t *testing.T) {
		target := target(runtime{overdue: true})
		target.Strict, target.Only = false, []string{"ENGRAM-3.4-22"}
		if s, err := Run(t.Context(), target, nil); err != nil || len(s.Failed) > 0 || s.Counts[conformance.Warn] != 1 {
			t.Errorf("%+v, %v", s, err)
		}
	})
}

func TestNoRun(t *testing.T) {
	broken := errors.New("no such program")
	for _, test := range []struct {
		name    string
		runtime func(context.Context, Call) (Said, error)
		want    error
	}{
		{"a runtime that always fails", runtime{dislikes: "{"}.start, ErrRuntime},
		{"a runtime that prints no context", runtime{useless: true}.start, ErrRuntime},
		{"no program", func(context.Context, Call) (Said, error) { return Said{}, broken }, broken},
	} {
		t.Run(test.name, func(t *testing.T) {
			target := target(runtime{})
			target.Runtime = test.runtime
			if _, err := Run(t.Context(), target, nil); !errors.Is(err, test.want) {
				t.Errorf("%v", err)
			}
		})
	}
	if _, err := Run(t.Context(), Target{}, nil); err == nil {
		t.Error("ran without a runtime")
	}
	target, started := target(runtime{}), 0
	good := target.Runtime
	target.Runtime = func(ctx context.Context, c Call) (Said, error) {
		if started++; started > 3 {
			return Said{}, broken
		}
		return good(ctx, c)
	}
	if _, err := Run(t.Context(), target, nil); !errors.Is(err, broken) {
		t.Errorf("a program that went away: %v", err)
	}
}

func TestTries(t *testing.T) {
	for only, want := range map[string]bool{"ENGRAM-3.8-9": true, "ENGRAM-5": true, "ENGRAM-3.9-DIFF": true, "ENGRAM-3.9-ERR": false, "UMP-1-1": false} {
		if Tries(only) != want {
			t.Errorf("%s: %v", only, !want)
		}
	}
}

// TestRunIsBounded floods the store that is played.
func TestRunIsBounded(t *testing.T) {
	flood := func(_ context.Context, c Call) (Said, error) {
		for range mostAsked + 50 {
			a, err := http.Post(c.URL, "text/plain", strings.NewReader(strings.Repeat("x", maxBody+1000)))
			if err != nil {
				return Said{}, err
			}
			_ = a.Body.Close()
		}
		return Said{}, nil
	}
	r := &run{Target: target(runtime{}), ctx: t.Context()}
	r.Runtime, r.began, r.pairs = flood, r.Now(), map[string]keys.Private{}
	if err := r.draw(); err != nil {
		t.Fatal(err)
	}
	p, err := r.play(scene{})
	if err != nil {
		t.Fatal(err)
	}
	if asked := p.requests(); len(asked) != mostAsked || len(asked[0].body) != maxBody {
		t.Errorf("%d requests are remembered, of the first %d bytes", len(asked), len(asked[0].body))
	}
}
