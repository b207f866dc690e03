package memories

import (
	"bytes"
	"encoding/json"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/sharing"
	"github.com/satchel-memory/satchel/memory"
)

// GetCmd is the command satchel get.
type GetCmd struct {
	ID   string      `arg:"" help:"The id, or its first characters."`
	View memory.View `default:"current" enum:"current,origin" help:"current, or origin: the record as it was signed." placeholder:"V"`
}

// Run shows one record.
func (c *GetCmd) Run(a *cli.App) error {
	return a.With(cli.Reading, func(o *cli.Session) error {
		id, err := o.FindID(a.Ctx, c.ID)
		if err != nil {
			return err
		}
		rec, err := o.Get(a.Ctx, o.Caller(), id, c.View)
		if err != nil {
			return err
		}
		if !a.JSON {
			called, err := tokenNames(o, a, len(tokensOf(rec)) > 0)
			details(a, rec, o.Owner, called)
			return err
		}
		form, err := cli.RawRecord(rec)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := json.Indent(&b, form, "", "  "); err != nil {
			return err
		}
		a.Print("%s", b.String())
		return nil
	})
}

// tokenNames returns the names of tokens, by jti; nothing unless wanted.
func tokenNames(o *cli.Session, a *cli.App, wanted bool) (map[string]string, error) {
	if !wanted {
		return nil, nil
	}
	grants, err := o.Tokens(a.Ctx, o.Caller())
	return sharing.TokenNames(grants), err
}
