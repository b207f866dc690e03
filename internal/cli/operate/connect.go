package operate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/cli"
)

// serverName is the server's name in a host's settings.
const serverName = "satchel"

// ConnectCmd is the command satchel connect.
type ConnectCmd struct {
	Host           string `arg:"" optional:"" help:"The host; without one, all are listed with which are found and connected."`
	Print          bool   `help:"Only show the entry; change nothing."`
	Remove         bool   `help:"Take the entry, the hook and the instruction out again."`
	ProjectFile    bool   `help:"In the settings of the current project, not in yours."`
	NoInstructions bool   `help:"Leave the host's instructions (CLAUDE.md, AGENTS.md, GEMINI.md) alone."`
	NoHook         bool   `help:"Leave out the hook that shows a new session what you keep."`
}

// Help lists the hosts.
func (c *ConnectCmd) Help() string {
	return "Hosts: " + strings.Join(hostNames(), ", ") + ". For any other host, name it: the entry to paste is shown."
}

// Run edits the settings of the host, and its instructions.
func (c *ConnectCmd) Run(a *cli.App) error {
	if c.Host == "" {
		if c.Print || c.Remove || c.ProjectFile {
			return cli.Usagef("name a host; the hosts are %s", strings.Join(hostNames(), ", "))
		}
		return listHosts(a)
	}
	h, ok := hostNamed(c.Host)
	if !ok {
		return c.unknown(a)
	}
	if c.Print {
		return c.show(a, h)
	}
	if !c.Remove {
		if _, _, err := a.ExistingStore(); err != nil {
			return err
		}
	}
	changes, err := c.changes(a, h)
	if err != nil {
		return err
	}
	changed, err := c.apply(a, changes, nil)
	if err == nil && !c.Remove {
		c.follow(a, h, changed)
	}
	return err
}

// instructs reports whether the command edits the host's standing instructions.
func (c *ConnectCmd) instructs(h host) bool {
	return h.notes != nil && !c.ProjectFile && !c.NoInstructions
}

// hooks reports whether the command edits the host's list of hooks.
func (c *ConnectCmd) hooks(h host) bool {
	return h.hooks != nil && !c.ProjectFile && !c.NoHook
}

// show prints the entry, and names the other files that the command would write.
func (c *ConnectCmd) show(a *cli.App, h host) error {
	s, err := serverCommandFor(a)
	if err != nil {
		return err
	}
	a.Print("%s", h.show(s))
	if c.hooks(h) {
		file, err := h.hooks(a)
		if err != nil {
			return err
		}
		if text, err := jsonHookSet("", hookEntry(h, s)); err == nil && !noHook(a) {
			a.Say("\nand, unless you say --no-hook, into %s:\n\n%s", file, text)
		}
	}
	if !c.instructs(h) {
		return nil
	}
	notes, err := h.notes(a)
	if err == nil {
		a.Say("\nand, unless you say --no-instructions, into %s:\n\n%s", notes, instruction)
	}
	return err
}

// change is one edit of a file.
type change struct {
	name   string // of the kind of change, for its receipt
	file   string
	mode   fs.FileMode // of a new file
	set    func(string) (string, error)
	remove func(string) (string, error)
	check  func(before, after string) error // that nothing else differs
}

// changes are the edits that connect the host: its settings first.
func (c *ConnectCmd) changes(a *cli.App, h host) ([]change, error) {
	var s serverCommand
	var err error
	if !c.Remove {
		if s, err = serverCommandFor(a); err != nil {
			return nil, err
		}
	}
	changes, err := c.settings(a, h, s)
	if err != nil {
		return nil, err
	}
	if c.hooks(h) && (c.Remove || !noHook(a)) {
		file, err := h.hooks(a)
		if err != nil {
			return nil, err
		}
		changes = append(changes, change{"hook", file, 0o600,
			func(text string) (string, error) { return jsonHookSet(text, hookEntry(h, s)) }, jsonHookRemove, hookUnchanged})
	}
	if c.instructs(h) {
		notes, err := h.notes(a)
		if err != nil {
			return nil, err
		}
		changes = append(changes, change{"instruction", notes, 0o644,
			func(text string) (string, error) { return markerSet(text, instruction) }, markerRemove, markerUnchanged})
	}
	return changes, nil
}

