package contextfiles

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/aicf/aicffile"
	"github.com/satchel-memory/satchel/internal/cli"
)

// Cmd is the command satchel aicf.
type Cmd struct {
	Append      aicfAppendCmd      `cmd:"" help:"Append an insight, a decision, a link, or another context file."`
	Get         aicfGetCmd         `cmd:"" help:"Show a section, or an entry by its id."`
	Search      aicfSearchCmd      `cmd:"" help:"Find entries by words, or by the vectors in the file."`
	Migrate     aicfMigrateCmd     `cmd:"" help:"Convert a context file of any version and dialect to 3.1."`
	Consolidate aicfConsolidateCmd `cmd:"" help:"Append a section that lists repeated entries."`
	Stats       aicfStatsCmd       `cmd:"" help:"Count the entries of a context file, and compare its length with the conversation."`
	Split       aicfSplitCmd       `cmd:"" help:"Write a context file as a folder, a file for each kind of section."`
	Join        aicfJoinCmd        `cmd:"" help:"Join such a folder into one context file."`
	Seal        aicfSealCmd        `cmd:"" help:"Encrypt a context file with a passphrase."`
	Open        aicfOpenCmd        `cmd:"" help:"Decrypt a sealed context file."`
}

// aicfFlags are the flags of all commands that read or change a context file.
type aicfFlags struct {
	Log   string `help:"Append a line of JSON to FILE for each read or change, without content." placeholder:"FILE"`
	Force bool   `help:"Continue with a file that is damaged, or of a later version."`
}

// options are the options for the file.
func (f aicfFlags) options(a *cli.App) aicffile.Options {
	return aicffile.Options{Options: aicf.Options{Partial: true, Force: f.Force}, Log: f.Log, Now: a.Now}
}

// read reads a context file despite its faults. It refuses what is no context file.
func (f aicfFlags) read(a *cli.App, path string) (*aicf.Contents, error) {
	o := f.options(a)
	file, err := aicffile.Read(path, o)
	if err != nil {
		return nil, err
	}
	c, found := aicf.Read(file, o.Options)
	return c, another(path, found)
}

// another refuses a file that is no context file. No flag goes on with it.
func another(path string, found []aicf.Finding) error {
	if f, is := aicf.NoContext(found); is {
		return cli.Invalidf("%s is not valid: %s", path, f)
	}
	return nil
}

// contents reads a context file for work on it (see sound).
func (f aicfFlags) contents(a *cli.App, path string) (*aicf.Contents, error) {
	o := f.options(a)
	file, err := aicffile.Read(path, o)
	if err != nil {
		return nil, err
	}
	return f.sound(path, file, o.Options)
}

// sound reads a file and refuses one with unreadable lines, unless --force is set
// (AICF-SAFE-3). Mere oddities pass.
func (f aicfFlags) sound(path string, file *aicf.File, o aicf.Options) (*aicf.Contents, error) {
	c, found := aicf.Read(file, o)
	if err := another(path, found); err != nil {
		return nil, err
	}
	if c.Dialect == aicf.Spec {
		found = append(file.Findings(), found...)
	}
	for _, finding := range found {
		if finding.Severity == aicf.Broken && !f.Force {
			return nil, unsound(path, finding)
		}
	}
	return c, nil
}

// unsound refuses a file for a finding that --force overrides.
func unsound(path string, f aicf.Finding) error {
	return cli.Invalidf("%s is not valid: %s; satchel validate lists all that is wrong, and --force goes on", path, f)
}

// aicfError gives an error about a context file its exit status.
func aicfError(err error) error {
	if errors.Is(err, aicffile.ErrInvalid) {
		return cli.WithStatus(cli.ExitInvalid, err)
	}
	return err
}

// stem is the name of a file without its folder and endings, as part of an id.
func stem(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("|\\>=\n\r\t ", r) {
			return '_'
		}
		return r
	}, name)
}

// fresh refuses to overwrite a file.
func fresh(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return cli.Refusedf("%s is there already; name another file with -o", path)
	}
	return nil
}

// contextEntry is an entry for machines.
type contextEntry struct {
	Section string `json:"section"`
	ID      string `json:"id,omitempty"` // the target of links
	Line    int    `json:"line"`
	Text    string `json:"text"` // its lines, as written
}

func contextEntryOf(x *aicf.Index, e aicf.Entry) contextEntry {
	section, id := aicf.Heading(e)
	if name := x.Name(e); name != "" {
		id = name
	}
	text := e.Place().Raw
	if text == "" { // its dialect has no lines of this format
		if lines, err := aicf.Lines(e); err == nil {
			text = strings.Join(lines, "\n")
		}
	}
	return contextEntry{section, id, e.Place().Line, strings.TrimRight(text, "\n")}
}

// title names an entry for people.
func (e contextEntry) title() string {
	if e.ID == "" {
		return e.Section
	}
	return fmt.Sprintf("%s:%s", e.Section, e.ID)
}
