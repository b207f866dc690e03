package operate

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/satchel-memory/satchel/internal/cli"
)

// hostState is what listHosts says of a host.
type hostState struct {
	Name      string `json:"host"`
	Title     string `json:"title"`
	Installed bool   `json:"installed"`
	Connected bool   `json:"connected"`
	File      string `json:"file"`

	entry  hostEntry // of satchel, if it is connected
	broken error     // why the file cannot be understood; nil: it can
}

// word says the state in one word.
func (s hostState) word() string {
	switch {
	case s.Connected && !s.Installed:
		return "connected, not found"
	case s.Connected:
		return "connected"
	case s.Installed:
		return "found"
	}
	return "not found"
}

// listHosts shows the hosts, which are found on this machine and which are connected.
func listHosts(a *cli.App) error {
	states := []hostState{}
	for _, h := range Hosts() {
		s, err := stateOfHost(a, h)
		if err != nil {
			return err
		}
		states = append(states, s)
	}
	if a.JSON {
		return a.Emit(map[string]any{"hosts": states})
	}
	w := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "HOST\tPROGRAM\tSTATE\tSETTINGS")
	for _, s := range states {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", s.Name, s.Title, s.word(), cli.Clean(s.File))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	a.Say("\n%s", nextHost(states))
	return nil
}

// nextHost says what to type next, with the hosts that are found and not connected yet.
func nextHost(states []hostState) string {
	const back = "To take one back: satchel connect HOST --remove, with a name of the first column."
	var lines []string
	connected := false
	for _, s := range states {
		connected = connected || s.Connected
		if s.Installed && !s.Connected {
			lines = append(lines, fmt.Sprintf("  satchel connect %-16s %s is found here", s.Name, s.Title))
		}
	}
	switch {
	case len(lines) > 0:
		return "Type next:\n" + strings.Join(lines, "\n") + "\n" + back
	case connected:
		return "Every host that is found here is connected. " + back
	}
	return "None of these hosts is found here. Install one, or name one that lies elsewhere:\n  satchel connect claude-code\n" + back
}

// stateOfHost looks for a host and for satchel's entry in each file that it may read.
func stateOfHost(a *cli.App, h host) (hostState, error) {
	s := hostState{Name: h.Name, Title: h.Title, Installed: h.installed(a)}
	files, err := h.files(a)
	if err != nil {
		return s, err
	}
	if s.File, err = h.file(a, false); err != nil {
		return s, err
	}
	for _, file := range files {
		data, err := cli.ReadBounded(file, cli.MaxSettings)
		if err != nil {
			continue
		}
		entry, found, broken := h.read(string(data))
		if broken != nil && s.broken == nil {
			s.File, s.broken = file, broken
		}
		if found {
			s.Connected, s.File, s.entry, s.broken = true, file, entry, nil
			break
		}
	}
	return s, nil
}

// unknown shows entries for the settings of a host that satchel does not know, for both
// transports.
func (c *ConnectCmd) unknown(a *cli.App) error {
	switch strings.ToLower(c.Host) {
	case "claude":
		return cli.Usagef("there are two hosts of that name; did you mean claude-code or claude-desktop?")
	case "chatgpt", "openai":
		return cli.Usagef("ChatGPT runs at OpenAI and cannot start a program here: it asks for access to a server that it can reach, see satchel serve --oauth; satchel import brings its memory in")
	case "claude.ai", "claude-ai", "claudeai":
		return cli.Usagef("Claude.ai runs at Anthropic and cannot start a program here: it asks for access to a server that it can reach, see satchel serve --oauth; satchel import brings its memory in")
	}
	if c.Remove {
		return cli.Usagef("satchel does not know the host %q; the hosts are %s", cli.Clean(c.Host), strings.Join(hostNames(), ", "))
	}
	s, err := serverCommandFor(a)
	if err != nil {
		return err
	}
	at, err := a.Home()
	if err != nil {
		return err
	}
	port := cli.DefaultPort
	if settings, err := at.ReadConfig(); err == nil {
		port = settings.Port
	}
	stdio := servers(typedEntry(s))
	http := servers([]setting{
		{"type", json.RawMessage(`"http"`)},
		{"url", json.RawMessage(quoted(fmt.Sprintf("http://127.0.0.1:%d/mcp", port)))},
		{"headers", object([]setting{{"Authorization", json.RawMessage(`"Bearer TOKEN"`)}})},
	})
	a.Warn("satchel does not know the host %q; the hosts are %s. Most others take this entry, which starts satchel:\n", cli.Clean(c.Host), strings.Join(hostNames(), ", "))
	if a.JSON {
		return a.Emit(map[string]any{"stdio": stdio, "http": http, "token_file": at.Token()})
	}
	a.Print("%s", indented(stdio))
	a.Warn("\nA host that connects over HTTP takes this one, while satchel serve runs. Put the token for TOKEN; it is in %s:\n", at.Token())
	a.Print("%s", indented(http))
	return nil
}

// servers is the object in which most hosts list servers.
func servers(entry []setting) json.RawMessage {
	return object([]setting{{"mcpServers", object([]setting{{serverName, object(entry)}})}})
}
