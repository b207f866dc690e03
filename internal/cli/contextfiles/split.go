package contextfiles

import (
	"errors"
	"io"
	"os"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/aicf/aicffile"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/documents"
)

type aicfSplitCmd struct {
	aicfFlags
	File   string `arg:"" help:"The context file."`
	Folder string `arg:"" help:"A folder that is new or empty."`
}

// Run writes one file for each kind of section.
func (c *aicfSplitCmd) Run(a *cli.App) error {
	if err := empty(c.Folder); err != nil {
		return err
	}
	contents, err := c.contents(a, c.File)
	if err != nil {
		return aicfError(err)
	}
	losses, err := aicffile.WriteSplit(c.Folder, contents, c.options(a))
	if err != nil {
		return aicfError(err)
	}
	documents.TellLost(a, losses)
	a.Say("%s stands in %s, a file for each kind of section; satchel aicf join makes one of them", cli.Clean(c.File), cli.Clean(c.Folder))
	return wrote(a, c.Folder)
}

// empty refuses a folder with content.
func empty(path string) error {
	entries, err := os.ReadDir(path)
	if err == nil && len(entries) > 0 {
		return cli.Refusedf("%s is not empty; name a folder that is", path)
	}
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

type aicfJoinCmd struct {
	aicfFlags
	Folder string `arg:"" help:"The folder."`
	Output string `short:"o" required:"" help:"The context file; - for standard output." placeholder:"FILE"`
}

// Run makes one file of a folder.
func (c *aicfJoinCmd) Run(a *cli.App) error {
	if !cli.IsStdout(c.Output) {
		if err := fresh(c.Output); err != nil {
			return err
		}
	}
	contents, err := aicffile.ReadSplit(c.Folder, c.options(a))
	if err != nil {
		return aicfError(err)
	}
	if len(contents.Entries) == 0 {
		return cli.Invalidf("%s holds no context file of a split layout", cli.Clean(c.Folder))
	}
	if !cli.IsStdout(c.Output) {
		losses, err := aicffile.Write(c.Output, contents, aicf.WriteOptions{}, c.options(a))
		documents.TellLost(a, losses)
		if err != nil {
			return aicfError(err)
		}
		return wrote(a, c.Output)
	}
	return a.Place(c.Output, func(out io.Writer) error {
		losses, err := aicf.EncodeTo(out, contents, aicf.WriteOptions{})
		documents.TellLost(a, losses)
		return err
	})
}
