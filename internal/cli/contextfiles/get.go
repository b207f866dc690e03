package contextfiles

import (
	"fmt"
	"strings"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/text/pattern"
)

type aicfGetCmd struct {
	File    string `arg:"" help:"The context file."`
	What    string `arg:"" help:"A section such as INSIGHTS or STATE:user, a section and an id such as CONVERSATION:conv_001 or DECISIONS:decision_002, or an id alone." placeholder:"SECTION[:ID]"`
	Earlier bool   `name:"all" help:"Show earlier forms of an id too."`
	aicfFlags
}

// sectionName matches the name of a section.
var sectionName = pattern.New(`^[A-Z][A-Z0-9_]*$`)

// Run prints entries as the file has them.
func (c *aicfGetCmd) Run(a *cli.App) error {
	contents, err := c.read(a, c.File)
	if err != nil {
		return aicfError(err)
	}
	x := contents.Index()
	section, id, _ := strings.Cut(c.What, ":")
	if !sectionName.MatchString(section) {
		section, id = "", c.What
	}
	found := matching(contents, x, section, id)
	if id != "" && section != "STATE" && !c.Earlier && len(found) > 1 {
		found = found[len(found)-1:]
	}
	if len(found) == 0 {
		return fmt.Errorf("there is no %s in %s", c.What, c.File)
	}
	if a.JSON {
		return a.Emit(map[string]any{"entries": found})
	}
	for i, e := range found {
		if i > 0 && strings.Contains(e.Text, "\n") {
			a.Print("")
		}
		for line := range strings.SplitSeq(e.Text, "\n") {
			a.Print("%s", cli.Clean(line))
		}
	}
	return nil
}

// matching returns the entries of a section, or with an id; empty: any.
func matching(c *aicf.Contents, x *aicf.Index, section, id string) []contextEntry {
	var found []contextEntry
	for _, e := range c.Entries {
		name, own := aicf.Heading(e)
		if name == "" || section != "" && name != section {
			continue
		}
		if id == "" || id == own || id == x.Name(e) {
			found = append(found, contextEntryOf(x, e))
		}
	}
	return found
}
