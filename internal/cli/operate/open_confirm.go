package operate

import (
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/vault/visit"
)

// confirmationCode is a code for a confirmation, for machines.
type confirmationCode struct {
	Code string    `json:"code"`
	Ends time.Time `json:"ends"`
}

// confirm prints a code by which the owner confirms an act of a browser.
func (c *OpenCmd) confirm(a *cli.App) error {
	if _, _, err := a.ExistingStore(); err != nil {
		return err
	}
	return a.With(cli.Signing, func(o *cli.Session) error {
		code, err := visit.New(o.Vault).IssueCode(a.Ctx, o.Caller())
		if err != nil {
			return err
		}
		if a.JSON {
			return a.Emit(confirmationCode{code.Code, code.Ends})
		}
		a.Print("%s", code.Code)
		a.Say("good once, until %s; type it only into a page that you opened yourself", code.Ends.Local().Format("15:04"))
		return nil
	})
}
