package startup

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write testdata anew")

// odd is a job whose every part has what a system would take for something else.
func odd() Job {
	return Job{
		Name: "satchel", About: "100% yours\nExecStart=/bin/false", Program: "/home/ana/My Programs/50%/satchel",
		Args: []string{"serve", "--store", `/home/ana/"quoted" $HOME %h <&>`, "--host", "memory.example", "", "a\nb", `back\slash`, "';rm"},
		Env:  []string{`PGPASSFILE=/home/ana/pg "pass" %h`},
	}
}

// packaged is the job of the unit that packages bring.
func packaged() Job {
	return Job{Name: "satchel", About: "Satchel: your memory, for assistants and your browser", Program: "/usr/bin/satchel", Args: []string{"serve"}}
}

func TestTexts(t *testing.T) {
	for file, text := range map[string]string{
		"testdata/odd.service":              unit(odd()),
		"testdata/odd.plist":                plist(odd(), "/Users/ana/serve.log"),
		"../../deploy/user/satchel.service": unit(packaged()),
	} {
		if *update {
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil || string(want) != text {
			t.Errorf("%s holds another text than this (%v); go test -update writes it:\n%s", file, err, text)
		}
	}
}

// TestUnitIsValid asks systemd itself, and whether it would hand over the arguments as they are.
func TestUnitIsValid(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("skipped: no systemd-analyze here")
	}
	program := filepath.Join(t.TempDir(), "50% sat chel")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, j := range map[string]Job{"odd": odd(), "packaged": packaged()} {
		j.Program = program
		file := filepath.Join(t.TempDir(), name+".service")
		if err := os.WriteFile(file, []byte(unit(j)), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(analyze, "verify", "--man=no", "--recursive-errors=no", file).CombinedOutput()
		if err != nil || strings.Contains(string(out), filepath.Base(file)+":") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// fakes is a machine whose programs answer as a test says, and which records what is run.
type fakes struct {
	calls   []string
	answers map[string]string // by the beginning of a command
	fails   map[string]error
}

func (f *fakes) run(_ context.Context, name string, args ...string) (string, error) {
	call := strings.Join(append([]string{name}, args...), " ")
	f.calls = append(f.calls, call)
	for begins, err := range f.fails {
		if strings.HasPrefix(call, begins) {
			return "", err
		}
	}
	for begins, answer := range f.answers {
		if strings.HasPrefix(call, begins) {
			return answer, nil
		}
	}
	return "", nil
}

func manager(t *testing.T, goos string, f *fakes) (Manager, System) {
	t.Helper()
	s := System{OS: goos, Home: t.TempDir(), UID: 501, Folder: t.TempDir(), Run: f.run}
	m, err := s.Manager()
	if err != nil {
		t.Fatal(err)
	}
	return m, s
}

func TestSystemd(t *testing.T) {
	f := &fakes{answers: map[string]string{"systemctl --user show satchel": "LoadState=loaded\nActiveState=active\nResult=success\nMainPID=77\nActiveEnterTimestamp=Mon 2026-11-30 03:44:18 UTC\nExecMainStatus=0\n"}}
	m, s := manager(t, "linux", f)
	ctx := t.Context()
	if err := errors.Join(m.Install(ctx, odd()), m.Start(ctx, "satchel")); err != nil {
		t.Fatal(err)
	}
	want := []string{"systemctl --user show --property=Version", "systemctl --user daemon-reload", "systemctl --user enable satchel",
		"systemctl --user reset-failed satchel", "systemctl --user start satchel"}
	if !slices.Equal(f.calls, want) {
		t.Errorf("ran %q", f.calls)
	}
	file := filepath.Join(s.Home, ".config/systemd/user/satchel.service")
	if text, err := os.ReadFile(file); err != nil || string(text) != unit(odd()) || m.File("satchel") != file {
		t.Error("the unit is not there:", err)
	}
	state, err := m.State(ctx, "satchel")
	if since := time.Date(2026, 11, 30, 3, 44, 18, 0, time.UTC); err != nil || !state.Since.Equal(since) || !state.Running || !state.Installed || state.PID != 77 || state.Ended != "" {
		t.Errorf("%+v %v", state, err)
	}
	f.answers["systemctl --user show satchel"] = "LoadState=loaded\nActiveState=failed\nResult=exit-code\nMainPID=0\nActiveEnterTimestamp=\nExecMainStatus=4\n"
	if state, err = m.State(ctx, "satchel"); err != nil || state.Running || state.Ended != "exit-code, status 4" {
		t.Errorf("%+v %v", state, err)
	}
	f.calls = nil
	if err := m.Remove(ctx, "satchel"); err != nil || there(file) || !slices.Contains(f.calls, "systemctl --user disable satchel") {
		t.Error(err, f.calls)
	}
	f.answers["systemctl --user show satchel"] = "LoadState=not-found\nActiveState=inactive\nResult=success\n"
	if state, err = m.State(ctx, "satchel"); err != nil || state != (State{}) {
		t.Errorf("%+v %v", state, err)
	}
}

// TestSystemdRefuses: what the person reads says what to do, and nothing is half installed.
func TestSystemdRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		fails error
		want  string
	}{
		"no systemd":   {fmt.Errorf("systemctl %w", errMissing), "by its own means"},
		"no login":     {&failure{"systemctl", 1, "Failed to connect to bus: No medium found"}, "enable-linger"},
		"another word": {&failure{"systemctl", 1, "Access denied"}, "Access denied"},
	} {
		f := &fakes{fails: map[string]error{"systemctl": c.fails}}
		m, _ := manager(t, "linux", f)
		if err := m.Install(t.Context(), odd()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if there(m.File("satchel")) {
			t.Errorf("%s: the unit was written", name)
		}
		if err := m.Remove(t.Context(), "satchel"); err != nil {
			t.Errorf("%s: nothing is installed, and removing it fails: %v", name, err)
		}
	}
	m, _ := manager(t, "linux", &fakes{fails: map[string]error{"systemctl --user enable": errors.New("broken")}})
	if err := m.Install(t.Context(), odd()); err == nil {
		t.Error("a unit that cannot start at login is installed")
	}
}

const printedAgent = "gui/501/io.github.satchel-memory.satchel = {\n\tactive count = 1\n\tstate = running\n\n\tprogram = /usr/bin/satchel\n\tpid = 4711\n\tlast exit code = (never exited)\n\tspawn = {\n\t\tpid = 1\n\t}\n}\n"

func TestLaunchd(t *testing.T) {
	f := &fakes{fails: map[string]error{"launchctl print gui/501/": &failure{"launchctl", 113, "Could not find service"}}}
	m, s := manager(t, "darwin", f)
	ctx := t.Context()
	if err := errors.Join(m.Install(ctx, odd()), m.Start(ctx, "satchel")); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(s.Home, "Library/LaunchAgents/io.github.satchel-memory.satchel.plist")
	target := "gui/501/io.github.satchel-memory.satchel"
	if !slices.Contains(f.calls, "launchctl bootstrap gui/501 "+file) || !slices.Contains(f.calls, "launchctl enable "+target) {
		t.Errorf("ran %q", f.calls)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != plist(odd(), filepath.Join(s.Folder, LogName)) || m.Log("satchel") != filepath.Join(s.Folder, LogName) {
		t.Error("the property list is not there:", err)
	}
	f.fails, f.answers = nil, map[string]string{"launchctl print " + target: printedAgent, "ps ": "Mon Nov  2 03:44:18 2026\n"}
	state, err := m.State(ctx, "satchel")
	if since := time.Date(2026, 11, 2, 3, 44, 18, 0, time.UTC); err != nil || !state.Running || state.PID != 4711 || !state.Since.Equal(since) {
		t.Errorf("%+v %v", state, err)
	}
	f.answers["launchctl print "+target] = "\tstate = not running\n\tlast exit code = 4\n"
	if state, err = m.State(ctx, "satchel"); err != nil || state.Running || !state.Installed || state.Ended != "exit status 4" {
		t.Errorf("%+v %v", state, err)
	}
	f.calls = nil
	if err := m.Start(ctx, "satchel"); err != nil || f.calls[len(f.calls)-1] != "launchctl kickstart "+target {
		t.Error(err, f.calls)
	}
	f.fails = map[string]error{"launchctl bootout": &failure{"launchctl", 5, "Input/output error"}}
	if err := m.Stop(ctx, "satchel"); err == nil {
		t.Error("an agent that stays is stopped")
	}
	f.fails = map[string]error{"launchctl print": &failure{"launchctl", 113, "Could not find service"}}
	if err := m.Remove(ctx, "satchel"); err != nil || there(file) {
		t.Error(err)
	}
	f.fails = map[string]error{"launchctl print gui/501": &failure{"launchctl", 112, "Could not find domain"}}
	if err := m.Install(ctx, odd()); err == nil || !strings.Contains(err.Error(), "at this Mac's screen") || there(file) {
		t.Error(err)
	}
}

func TestRunKey(t *testing.T) {
	f := &fakes{}
	var spawned []string
	s := System{OS: "windows", Home: t.TempDir(), Folder: t.TempDir(), Run: f.run, Spawn: func(program string, args ...string) error {
		spawned = append([]string{program}, args...)
		return nil
	}}
	m, err := s.Manager()
	if err != nil {
		t.Fatal(err)
	}
	ctx, job := t.Context(), Job{Name: "satchel", Program: `C:\Program Files\satchel.exe`, Args: []string{"serve"}}
	if err := m.Install(ctx, job); err != nil {
		t.Fatal(err)
	}
	want := `reg add HKCU\Software\Microsoft\Windows\CurrentVersion\Run /v Satchel satchel /t REG_SZ /d "C:\Program Files\satchel.exe" service start --name satchel --no-wait /f`
	if !slices.Equal(f.calls, []string{want}) {
		t.Errorf("ran %q", f.calls)
	}
	long := job
	long.Program = `C:\` + strings.Repeat("long", 60) + `\satchel.exe`
	if err := m.Install(ctx, long); err == nil || !strings.Contains(err.Error(), "shorter path") {
		t.Error("a command that Windows ignores:", err)
	}
	stopped, release, err := Hold(ctx, s.Folder, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Hold(ctx, s.Folder, time.Now()); !errors.Is(err, ErrHeld) {
		t.Error("two processes are the service:", err)
	}
	if state, err := m.State(ctx, "satchel"); err != nil || !state.Running || state.PID != os.Getpid() || !state.Installed {
		t.Errorf("%+v %v", state, err)
	}
	if err := m.Start(ctx, "satchel"); err != nil || spawned != nil {
		t.Error("it runs, and is started again:", err, spawned)
	}
	go func() {
		<-stopped.Done()
		release()
	}()
	if err := m.Stop(ctx, "satchel"); err != nil || there(stopFile(s.Folder)) {
		t.Error(err)
	}
	if err := m.Start(ctx, "satchel"); err != nil || !slices.Equal(spawned, []string{job.Program, "service", "run", "--name", "satchel"}) {
		t.Error(err, spawned)
	}
	if err := m.Remove(ctx, "satchel"); err != nil || !strings.HasPrefix(f.calls[len(f.calls)-1], "reg delete ") {
		t.Error(err, f.calls)
	}
	f.fails = map[string]error{"reg query": &failure{"reg", 1, "unable to find"}}
	if state, err := m.State(ctx, "satchel"); err != nil || state != (State{}) {
		t.Errorf("%+v %v", state, err)
	}
}

// TestPrograms runs programs that are missing, fail, talk a lot and do not end.
func TestPrograms(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("skipped: no shell here")
	}
	ctx := t.Context()
	if _, err := runProgram(ctx, "no-such-program"); !errors.Is(err, errMissing) {
		t.Error(err)
	}
	if out, err := runProgram(ctx, "sh", "-c", "echo $LC_ALL; echo why >&2; exit 7"); out != "C\n" || err == nil || !strings.HasSuffix(err.Error(), ": why") || !failed(err) {
		t.Error(out, err)
	}
	if out, err := runProgram(ctx, "sh", "-c", "head -c 3000000 /dev/zero; sleep 60 & exit 0"); err != nil || len(out) != maxOutput {
		t.Error(len(out), err)
	}
	within, done := context.WithTimeout(ctx, 100*time.Millisecond)
	defer done()
	if _, err := runProgram(within, "sleep", "60"); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if _, err := (System{OS: "plan9"}).Manager(); err == nil {
		t.Error("an unknown system has services")
	}
}
