package startup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// systemd runs services as units of the user's own instance of systemd.
type systemd struct{ System }

// Kind names the manager.
func (systemd) Kind() string { return "systemd, as a unit of the user" }

// File is the path of the unit.
func (m systemd) File(name string) string {
	return filepath.Join(cmp.Or(m.Config, filepath.Join(m.Home, ".config")), "systemd", "user", name+".service")
}

// Log is the command that shows the journal of the unit.
func (systemd) Log(name string) string { return "journalctl --user -u " + name }

// Said asks the journal.
func (m systemd) Said(ctx context.Context, name string) []string {
	out, err := m.Run(ctx, "journalctl", "--user", "-u", name, "-n", strconv.Itoa(saidLines), "-o", "cat", "--no-pager")
	if err != nil {
		return nil
	}
	return lastLines(out)
}

// Install writes the unit, has it read, and lets it start at login.
func (m systemd) Install(ctx context.Context, j Job) error {
	if err := m.reachable(ctx); err != nil {
		return err
	}
	if err := place(m.File(j.Name), unit(j)); err != nil {
		return err
	}
	if err := m.call(ctx, "daemon-reload"); err != nil {
		return err
	}
	return m.call(ctx, "enable", j.Name)
}

// Start starts the unit. One that has failed too often may start again.
func (m systemd) Start(ctx context.Context, name string) error {
	_ = m.call(ctx, "reset-failed", name) // a unit that is not loaded yet has not failed
	return m.call(ctx, "start", name)
}

// Stop stops the unit.
func (m systemd) Stop(ctx context.Context, name string) error {
	state, err := m.State(ctx, name)
	if err != nil || !state.Installed {
		return err
	}
	return m.call(ctx, "stop", name)
}

// Remove stops the unit and removes its file.
func (m systemd) Remove(ctx context.Context, name string) error {
	state, err := m.State(ctx, name)
	if err != nil {
		if !there(m.File(name)) {
			return nil
		}
		return err
	}
	if state.Installed {
		if err := errors.Join(m.call(ctx, "stop", name), m.call(ctx, "disable", name)); err != nil {
			return err
		}
	}
	if err := discard(m.File(name)); err != nil {
		return err
	}
	return m.call(ctx, "daemon-reload")
}

// State reads the properties of the unit.
func (m systemd) State(ctx context.Context, name string) (State, error) {
	out, err := m.Run(ctx, "systemctl", "--user", "show", name,
		"--property=LoadState,ActiveState,Result,MainPID,ExecMainStatus,ActiveEnterTimestamp")
	if err != nil {
		return State{}, m.advise(err)
	}
	said := map[string]string{}
	for line := range strings.Lines(out) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		said[name] = value
	}
	s := State{Installed: said["LoadState"] == "loaded"}
	switch said["ActiveState"] {
	case "active", "reloading":
		s.Running = true
		s.PID, _ = strconv.Atoi(said["MainPID"])                                             // 0: it is not known
		s.Since, _ = time.Parse("Mon 2006-01-02 15:04:05 MST", said["ActiveEnterTimestamp"]) // zero: it is not known
	default:
		if s.Installed && said["Result"] != "success" && said["Result"] != "" {
			s.Ended = said["Result"]
			if status := said["ExecMainStatus"]; status != "" && status != "0" {
				s.Ended += ", status " + status
			}
		}
	}
	return s, nil
}

// reachable checks that the user has an instance of systemd.
func (m systemd) reachable(ctx context.Context) error {
	_, err := m.Run(ctx, "systemctl", "--user", "show", "--property=Version")
	return m.advise(err)
}

func (m systemd) call(ctx context.Context, args ...string) error {
	_, err := m.Run(ctx, "systemctl", append([]string{"--user"}, args...)...)
	return m.advise(err)
}

// advise says what to do where the user has no instance of systemd.
func (m systemd) advise(err error) error {
	const instead = "let this system start satchel serve at login by its own means"
	switch {
	case errors.Is(err, errMissing):
		return fmt.Errorf("%w: without systemd, %s", err, instead)
	case err != nil && strings.Contains(err.Error(), "connect to bus"):
		return fmt.Errorf("%w: this login has no instance of systemd, as after su or sudo: log in as this user; on a machine without logins, let root run loginctl enable-linger for the user", err)
	}
	return err
}

// unit is the unit of a service.
func unit(j Job) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Written by satchel service install, which also changes it.\n\n[Unit]\nDescription=%s\n"+
		"Documentation=https://github.com/satchel-memory/satchel/blob/main/docs/service.md\n\n[Service]\nType=exec\nExecStart=%s", specifiers.Replace(j.About), word(j.Program))
	for _, arg := range j.Args {
		b.WriteString(" " + word(arg))
	}
	b.WriteString("\n")
	for _, variable := range j.Env {
		fmt.Fprintf(&b, "Environment=%s\n", setting(variable))
	}
	b.WriteString(unitRest)
	return b.String()
}

// unitRest is the same for each service. Status 2 and 4 mean that the command line is wrong
// or that something is refused, which no repetition mends.
const unitRest = `UMask=0077
NoNewPrivileges=true

# A server that crashed comes back. One that is stopped has time to end what is under way.
Restart=on-failure
RestartSec=5s
RestartPreventExitStatus=2 4
TimeoutStopSec=60s

[Install]
WantedBy=default.target
`

// specifiers escapes what systemd replaces everywhere, line ends among them.
var specifiers = strings.NewReplacer("%", "%%", "\n", " ", "\r", " ")

// quotes escapes a text within double quotes.
var quotes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "%", "%%")

// setting writes a variable as one word.
func setting(text string) string { return `"` + quotes.Replace(text) + `"` }

// word writes an argument as one word of a command line, in which systemd replaces
// variables.
func word(arg string) string {
	if arg != "" && strings.Trim(arg, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,@+") == "" {
		return arg
	}
	return setting(strings.ReplaceAll(arg, "$", "$$"))
}
