//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/clitest"
)

const asksFirst = `{"sc_standard":"SC-006","sc_version":"3.4.0","agent_id":"7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a01",
"agent":{"name":"Clerk","goal":"Book every receipt once.","version":"1.0.0","model":{"provider":"anthropic","preferred":"claude-sonnet"},
"tools":[{"name":"book","description":"Books a receipt.","protocol":"function","parameters_schema":{"type":"object","properties":{"amount":{"type":"number"}}}}],
"compliance":{"human_in_the_loop":{"enabled":true}}}}`

// function lets a party's agents book into a file.
func (p *party) function(books string) {
	p.t.Helper()
	h, err := p.app.Home()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(h.Dir, "run"), 0o700); err != nil {
		p.t.Fatal(err)
	}
	table := fmt.Sprintf(`{"functions":[{"name":"book","command":["/bin/sh","-c","cat >>%s; echo booked"]}],"grants":[{"agent":"*","tools":["book"]}]}`, books)
	clitest.Put(p.t, filepath.Join(h.Dir, "run", "tools.json"), []byte(table), time.Now())
}

// TestAgentRunMoves moves a run that waits for an approval over TLS, and approves it there.
func TestAgentRunMoves(t *testing.T) {
	t.Parallel()
	there, base, ca, _ := atHome(t)
	here := newParty(t, t.Context())
	dir := t.TempDir()
	clerk, script, key, books := filepath.Join(dir, "clerk.json"), filepath.Join(dir, "script.jsonl"), filepath.Join(dir, "ours.key"), filepath.Join(dir, "books.txt")
	clitest.Put(t, clerk, []byte(asksFirst), time.Now())
	clitest.Put(t, script, []byte(`{"turn":0,"calls":[{"tool":"book","arguments":{"amount":900}}]}`+"\n"+`{"turn":1,"answer":"Booked."}`+"\n"), time.Now())
	model := "script:" + script
	here.function(books)
	there.function(books)
	here.does(cli.ExitDone, "keys", "show", "-o", key)
	there.does(cli.ExitDone, "trust", "add", here.producer, key)
	here.does(cli.ExitDiffers, "agent", "run", clerk, "-i", "Book 900.", "--model", model)
	here.does(cli.ExitDone, "agent", "runs", "--json")
	run := here.told(`"run_id": "([^"]*)"`)
	move := []string{"agent", "migrate", run, "--to", base, "--ca", ca}

	t.Run("AAIF-8.2-1 a run that is refused there stays here", func(t *testing.T) {
		if said := here.does(cli.ExitRefused, move...); !strings.Contains(said, "AGENT_UNKNOWN") || !strings.Contains(said, "the run is paused here") {
			t.Error(said)
		}
		here.does(cli.ExitDiffers, "agent", "resume", run, "--model", model)
	})
	there.does(cli.ExitDone, "agent", "add", clerk)
	t.Run("AAIF-8.2-1 a run that is there does not go on here", func(t *testing.T) {
		here.does(cli.ExitDone, move...)
		for _, again := range [][]string{{"agent", "resume", run, "--model", model}, move} {
			if said := here.does(cli.ExitRefused, again...); !strings.Contains(said, "STATE_LEFT") {
				t.Errorf("%v: %s", again, said)
			}
		}
		here.does(cli.ExitRefused, "agent", "approve", run, "--digest", "00")
	})
	t.Run("AAIF-4.9-18 it is approved there, and the effect is one", func(t *testing.T) {
		there.does(cli.ExitDone, "agent", "states", "--json")
		state := there.told(`"state_id": "([^"]*)"`)
		there.does(cli.ExitDiffers, "agent", "resume", state, "--model", model)
		there.does(cli.ExitDone, "agent", "runs", "--json")
		if got := there.told(`"run_id": "([^"]*)"`); got != run {
			t.Errorf("the run is %s, want %s", got, run)
		}
		if cli.Exists(books) {
			t.Error("it was booked before anybody agreed")
		}
		there.does(cli.ExitDone, "agent", "approve", run, "--digest", there.told(`"digest": "([^"]*)"`))
		there.does(cli.ExitDone, "agent", "resume", run, "--model", model)
		there.does(cli.ExitRefused, "agent", "resume", state, "--model", model)
		booked, err := os.ReadFile(books)
		if err != nil || strings.Count(string(booked), "900") != 1 {
			t.Errorf("%q, %v", booked, err)
		}
	})
}
