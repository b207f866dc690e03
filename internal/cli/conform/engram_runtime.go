package conform

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/conformance/engramruntime"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/group"
)

const (
	// runtimeTime is how long a runtime may take to print its prompt.
	runtimeTime = 20 * time.Second
	// maxPrompt is how many bytes of a runtime's output are read.
	maxPrompt = 4 << 20
)

// runRuntime tests a runtime, which is a command, and ends with status 1 unless it passes
// every row that counts.
func (c *conformanceEngramCmd) runRuntime(a *cli.App) error {
	for i, id := range rowsOf("ENGRAM-", c.Only) {
		if !engramruntime.Tries(id) {
			return cli.Usagef("there is no row %s for runtimes; conformance/requirements/engram.tsv lists them", cli.Clean(c.Only[i]))
		}
	}
	command := runtimeCommand{append([]string{c.URL}, c.Command...), runtimeTime}
	target := engramruntime.Target{
		Runtime: command.start, Audience: command.takes("{audience}"), Level: engramruntime.Level(c.Level), Strict: c.Strict, Only: rowsOf("ENGRAM-", c.Only),
		Now: a.Now, Random: rand.Reader, Correct: further(c.Correct), Sync: further(c.Sync),
	}
	tried, clear := progress(a)
	summary, err := engramruntime.Run(a.Ctx, target, tried)
	clear()
	if err != nil {
		return err
	}
	if err := c.tellRuntime(a, summary); err != nil {
		return err
	}
	if !summary.OK() {
		return cli.Silent(cli.ExitFailed)
	}
	return nil
}

// further is another command of a runtime; nil where there is none.
func further(line string) func(context.Context, engramruntime.Call) (engramruntime.Said, error) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return nil
	}
	return runtimeCommand{words, runtimeTime}.start
}

// tellRuntime prints the results, the level and the tier.
func (c *conformanceEngramCmd) tellRuntime(a *cli.App, s engramruntime.Summary) error {
	if a.JSON {
		return a.Emit(map[string]any{
			"runtime": append([]string{c.URL}, c.Command...), "level": s.Level, "tier": s.Tier, "strict": c.Strict, "ok": s.OK(), "partial": s.Partial,
			"counts": s.Counts, "rows": s.Rows,
		})
	}
	printRows(a, c.All, engramRow, s.Rows)
	level, tier := cmp.Or(string(s.Level), "none"), cmp.Or(string(s.Tier), "none")
	a.Print("level %s, tier %s", level, tier)
	a.Print("%s %s: %s", cli.Clean(c.URL), standing("Engram 0.1", s.OK(), s.Partial), tally(s.Counts))
	return nil
}

// runtimeCommand is a runtime: a program with arguments, in which {url} and the like stand
// for a case's values, and its time limit.
type runtimeCommand struct {
	line     []string
	patience time.Duration
}

func (c runtimeCommand) takes(place string) bool {
	return slices.ContainsFunc(c.line, func(arg string) bool { return strings.Contains(arg, place) })
}

// start runs the program to its end. A program that takes too long fails. Its children
// end with it.
func (c runtimeCommand) start(ctx context.Context, call engramruntime.Call) (engramruntime.Said, error) {
	within, done := context.WithTimeout(ctx, c.patience)
	defer done()
	args, places := make([]string, len(c.line)), strings.NewReplacer("{url}", call.URL, "{token}", call.Token, "{audience}", call.Audience,
		"{belief}", call.Belief, "{value}", call.Value, "{since}", engram.FormatInstant(call.Since))
	for i, arg := range c.line {
		args[i] = places.Replace(arg)
	}
	program := exec.Command(args[0], args[1:]...)
	program.Env = append(os.Environ(), "ENGRAM_URL="+call.URL, "ENGRAM_TOKEN="+call.Token, "ENGRAM_BASE_PROMPT="+call.Base, "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1")
	program.WaitDelay = time.Second
	out, log := &atMost{most: maxPrompt}, &atMost{most: maxPrompt}
	program.Stdout, program.Stderr = out, log
	all, err := group.Start(program)
	if err != nil {
		return engramruntime.Said{}, fmt.Errorf("start the runtime: %w", err)
	}
	end := context.AfterFunc(within, all.Kill)
	_ = program.Wait() // its state says how it ended
	end()
	all.Kill()
	if within.Err() != nil {
		fmt.Fprintf(log, "\nit is not done after %s", c.patience)
	}
	return engramruntime.Said{Done: program.ProcessState.Success(), Out: out.kept.String(), Log: log.kept.String()}, nil
}

// atMost keeps the beginning of its input. It has no further methods: the buffer's own have
// no limit.
type atMost struct {
	kept bytes.Buffer
	most int
}

// Write keeps p as far as there is room, and reports all of p as written.
func (b *atMost) Write(p []byte) (int, error) {
	room := max(b.most-b.kept.Len(), 0)
	_, _ = b.kept.Write(p[:min(room, len(p))]) // a buffer in memory does not fail
	return len(p), nil
}
