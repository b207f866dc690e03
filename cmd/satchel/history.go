package main

import (
	"slices"

	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// forkMark marks a version in a list that is not the only one in force.
const forkMark = ", one of several current versions"

type historyCmd struct {
	ID string `arg:"" help:"The id of any version, or its first characters."`
}

// Run shows every version of a belief.
func (c *historyCmd) Run(a *app) error {
	return a.with(reading, func(o *opened) error {
		id, err := o.resolve(a.ctx, c.ID)
		if err != nil {
			return err
		}
		versions, err := o.History(a.ctx, o.owner(), id)
		if err != nil {
			return err
		}
		if a.json {
			records, err := raws(versions)
			if err != nil {
				return err
			}
			return a.emit(map[string]any{"records": records})
		}
		short := a.shortener(o, versions)
		tips := vault.CurrentVersions(versions, a.now())
		for _, rec := range versions {
			mark := ""
			if len(tips) > 1 && slices.ContainsFunc(tips, func(tip memory.Record) bool { return tip.ID == rec.ID }) {
				mark = forkMark
			}
			a.print("%s  %s%s\n    %s", short(rec.ID), validity(rec.Time), mark, oneLine(a.listed(o, rec), 0))
		}
		if len(tips) > 1 {
			a.say("%d versions are current: forget those that are wrong", len(tips))
		}
		return nil
	})
}
