package sharing

import (
	"context"

	"github.com/satchel-memory/satchel/internal/cli"
)

// keyIsOpen refuses where a signature is needed of an owner whose key is held
// elsewhere.
func keyIsOpen(o *cli.Opened, ctx context.Context) error {
	info, err := o.Vault.Owner(ctx, o.Operator(), o.Owner)
	if err == nil && !info.Held {
		err = cli.Refusedf("the key of %s is held by its owner alone: nothing can be signed here for it", o.Owner)
	}
	return err
}