// settings are the edits of the settings. They write the entry once, and remove it from
// every other file that the host may read.
func (c *ConnectCmd) settings(a *cli.App, h host, s serverCommand) ([]change, error) {
	file, err := h.file(a, c.ProjectFile)
	if err != nil {
		return nil, err
	}
	entry := change{"server", file, 0o600,
		func(text string) (string, error) { return h.set(text, s) }, h.remove, h.unchanged}
	if c.ProjectFile {
		entry.mode = 0o644 // the project shares it
		return []change{entry}, nil
	}
	changes := []change{entry}
	if !c.Remove {
		return changes, nil
	}
	files, err := h.files(a)
	for _, other := range files {
		if other != file && cli.Exists(other) {
			entry.file = other
			changes = append(changes, entry)
		}
	}
	return changes, err
}

// apply makes the changes file by file. Its reverse takes the other order, so that the
// folder made for the first file goes last. If a file cannot be cleared, it keeps satchel's
// part, and the others are still cleared. For agreed, see [edit].
func (c *ConnectCmd) apply(a *cli.App, changes []change, agreed func(plannedEdit) error) (changed bool, err error) {
	for _, of := range c.byFile(changes) {
		edited, failed := edit(a, of, c.Remove, agreed)
		if failed != nil && !c.Remove {
			return changed, failed
		}
		err = errors.Join(err, failed)
		changed = changed || edited
	}
	return changed, err
}

// byFile groups changes by their file, in the order in which the files are edited.
func (c *ConnectCmd) byFile(changes []change) (files [][]change) {
	for _, ch := range changes {
		i := slices.IndexFunc(files, func(of []change) bool { return of[0].file == ch.file })
		if i < 0 {
			i, files = len(files), append(files, nil)
		}
		files[i] = append(files[i], ch)
	}
	if c.Remove {
		slices.Reverse(files)
	}
	return files
}

// follow says what the user still has to do.
func (c *ConnectCmd) follow(a *cli.App, h host, changed bool) {
	if !h.installed(a) {
		a.Warn("%s was not found on this machine; the entry is there for when it is installed", h.Title)
	}
	if !changed {
		return
	}
	a.Say("%s", h.after)
	switch {
	case !c.hooks(h):
	case noHook(a):
		a.Say("The store is in a database, so no hook was written: a session must not wait for a network.")
	case h.afterHook != "":
		a.Say("%s", h.afterHook)
	}
}

// instruction tells a model what to do unasked. The tools themselves say when to call them,
// so the instruction does not repeat it.
const instruction = `## Memory

The MCP server "satchel" is the user's memory across sessions and programs. Its tools say when to call them: do so unasked, ` + "`ump_recall`" + ` first. Write one short sentence a memory. If you are not sure that the user wants it kept, ask first.
`

// serverCommandFor is the command that a host starts.
func serverCommandFor(a *cli.App) (serverCommand, error) {
	program, err := OwnPath()
	if err != nil {
		return serverCommand{}, err
	}
	args := []string{"mcp"}
	at, err := a.Home()
	if err != nil {
		return serverCommand{}, err
	}
	plain, err := plainStore(a)
	switch {
	case at.InDatabase() && cli.HasPassword(at.URL):
		return serverCommand{}, cli.Refusedf("the URL of the database has a password in it, and the settings of a host are no place for one: leave it out, and keep it in ~/.pgpass, " +
			"in the file that $PGPASSFILE names where hosts start satchel, or in one that the URL names with ?passfile=FILE")
	case at.InDatabase():
		args = append(args, "--store", at.URL, "--home", at.Dir)
	case err != nil || at.Dir != plain:
		args = append(args, "--store", at.Dir)
	}
	if a.Owner != "" {
		args = append(args, "--owner", a.Owner)
	}
	return serverCommand{program, args}, nil
}

// OwnPath is a path to this program that stays right after an update: the one on $PATH, if
// it leads here, else the program's own.
func OwnPath() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	found, err := exec.LookPath("satchel")
	if err != nil {
		return self, nil
	}
	here, err1 := os.Stat(self)
	there, err2 := os.Stat(found)
	if err1 != nil || err2 != nil || !os.SameFile(here, there) {
		return self, nil
	}
	return filepath.Abs(found)
}
