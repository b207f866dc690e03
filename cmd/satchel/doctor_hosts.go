package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// hosts looks at which hosts know satchel, and whether what they would start is
// there.
func (d *doctor) hosts() {
	connected := 0
	for _, h := range hosts() {
		file, err := h.settings(d.app)
		if err != nil {
			continue // there is no home to look in
		}
		data, err := readBounded(file, maxSettings)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			d.bad(h.name, describe(err), "see to the file", nil)
			continue
		}
		server, found, err := h.read(string(data))
		switch {
		case err != nil:
			d.bad(h.name, fmt.Sprintf("%s cannot be understood: %v", file, err), "mend the file: the host may not understand it either", nil)
		case found:
			connected++
			d.server(h, file, server)
		}
	}
	if connected == 0 {
		d.good("hosts", "none is connected; satchel connect HOST does that")
	}
}

// hostEntry is an entry in a host's settings.
type hostEntry struct {
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

// server looks at the entry of one host.
func (d *doctor) server(h host, file string, s hostEntry) {
	again := "satchel connect " + h.name
	info, err := os.Stat(s.Command)
	switch at := d.storeOf(s); {
	case err != nil || info.IsDir():
		d.bad(h.name, fmt.Sprintf("%s starts %s, which is not there", file, s.Command), again, nil)
	case !slices.Contains(s.Args, "mcp"):
		d.bad(h.name, file+" does not start satchel mcp", again, nil)
	case !d.home.is(at):
		d.bad(h.name, fmt.Sprintf("%s uses another store, %s", file, at), again+", or name that store with --store", nil)
	default:
		d.good(h.name, "connected in %s", file)
	}
}

// storeOf is the store an entry makes satchel use.
func (d *doctor) storeOf(s hostEntry) string {
	if i := slices.Index(s.Args, "--store"); i >= 0 && i+1 < len(s.Args) {
		return s.Args[i+1]
	}
	plain, err := d.app.plainStore()
	if err != nil {
		return ""
	}
	return plain
}

// read finds satchel's entry in the text of a host's settings.
func (h host) read(text string) (hostEntry, bool, error) {
	var s hostEntry
	if h.toml {
		return h.readTOML(text)
	}
	if blank(text) {
		return s, false, nil
	}
	n, err := parseJSONC(text)
	if err != nil {
		return s, false, err
	}
	for _, name := range h.path() {
		m, ok := n.member(name)
		if !ok {
			return s, false, nil
		}
		n = m.value
	}
	err = json.Unmarshal([]byte(plain(text, n, nil)), &s)
	return s, true, err
}

func (h host) readTOML(text string) (hostEntry, bool, error) {
	var s hostEntry
	lines, err := parseTOML(text)
	found := false
	for _, l := range lines {
		if !within(l.path, h.path()) {
			continue
		}
		found = true
		var target any
		switch {
		case l.head || len(l.path) != len(h.path())+1:
			continue
		case l.path[len(l.path)-1] == "command":
			target = &s.Command
		case l.path[len(l.path)-1] == "args":
			target = &s.Args
		default:
			continue
		}
		value := text[l.value:l.end]
		if !strings.ContainsAny(value, `"\`) { // TOML's other quotes
			value = strings.ReplaceAll(value, "'", `"`)
		}
		if err := json.Unmarshal([]byte(value), target); err != nil {
			return s, true, fmt.Errorf("%s is not written as satchel writes it", l.path[len(l.path)-1])
		}
	}
	return s, found, err
}
