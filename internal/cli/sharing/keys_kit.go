package sharing

import (
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/keys"
)

type keysKitCmd struct{}

// Run shows the recovery kit of the home folder's owner. Whoever reads it has the key.
func (c *keysKitCmd) Run(a *cli.App) error {
	return a.With(cli.Signing, func(o *cli.Session) error {
		if o.Owner != o.Config.Owner {
			return cli.Refusedf("the recovery kit of %s was shown when that key was made; this command shows the one of %s: leave --owner out", o.Owner, o.Config.Owner)
		}
		kit := keys.Recovery(o.Key)
		if a.JSON {
			if err := a.Emit(map[string]any{"owner": o.Owner, "recovery_kit": kit}); err != nil {
				return err
			}
		} else {
			a.Print("Recovery kit of %s. Write it down and keep it where nobody else finds it:\nit is the only way back to your key, and whoever reads it has the key.\n\n%s\n", o.Owner, kit)
		}
		if !o.Config.KitUnseen {
			return nil
		}
		o.Config.KitUnseen = false
		return o.WriteConfig(o.Config)
	})
}
