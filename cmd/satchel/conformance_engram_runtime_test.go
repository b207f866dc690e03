//go:build unix

package main

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/conformance"
	"github.com/satchel-memory/satchel/conformance/engramruntime"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/clitest"
	"github.com/satchel-memory/satchel/internal/transcript"
)

// TestEngramContextIsARuntime puts every requirement to the program's own runtime.
func TestEngramContextIsARuntime(t *testing.T) {
	t.Parallel()
	a, _, _ := clitest.Person(t, t.Context())
	start := func(ctx context.Context, c engramruntime.Call) (engramruntime.Said, error) {
		var out, log strings.Builder
		b := *a
		b.Ctx, b.Out, b.Err = ctx, &out, &log
		b.Env = func(name string) string {
			if said, ok := (map[string]string{"ENGRAM_TOKEN": c.Token, "ENGRAM_BASE_PROMPT": c.Base})[name]; ok {
				return said
			}
			return a.Env(name)
		}
		code := run(&b, []string{"engram", "context", c.URL, "--audience", c.Audience})
		return engramruntime.Said{Done: code == cli.ExitDone, Out: out.String(), Log: log.String()}, nil
	}
	t.Run("ENGRAM-3.8-14 ENGRAM-5-2 ENGRAM-5-6 engram context keeps every row", func(t *testing.T) {
		target := engramruntime.Target{Runtime: start, Audience: true, Strict: true, Now: time.Now, Random: rand.Reader}
		var passed []string
		s, err := engramruntime.Run(t.Context(), target, func(r conformance.Result) {
			if r.Outcome == conformance.Pass {
				passed = append(passed, r.ID)
			} else if r.Outcome != conformance.NotApplicable {
				t.Errorf("%s %s: %s", r.Outcome, r.ID, r.Message)
			}
		})
		slices.Sort(passed)
		transcript.Golden(t, "TestEngramContextIsARuntime.passed", []byte(strings.Join(passed, "\n")+"\n"))
		if err != nil || !s.OK() || s.Level != engramruntime.Full || s.Counts[conformance.Pass] < 40 {
			t.Errorf("%+v, %v", s, err)
		}
	})
}
