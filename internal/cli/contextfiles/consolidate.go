package contextfiles

import (
	"strings"

	"github.com/satchel-memory/satchel/aicf/aicffile"
	"github.com/satchel-memory/satchel/internal/cli"
)

type aicfConsolidateCmd struct {
	File   string `arg:"" help:"The context file."`
	Method string `enum:"deduplication" default:"deduplication" help:"The method: deduplication, which needs no model."`
	ID     string `help:"The id of the section. Default: deduplication_001 and so on." placeholder:"ID"`
	DryRun bool   `short:"n" help:"List repeated entries and change nothing."`
	aicfFlags
}

// repeatedOut is a group of equal entries, for machines.
type repeatedOut struct {
	Text string   `json:"text"`
	IDs  []string `json:"ids"`
}

// Run appends one section; its sources stay as they are.
func (c *aicfConsolidateCmd) Run(a *cli.App) error {
	contents, err := c.contents(a, c.File)
	if err != nil {
		return aicfError(err)
	}
	d, err := contents.Index().Deduplicate(c.ID, a.Now())
	if err != nil {
		return cli.WithStatus(cli.ExitRefused, err)
	}
	if d.Section != nil && !c.DryRun {
		if _, err := aicffile.Append(c.File, c.options(a), d.Section); err != nil {
			return aicfError(err)
		}
	}
	groups := []repeatedOut{}
	for _, g := range d.Groups {
		groups = append(groups, repeatedOut{g.Text, g.IDs})
		if !a.JSON {
			a.Print("%s  %s", cli.Clean(strings.Join(g.IDs, ", ")), cli.OneLine(g.Text, 100))
		}
	}
	out := map[string]any{"groups": groups, "dry_run": c.DryRun}
	if s := d.Section; s != nil {
		out["id"], out["compression_ratio"], out["information_preserved"] = s.ID, s.CompressionRatio, s.InformationPreserved
	}
	if a.JSON {
		return a.Emit(out)
	}
	switch {
	case d.Section == nil:
		a.Say("nothing is said twice that is not told already")
	case c.DryRun:
		a.Say("%s would tell so; nothing was changed", cli.Clean(d.Section.ID))
	default:
		a.Say("%s tells so; its sources stay", cli.Clean(d.Section.ID))
	}
	return nil
}
