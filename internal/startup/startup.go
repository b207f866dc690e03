// Package startup runs a program whenever its user is logged in, by the system's own means
// and without the rights of an administrator: a user unit of systemd, an agent of launchd, or
// an entry of the user's Run key on Windows.
package startup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/satchel-memory/satchel/internal/atomicfile"
)

// Job is the program to run. It holds no secret: other programs of the user read it.
type Job struct {
	Name    string // of the service: letters, digits and hyphens
	About   string // one line
	Program string // an absolute path
	Args    []string
	Env     []string // NAME=VALUE, added to the environment of the login
}

// State is what the system knows about a service.
type State struct {
	Installed bool
	Running   bool
	PID       int
	Since     time.Time // of the running process; zero: not known
	Ended     string    // how the last process ended; empty: well, or not known
}

// Manager is the part of a system that runs services of a user. Its methods end after
// [patience] at the latest.
type Manager interface {
	// Kind names the manager for people.
	Kind() string
	// File is where the manager reads the service from.
	File(name string) string
	// Log is the command that shows what the service wrote, or the file that holds it.
	Log(name string) string
	// Said returns the last lines that the service wrote, if they can be read.
	Said(ctx context.Context, name string) []string
	// Install writes the service, new or changed, and lets it start at the next login.
	// A running process goes on.
	Install(ctx context.Context, j Job) error
	// Start starts an installed service. It does not wait until the program answers.
	Start(ctx context.Context, name string) error
	// Stop ends the process, if there is one, and waits for its end.
	Stop(ctx context.Context, name string) error
	// Remove stops the service and takes it out of the system. It is no error if there is none.
	Remove(ctx context.Context, name string) error
	// State asks the system.
	State(ctx context.Context, name string) (State, error)
}

// patience is how long a manager may take to start or stop a service.
const patience = 90 * time.Second

// stopInterval is how often a manager looks whether a process has ended.
const stopInterval = 100 * time.Millisecond

// System is what a [Manager] is made for.
type System struct {
	OS     string // as runtime.GOOS
	Home   string // the user's home folder
	Config string // $XDG_CONFIG_HOME; empty: .config in Home
	UID    int
	Folder string // a folder of the service, for what the manager itself has to keep, such as LogName
	// Run runs a program of the system and returns its output; nil: [runProgram].
	Run func(ctx context.Context, name string, args ...string) (string, error)
	// Spawn starts a program without a window that outlives this one; nil: [spawn].
	Spawn func(program string, args ...string) error
}

// Manager returns the manager of a system.
func (s System) Manager() (Manager, error) {
	if s.Run == nil {
		s.Run = runProgram
	}
	if s.Spawn == nil {
		s.Spawn = spawn
	}
	switch s.OS {
	case "linux":
		return systemd{s}, nil
	case "darwin":
		return launchd{s}, nil
	case "windows":
		return runKey{s}, nil
	}
	return nil, fmt.Errorf("satchel knows no services on %s: let the system start satchel serve by its own means", s.OS)
}

// LogName is the name of the file with the output of a service, in its folder, where the
// system keeps no journal.
const LogName = "serve.log"

// place writes a file of a service, in a folder that may be missing.
func place(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return atomicfile.Write(path, 0o644, []byte(text))
}

// discard removes a file, if it is there.
func discard(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// there reports whether a file is there.
func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
