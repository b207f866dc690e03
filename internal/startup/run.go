package startup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// errMissing is the error if the program that manages services is not there.
var errMissing = errors.New("is not on this machine")

// maxOutput bounds what is read of a program's output.
const maxOutput = 1 << 20

// failure is the error of a program that ran and failed.
type failure struct {
	command string
	status  int
	said    string // its last words
}

// Error names the command, and what it said.
func (f *failure) Error() string {
	if f.said == "" {
		return fmt.Sprintf("%s failed with status %d", f.command, f.status)
	}
	return f.command + ": " + f.said
}

// runProgram runs a program to its end, in the language of programs.
func runProgram(ctx context.Context, name string, args ...string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%s %w", name, errMissing)
	}
	within, done := context.WithTimeout(ctx, patience)
	defer done()
	cmd := exec.CommandContext(within, path, args...)
	cmd.Env = append(cmd.Environ(), "LC_ALL=C", "TZ=UTC", "SYSTEMD_PAGER=", "SYSTEMD_COLORS=0")
	cmd.WaitDelay = time.Second
	out, messages := &head{most: maxOutput}, &head{most: maxOutput}
	cmd.Stdout, cmd.Stderr = out, messages
	err = cmd.Run()
	command := strings.Join(append([]string{name}, args[:min(len(args), 3)]...), " ")
	switch ended, ok := errors.AsType[*exec.ExitError](err); {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case within.Err() != nil:
		return "", fmt.Errorf("%s did not answer within %s", command, patience)
	case ok:
		said := strings.TrimSpace(messages.text.String())
		if lines := lastLines(out.text.String()); said == "" && len(lines) > 0 {
			said = lines[len(lines)-1]
		}
		return out.text.String(), &failure{command, ended.ExitCode(), said}
	case errors.Is(err, exec.ErrWaitDelay): // it ended, and something that it started holds the pipe
		err = nil
	}
	return out.text.String(), err
}

// head keeps the beginning of what is written to it.
type head struct {
	text bytes.Buffer
	most int
}

// Write keeps p as far as there is room, and reports all of p as written.
func (h *head) Write(p []byte) (int, error) {
	_, _ = h.text.Write(p[:min(max(h.most-h.text.Len(), 0), len(p))]) // a buffer in memory does not fail
	return len(p), nil
}

// failed reports whether a program ran and failed.
func failed(err error) bool {
	_, ok := errors.AsType[*failure](err)
	return ok
}
