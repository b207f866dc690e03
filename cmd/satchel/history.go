package main

type historyCmd struct {
	ID string `arg:"" help:"The ID of any version, or the beginning of it."`
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
		for _, rec := range versions {
			a.print("%s  %s\n    %s", shortID(rec.ID), validity(rec.Time), oneLine(rec.Body.Text, 0))
		}
		return nil
	})
}
