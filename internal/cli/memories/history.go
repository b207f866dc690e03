package memories

import (
	"slices"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// forkMark marks a listed version that is one of several in force.
const forkMark = ", one of several current versions"

// HistoryCmd is the command satchel history.
type HistoryCmd struct {
	ID string `arg:"" help:"The id of any version, or its first characters."`
}

// Run shows every version of a belief.
func (c *HistoryCmd) Run(a *cli.App) error {
	return a.With(cli.Reading, func(o *cli.Session) error {
		id, err := o.FindID(a.Ctx, c.ID)
		if err != nil {
			return err
		}
		versions, err := o.History(a.Ctx, o.Caller(), id)
		if err != nil {
			return err
		}
		if a.JSON {
			records, err := cli.RawRecords(versions)
			if err != nil {
				return err
			}
			return a.Emit(map[string]any{"records": records})
		}
		short := a.Shortener(o, versions)
		tips := vault.CurrentVersions(versions, a.Now())
		for _, rec := range versions {
			mark := ""
			if len(tips) > 1 && slices.ContainsFunc(tips, func(tip memory.Record) bool { return tip.ID == rec.ID }) {
				mark = forkMark
			}
			a.Print("%s  %s%s\n    %s", short(rec.ID), validity(rec.Time), mark, cli.OneLine(listed(a, o, rec), 0))
		}
		if len(tips) > 1 {
			a.Say("%d versions are current: forget those that are wrong", len(tips))
		}
		return nil
	})
}
