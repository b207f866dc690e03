package startup

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/text/pattern"
)

// launchd runs services as agents of the user's graphical login.
type launchd struct{ System }

// labelled begins the label of each agent, which is a domain in reverse.
const labelled = "io.github.satchel-memory."

// Kind names the manager.
func (launchd) Kind() string { return "launchd, as an agent of the user" }

// File is the path of the agent's property list.
func (m launchd) File(name string) string {
	return filepath.Join(m.Home, "Library", "LaunchAgents", labelled+name+".plist")
}

// Log is the file into which launchd writes the output.
func (m launchd) Log(string) string { return m.logFile() }

// Said reads the end of that file.
func (m launchd) Said(context.Context, string) []string { return m.tail() }

func (m launchd) domain() string { return "gui/" + strconv.Itoa(m.UID) }

func (m launchd) target(name string) string { return m.domain() + "/" + labelled + name }

// Install writes the property list. launchd reads it at login, and when Start loads it.
func (m launchd) Install(ctx context.Context, j Job) error {
	if _, err := m.Run(ctx, "launchctl", "print", m.domain()); err != nil {
		return m.advise(err)
	}
	if err := place(m.File(j.Name), plist(j, m.logFile())); err != nil {
		return err
	}
	return m.call(ctx, "enable", m.target(j.Name)) // one that was switched off in the settings
}

// Start loads the agent, or starts it again if it is loaded.
func (m launchd) Start(ctx context.Context, name string) error {
	state, err := m.State(ctx, name)
	switch {
	case err != nil || state.Running:
		return err
	case state.Installed && m.loaded(ctx, name):
		return m.call(ctx, "kickstart", m.target(name))
	}
	return m.call(ctx, "bootstrap", m.domain(), m.File(name))
}

// Stop unloads the agent until the next login, since launchd would start it again.
func (m launchd) Stop(ctx context.Context, name string) error {
	if !m.loaded(ctx, name) {
		return nil
	}
	if err := m.call(ctx, "bootout", m.target(name)); err != nil && m.loaded(ctx, name) {
		return err
	}
	for end := time.Now().Add(patience); m.loaded(ctx, name); {
		if ctx.Err() != nil || time.Now().After(end) {
			return fmt.Errorf("launchd did not end %s within %s", name, patience)
		}
		time.Sleep(stopInterval)
	}
	return nil
}

// Remove unloads the agent and removes its file.
func (m launchd) Remove(ctx context.Context, name string) error {
	if err := m.Stop(ctx, name); err != nil {
		return err
	}
	return discard(m.File(name))
}

func (m launchd) loaded(ctx context.Context, name string) bool {
	_, err := m.Run(ctx, "launchctl", "print", m.target(name))
	return err == nil
}

// State reads what launchd prints, and asks ps since when the process runs.
func (m launchd) State(ctx context.Context, name string) (State, error) {
	s := State{Installed: there(m.File(name))}
	out, err := m.Run(ctx, "launchctl", "print", m.target(name))
	switch {
	case failed(err): // the agent is not loaded
		return s, nil
	case err != nil:
		return s, m.advise(err)
	}
	if said := printed["pid"].FindStringSubmatch(out); said != nil {
		s.Running = true
		s.PID, _ = strconv.Atoi(said[1]) // digits
		if since, err := m.Run(ctx, "ps", "-o", "lstart=", "-p", said[1]); err == nil {
			s.Since, _ = time.Parse("Mon Jan _2 15:04:05 2006", strings.TrimSpace(since)) // zero: it is not known
		}
	} else if said := printed["exit"].FindStringSubmatch(out); said != nil && said[1] != "0" {
		s.Ended = "exit status " + said[1]
	}
	return s, nil
}

// printed finds the agent's own lines in what launchctl prints: they are indented once.
var printed = map[string]*pattern.Pattern{
	"pid":  pattern.New(`(?m)^\t?pid = ([0-9]+)$`),
	"exit": pattern.New(`(?m)^\t?last exit code = ([0-9]+)`),
}

func (m launchd) call(ctx context.Context, args ...string) error {
	_, err := m.Run(ctx, "launchctl", args...)
	return m.advise(err)
}

// advise says what to do where the user is not logged in at the screen.
func (m launchd) advise(err error) error {
	if f, ok := errors.AsType[*failure](err); ok && (f.status == 112 || f.status == 125) {
		return fmt.Errorf("%w: agents run while you are logged in at this Mac's screen; log in there first", err)
	}
	return err
}

// plist is the property list of a service.
func plist(j Job, log string) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
`)
	text := func(indent, element, value string) {
		fmt.Fprintf(&b, "%s<%s>", indent, element)
		_ = xml.EscapeText(&b, []byte(value)) // a builder does not fail
		fmt.Fprintf(&b, "</%s>\n", element)
	}
	text("\t", "key", "Label")
	text("\t", "string", labelled+j.Name)
	text("\t", "key", "ProgramArguments")
	b.WriteString("\t<array>\n")
	for _, arg := range append([]string{j.Program}, j.Args...) {
		text("\t\t", "string", arg)
	}
	b.WriteString("\t</array>\n")
	if len(j.Env) > 0 {
		text("\t", "key", "EnvironmentVariables")
		b.WriteString("\t<dict>\n")
		for _, variable := range j.Env {
			name, value, _ := strings.Cut(variable, "=")
			text("\t\t", "key", name)
			text("\t\t", "string", value)
		}
		b.WriteString("\t</dict>\n")
	}
	b.WriteString(`	<key>RunAtLoad</key>
	<true/>
	<key>KeepAlive</key>
	<dict>
		<key>SuccessfulExit</key>
		<false/>
	</dict>
	<key>ProcessType</key>
	<string>Background</string>
	<key>ExitTimeOut</key>
	<integer>60</integer>
	<key>Umask</key>
	<integer>63</integer>
`)
	for _, stream := range []string{"StandardOutPath", "StandardErrorPath"} {
		text("\t", "key", stream)
		text("\t", "string", log)
	}
	b.WriteString("</dict>\n</plist>\n")
	return b.String()
}
