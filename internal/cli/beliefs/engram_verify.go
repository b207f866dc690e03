package beliefs

import (
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/cli"
)

type engramVerifyCmd struct {
	engramStore
}

// Run ends with status 0 for a verified context, with 4 for a refused one, and with 1 for
// an unsigned one.
func (c *engramVerifyCmd) Run(a *cli.App) error {
	client, err := c.client(a, nil)
	if err != nil {
		return err
	}
	v, err := client.Fetch(a.Ctx)
	if err != nil {
		return engramError(a, err)
	}
	d := v.Document
	if a.JSON {
		err = a.Emit(map[string]any{
			"trust": v.Trust, "kid": v.Kid, "issuer": map[string]string{"name": d.Issuer.Name, "url": d.Issuer.URL}, "scope": d.Scope, "subject": d.Subject.ID,
			"issued_at": d.IssuedAt, "until": v.Until, "beliefs": len(d.Beliefs),
		})
	} else {
		a.Print("%s: %s (%s), %s, scope %s, %s, good until %s", v.Trust, cli.Clean(d.Issuer.Name), cli.Clean(d.Issuer.URL), cli.Clean(v.Kid), cli.Clean(string(d.Scope)),
			cli.Plural(len(d.Beliefs), "belief", "beliefs"), v.Until.UTC().Format(time.RFC3339))
	}
	if err == nil && v.Trust != engram.Verified {
		err = cli.Silent(cli.ExitFailed)
	}
	return err
}
