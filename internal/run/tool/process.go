package tool

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/satchel-memory/satchel/internal/group"
)

// commandResult is what a command left.
type commandResult struct {
	stdout, stderr []byte
	code           int  // exit code; -1: a signal ended it
	started        bool // the command began to run
}

// The limits of commands.
const (
	mostOutput = 1 << 20
	mostErrors = 4 << 10
	drainTime  = time.Second // how long output is read after the end of a command
)

var errOutput = errors.New("the command writes more than is read")

// execute runs a command to its end, with input on standard input and nothing but
// environment around it. When the context ends, or after too much output, it kills the
// command; at the end it kills what the command started and left running.
func execute(ctx context.Context, p Program, environment []string, input []byte, most int) (commandResult, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	cmd := command(p, environment)
	stdout, stderr := &boundedBuffer{most: most, over: func() { stop(errOutput) }}, &boundedBuffer{most: mostErrors}
	stdin, rest, err := fed(input)
	if err != nil {
		return commandResult{code: -1}, err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	cmd.WaitDelay = drainTime
	running, err := group.Start(cmd)
	closeAll(stdin)
	if err != nil {
		rest.close()
		return commandResult{code: -1}, err
	}
	go rest.write()
	defer rest.close()
	end := context.AfterFunc(ctx, running.Kill)
	err = cmd.Wait()
	end()
	running.Kill()
	out := commandResult{stdout: stdout.kept.Bytes(), stderr: stderr.kept.Bytes(), code: cmd.ProcessState.ExitCode(), started: true}
	if cause := context.Cause(ctx); cause != nil {
		return out, cause
	}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return out, err
	}
	return out, nil
}

// mostWaiting is how much input waits in a pipe before anybody reads it: what a pipe of every
// system has room for.
const mostWaiting = 4 << 10

// remainder is what of an input is still to be written.
type remainder struct {
	to   *os.File
	left []byte
}

// fed returns what a command reads as its standard input. Its beginning is in there before the
// command starts: if this program is killed, a command that has begun finds all of a short input,
// and of a longer one a part that is not JSON, but never an empty input.
func fed(input []byte) (*os.File, remainder, error) {
	stdin, to, err := os.Pipe()
	if err != nil {
		return nil, remainder{}, err
	}
	r := remainder{to, input[min(len(input), mostWaiting):]}
	if _, err := to.Write(input[:len(input)-len(r.left)]); err != nil {
		closeAll(stdin, to)
		return nil, remainder{}, err
	}
	if len(r.left) == 0 {
		r.close()
	}
	return stdin, r, nil
}

// write writes what is left. A command does not have to read it.
func (r remainder) write() {
	if len(r.left) > 0 {
		_, _ = r.to.Write(r.left)
		r.close()
	}
}

// close ends the input.
func (r remainder) close() { _ = r.to.Close() }

// command returns a command that does not inherit the environment.
func command(p Program, environment []string) *exec.Cmd {
	cmd := exec.Command(p.Command[0], p.Command[1:]...)
	cmd.Dir, cmd.Env = p.Dir, environment
	if p.Dir == "" {
		cmd.Dir = filepath.VolumeName(p.Command[0]) + string(filepath.Separator)
	}
	if cmd.Env == nil {
		cmd.Env = []string{}
	}
	return cmd
}

// boundedBuffer keeps the beginning of what is written, and says when there is more. It does not
// embed the buffer, whose ReadFrom would take everything.
type boundedBuffer struct {
	kept bytes.Buffer
	most int
	over func() // nil: the rest is dropped
}

// Write keeps what there is room for.
func (b *boundedBuffer) Write(p []byte) (int, error) {
	room := b.most - b.kept.Len()
	if len(p) <= room {
		return b.kept.Write(p)
	}
	_, _ = b.kept.Write(p[:max(room, 0)]) // a buffer in memory takes everything
	if b.over != nil {
		b.over()
	}
	return len(p), nil
}
