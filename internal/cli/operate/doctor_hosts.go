package operate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/cli"
)

// hosts checks which hosts know satchel, and whether the programs in their entries exist.
func (d *doctor) hosts() {
	connected := 0
	for _, h := range Hosts() {
		files, err := h.files(d.app)
		if err != nil {
			continue // there is no home to look in
		}
		for _, file := range files {
			if text, ok := d.hostFile(h, file); ok && d.entry(h, file, text) {
				connected++
			}
		}
		if h.hooks != nil {
			d.hook(h)
		}
	}
	if connected == 0 {
		d.good("hosts", "none is connected; satchel connect HOST does that")
	}
}

// hostFile reads a file of a host, if it is there.
func (d *doctor) hostFile(h host, file string) (string, bool) {
	data, err := cli.ReadBounded(file, cli.MaxSettings)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.bad(h.Name, cli.Describe(err), "see to the file", nil)
	}
	return string(data), err == nil
}

// entry looks for a host's entry, and checks the program that it starts.
func (d *doctor) entry(h host, file, text string) bool {
	s, found, err := h.read(text)
	if err != nil {
		d.garbled(h, file, err)
		return false
	}
	if found {
		d.server(h, file, s)
	}
	return found
}

// garbled reports an unreadable file.
func (d *doctor) garbled(h host, file string, err error) {
	d.bad(h.Name, fmt.Sprintf("%s cannot be understood: %v", file, err), "mend the file: the host may not understand it either", nil)
}

// hook checks a host's hook: whether its program exists, and whether it reads this store.
func (d *doctor) hook(h host) {
	file, err := h.hooks(d.app)
	if err != nil {
		return
	}
	text, ok := d.hostFile(h, file)
	if !ok {
		return
	}
	command, found, err := readHook(text)
	if err != nil && !slices.ContainsFunc(h.settings, func(at place) bool { same, _ := at(d.app); return same == file }) {
		d.garbled(h, file, err)
	}
	if err != nil || !found {
		return
	}
	again := "satchel connect " + h.Name
	program, tail, _ := strings.Cut(command, hookMark)
	program = shellUnquote(program)
	info, err := os.Stat(program)
	want, unknown := serverCommandFor(d.app)
	switch {
	case err != nil || info.IsDir():
		d.bad(h.Name, fmt.Sprintf("the hook in %s starts %s, which is not there", file, program), again, nil)
	case unknown == nil && hookMark+tail != hookTail(want):
		d.bad(h.Name, fmt.Sprintf("the hook in %s is of an earlier release or uses another store", file), again, nil)
	default:
		d.good(h.Name, "a hook in %s shows new sessions what you keep", file)
	}
}

// server checks the entry of one host.
func (d *doctor) server(h host, file string, s hostEntry) {
	again := "satchel connect " + h.Name
	info, err := os.Stat(s.Command)
	switch at := storeOf(d.app, s); {
	case err != nil || info.IsDir():
		d.bad(h.Name, fmt.Sprintf("%s starts %s, which is not there", file, s.Command), again, nil)
	case !slices.Contains(s.Args, "mcp"):
		d.bad(h.Name, file+" does not start satchel mcp", again, nil)
	case !isStore(d.home, at):
		d.bad(h.Name, fmt.Sprintf("%s uses another store, %s", file, at), again+", or name that store with --store", nil)
	default:
		d.good(h.Name, "connected in %s", file)
	}
}

// storeOf is the store an entry makes satchel use.
func storeOf(a *cli.App, s hostEntry) string {
	if i := slices.Index(s.Args, "--store"); i >= 0 && i+1 < len(s.Args) {
		return s.Args[i+1]
	}
	plain, err := plainStore(a)
	if err != nil {
		return ""
	}
	return plain
}
