package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
)

// hostState is what listHosts says of a host.
type hostState struct {
	Name      string `json:"host"`
	Title     string `json:"title"`
	Installed bool   `json:"installed"`
	Connected bool   `json:"connected"`
	File      string `json:"file"`
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
func (a *app) listHosts() error {
	states := []hostState{}
	for _, h := range hosts() {
		s, err := a.hostState(h)
		if err != nil {
			return err
		}
		states = append(states, s)
	}
	if a.json {
		return a.emit(map[string]any{"hosts": states})
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "HOST\tPROGRAM\tSTATE\tSETTINGS")
	for _, s := range states {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", s.Name, s.Title, s.word(), clean(s.File))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	a.say("\n%s", nextHost(states))
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

// hostState looks for a host and for satchel's entry in each file that it may read.
func (a *app) hostState(h host) (hostState, error) {
	s := hostState{Name: h.name, Title: h.title, Installed: h.installed(a)}
	files, err := h.files(a)
	if err != nil {
		return s, err
	}
	if s.File, err = h.file(a, false); err != nil {
		return s, err
	}
	for _, file := range files {
		data, err := readBounded(file, maxSettings)
		if err != nil {
			continue
		}
		if _, found, _ := h.read(string(data)); found {
			s.Connected, s.File = true, file
			break
		}
	}
	return s, nil
}

// unknown shows the entry to paste into the settings of a host that satchel does not
// know, for both ways in.
func (c *connectCmd) unknown(a *app) error {
	switch strings.ToLower(c.Host) {
	case "claude":
		return usagef("there are two hosts of that name; did you mean claude-code or claude-desktop?")
	case "chatgpt", "openai":
		return usagef("ChatGPT runs at OpenAI and cannot start a program here; satchel import brings its memory in")
	}
	if c.Remove {
		return usagef("satchel does not know the host %q; the hosts are %s", clean(c.Host), strings.Join(hostNames(), ", "))
	}
	s, err := a.serverCommand()
	if err != nil {
		return err
	}
	at, err := a.home()
	if err != nil {
		return err
	}
	port := defaultPort
	if settings, err := at.readConfig(); err == nil {
		port = settings.Port
	}
	stdio := servers(typedEntry(s))
	http := servers([]setting{
		{"type", json.RawMessage(`"http"`)},
		{"url", json.RawMessage(quoted(fmt.Sprintf("http://127.0.0.1:%d/mcp", port)))},
		{"headers", object([]setting{{"Authorization", json.RawMessage(`"Bearer TOKEN"`)}})},
	})
	a.warn("satchel does not know the host %q; the hosts are %s. Most others take this entry, which starts satchel:\n", clean(c.Host), strings.Join(hostNames(), ", "))
	if a.json {
		return a.emit(map[string]any{"stdio": stdio, "http": http, "token_file": at.token()})
	}
	a.print("%s", indented(stdio))
	a.warn("\nA host that connects over HTTP takes this one, while satchel serve runs. Put the token for TOKEN; it is in %s:\n", at.token())
	a.print("%s", indented(http))
	return nil
}

// servers is the object in which most hosts list servers.
func servers(entry []setting) json.RawMessage {
	return object([]setting{{"mcpServers", object([]setting{{serverName, object(entry)}})}})
}
