package main

import (
	"errors"
	"io"
	"os"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/aicf/aicffile"
)

type aicfSplitCmd struct {
	aicfFlags
	File   string `arg:"" help:"The context file."`
	Folder string `arg:"" help:"A folder that is new or empty."`
}

// Run writes what a file says as a file for each kind of section.
func (c *aicfSplitCmd) Run(a *app) error {
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
	a.lost(losses)
	a.say("%s stands in %s, a file for each kind of section; satchel aicf join makes one of them", clean(c.File), clean(c.Folder))
	return a.wrote(c.Folder)
}

// empty refuses a folder that holds something.
func empty(path string) error {
	entries, err := os.ReadDir(path)
	if err == nil && len(entries) > 0 {
		return refusedf("%s is not empty; name a folder that is", path)
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
func (c *aicfJoinCmd) Run(a *app) error {
	if !stdout(c.Output) {
		if err := fresh(c.Output); err != nil {
			return err
		}
	}
	contents, err := aicffile.ReadSplit(c.Folder, c.options(a))
	if err != nil {
		return aicfError(err)
	}
	if len(contents.Entries) == 0 {
		return invalidf("%s holds no context file of a split layout", clean(c.Folder))
	}
	if !stdout(c.Output) {
		losses, err := aicffile.Write(c.Output, contents, aicf.WriteOptions{}, c.options(a))
		a.lost(losses)
		if err != nil {
			return aicfError(err)
		}
		return a.wrote(c.Output)
	}
	return a.place(c.Output, func(out io.Writer) error {
		losses, err := aicf.EncodeTo(out, contents, aicf.WriteOptions{})
		a.lost(losses)
		return err
	})
}
