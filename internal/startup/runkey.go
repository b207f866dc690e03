package startup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// runKey starts a program from the user's Run key of Windows' registry. A service of Windows
// and most tasks of its scheduler take an administrator, and run outside of the login that
// opens the user's keyring; the key takes neither.
//
// The entry is the command "satchel service start", which starts "satchel service run" without
// a window and ends. That process holds a lock, see [Hold].
type runKey struct{ System }

const (
	runPath = `HKCU\Software\Microsoft\Windows\CurrentVersion\Run`
	// maxRun is how long the command of an entry may be. Windows ignores longer ones.
	maxRun = 260
)

// Kind names the manager.
func (runKey) Kind() string { return "the user's Run key of Windows" }

// File is the key and the name of the entry.
func (runKey) File(name string) string { return runPath + `\` + entryName(name) }

func entryName(name string) string { return "Satchel " + name }

// Log is the file into which the process writes.
func (m runKey) Log(string) string { return m.logFile() }

// Said reads the end of that file.
func (m runKey) Said(context.Context, string) []string { return m.tail() }

// Install writes the entry. What the service runs lies in its folder.
func (m runKey) Install(ctx context.Context, j Job) error {
	command := fmt.Sprintf(`"%s" service start --name %s --no-wait`, j.Program, j.Name)
	if len(command) > maxRun {
		return fmt.Errorf("the path %s is too long: Windows starts no command of more than %d characters at login; put the program into a folder with a shorter path", j.Program, maxRun)
	}
	if strings.Contains(j.Program, `"`) {
		return fmt.Errorf("the path %s has a quote in it; put the program elsewhere", j.Program)
	}
	if err := place(m.programFile(), j.Program); err != nil {
		return err
	}
	_, err := m.Run(ctx, "reg", "add", runPath, "/v", entryName(j.Name), "/t", "REG_SZ", "/d", command, "/f")
	return err
}

// programFile names the program for Start.
func (m runKey) programFile() string { return filepath.Join(m.Folder, "program.txt") }

// Start starts the process, unless it runs.
func (m runKey) Start(_ context.Context, name string) error {
	if held(m.Folder).Running {
		return nil
	}
	program, err := os.ReadFile(m.programFile())
	if err != nil {
		return err
	}
	if err := m.Spawn(string(program), "service", "run", "--name", name); err != nil {
		return fmt.Errorf("start %s: %w", program, err)
	}
	for range 50 { // until it has taken the lock
		if held(m.Folder).Running {
			return nil
		}
		time.Sleep(stopInterval)
	}
	return nil // the caller asks State
}

// Stop asks the process to end. It kills a process that does not.
func (m runKey) Stop(ctx context.Context, _ string) error {
	s := held(m.Folder)
	if !s.Running {
		return nil
	}
	if err := os.WriteFile(stopFile(m.Folder), nil, 0o600); err != nil {
		return err
	}
	defer os.Remove(stopFile(m.Folder))
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(stopInterval) {
		if !held(m.Folder).Running {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	p, err := os.FindProcess(s.PID)
	if err == nil && s.PID > 0 {
		err = p.Kill()
	}
	return err
}

// Remove stops the process and removes the entry.
func (m runKey) Remove(ctx context.Context, name string) error {
	if err := m.Stop(ctx, name); err != nil {
		return err
	}
	installed, err := m.installed(ctx, name)
	if err != nil || !installed {
		return err
	}
	_, err = m.Run(ctx, "reg", "delete", runPath, "/v", entryName(name), "/f")
	return errors.Join(err, discard(m.programFile()))
}

func (m runKey) installed(ctx context.Context, name string) (bool, error) {
	_, err := m.Run(ctx, "reg", "query", runPath, "/v", entryName(name))
	if failed(err) { // there is no such entry
		return false, nil
	}
	return err == nil, err
}

// State looks for the entry, and at the lock.
func (m runKey) State(ctx context.Context, name string) (State, error) {
	s := held(m.Folder)
	var err error
	s.Installed, err = m.installed(ctx, name)
	return s, err
}
