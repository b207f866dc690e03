package main

import (
	"errors"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

type verifyCmd struct {
	File          string `arg:"" help:"A UMP document, a folder of them, or - for standard input."`
	AllowUnsigned bool   `help:"Unsigned records are no failure."`
}

// verdict is what verify says about one record that did not pass.
type verdict struct {
	ID      memory.ID `json:"id"`
	Message string    `json:"message"`
}

// Run checks every record. Whatever does not verify ends it with status 4.
func (c *verifyCmd) Run(a *app) error {
	d, err := a.umpDocument(c.File)
	if err != nil {
		return err
	}
	defer d.Close()
	r, err := d.read(a, inspected, "")
	if err != nil {
		return err
	}
	defer r.Close()
	verified, unsigned := 0, 0
	failed := []verdict{}
	err = each(r, func(rec memory.Record) error {
		switch err := ump.Verify(rec.Form()); {
		case err == nil:
			verified++
		case errors.Is(err, ump.ErrUnsigned):
			unsigned++
		default:
			failed = append(failed, verdict{rec.ID, err.Error()})
		}
		return nil
	})
	if err != nil {
		return err
	}
	if a.json {
		err = a.emit(map[string]any{"verified": verified, "unsigned": unsigned, "failed": failed})
	} else {
		for _, f := range failed {
			a.print("%s: %s", f.ID, clean(f.Message))
		}
		a.print("%d verified, %d unsigned, %d failed", verified, unsigned, len(failed))
	}
	if err == nil && (len(failed) > 0 || unsigned > 0 && !c.AllowUnsigned) {
		err = silent(exitRefused)
	}
	return err
}

// unresolvable reports whether a signature cannot be checked here, which says
// nothing against it.
func unresolvable(err error) bool { return errors.Is(err, ump.ErrUnresolvable) }
