package host_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
)

// TestSettingsAnew: what the owner revokes while a run waits is not used when it goes on.
func TestSettingsAnew(t *testing.T) {
	p := open(t, vaulttest.Open(t), script(asks("pay"), model.Step{Answer: "I may not."})...)
	p.take(oversight)
	now := p.options.Settings
	p.options.Fresh = func() (host.Settings, error) { return now, nil }
	p.Host = host.New(p.options)
	p.start()
	r := p.goOn()
	if _, err := p.Approve(p.Ctx, p.Me(), runID, "", r.Calls[0].Digest); err != nil {
		t.Fatal(err)
	}
	now.Tools.Grants = nil
	if r := p.goOn(); r.Output != "I may not." || p.tools.Counts()["pay"].Calls != 0 {
		t.Errorf("AAIF-12-2: got %s %q, %v", r.Status, r.Output, p.tools.Counts())
	}
}

// TestHeldWhileToolsOpen: a run stays held while its tools take longer than the lease to say
// what they offer.
func TestHeldWhileToolsOpen(t *testing.T) {
	p := open(t, vaulttest.Open(t), script(model.Step{Answer: "Done."})...)
	p.take()
	p.start()
	slow := p.options
	slow.Lease, slow.Fresh = time.Second, func() (host.Settings, error) { time.Sleep(1800 * time.Millisecond); return p.options.Settings, nil }
	done := make(chan run.Run, 1)
	go func() {
		r, err := host.New(slow).Continue(p.Ctx, p.Me(), runID, run.ContinueOptions{})
		if err != nil {
			t.Error(err)
		}
		done <- r
	}()
	time.Sleep(1300 * time.Millisecond)
	if _, err := host.New(p.options).Continue(p.Ctx, p.Me(), runID, run.ContinueOptions{}); !errors.Is(err, run.ErrHeld) {
		t.Errorf("another takes it: %v", err)
	}
	if r := <-done; r.Output != "Done." {
		t.Errorf("got %s %q", r.Status, r.Output)
	}
}

// TestSameSettings: a run goes on with the settings that it was started with, and with no
// others.
func TestSameSettings(t *testing.T) {
	p := open(t, vaulttest.Open(t), script(model.Step{Answer: "Done."})...)
	p.take()
	usual := p.Host
	p.options.Flags = []string{"--rules=/other.json"}
	other := host.New(p.options)
	if _, err := other.Start(p.Ctx, p.Me(), host.Start{RunID: runID, Agent: agentID, Input: canon.String("x")}); err != nil {
		t.Fatal(err)
	}
	_, err := usual.Continue(p.Ctx, p.Me(), runID, run.ContinueOptions{Resumes: true})
	if aaif.CodeOf(err) != "SETTINGS_DIFFER" || !strings.Contains(err.Error(), "--rules=/other.json") || len(p.model.Requests()) != 0 {
		t.Errorf("got %v, %d requests", err, len(p.model.Requests()))
	}
	if r, err := other.Continue(p.Ctx, p.Me(), runID, run.ContinueOptions{Resumes: true}); err != nil || r.Output != "Done." {
		t.Errorf("got %q, %v", r.Output, err)
	}
}

// TestNothingStarts: an agent that cannot be asked anything is refused before it starts.
func TestNothingStarts(t *testing.T) {
	p := open(t, vaulttest.Open(t))
	p.take()
	p.options.Settings.Models.Providers[0].Name = "another"
	p.Host = host.New(p.options)
	_, err := p.Host.Start(p.Ctx, p.Me(), host.Start{RunID: runID, Agent: agentID, Input: canon.String("x")})
	if aaif.CodeOf(err) != "PROVIDER_UNCONFIGURED" {
		t.Errorf("AAIF-4.2-19: got %v", err)
	}
	if _, _, err := p.Get(p.Ctx, p.Me(), runID); err == nil {
		t.Error("the run is kept")
	}
}

// TestBrokenRunRests: a run that cannot go on is not tried without end, and keeps no other
// from going on.
func TestBrokenRunRests(t *testing.T) {
	t.Parallel() // most of it is waiting
	p := open(t, vaulttest.Open(t), script(model.Step{Answer: "Done."})...)
	p.take()
	p.options.Flags = []string{"--rules=/other.json"}
	other := host.New(p.options)
	if _, err := other.Start(p.Ctx, p.Me(), host.Start{RunID: runID, Agent: agentID, Input: canon.String("x")}); err != nil {
		t.Fatal(err)
	}
	said := &warningCounter{}
	p.options.Flags, p.options.Log = nil, slog.New(said)
	p.Host = host.New(p.options)
	const well = "21111111-2222-4333-8444-555555555555"
	if _, err := p.Host.Start(p.Ctx, p.Me(), host.Start{RunID: well, Agent: agentID, Input: canon.String("x")}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(p.Ctx, 4*time.Second)
	defer cancel()
	p.Drive(ctx, p.Me(), 1, nil)
	if r, _, err := p.Get(p.Ctx, p.Me(), well); err != nil || r.Output != "Done." {
		t.Errorf("got %s %q, %v", r.Status, r.Output, err)
	}
	if said.warnings != 1 {
		t.Errorf("it was tried %d times in four seconds", said.warnings)
	}
}

// warningCounter counts warnings.
type warningCounter struct{ warnings int }

func (c *warningCounter) Enabled(context.Context, slog.Level) bool { return true }

func (c *warningCounter) Handle(_ context.Context, r slog.Record) error {
	if r.Level >= slog.LevelWarn && r.Message == "a run does not go on" {
		c.warnings++
	}
	return errors.ErrUnsupported
}

func (c *warningCounter) WithAttrs([]slog.Attr) slog.Handler { return c }
func (c *warningCounter) WithGroup(string) slog.Handler      { return c }
