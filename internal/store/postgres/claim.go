package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Claim calls fn while nobody else claims the database at url or migrates it: whoever
// asks meanwhile waits until fn is done, and then sees what it did. fn must not
// migrate the database: it would wait for itself. The error is fn's, or says why
// the turn was not had.
func Claim(ctx context.Context, url string, opt Options, fn func() error) error {
	config, err := opt.withDefaults().parse(url)
	if err != nil {
		return err
	}
	var failed error
	err = withOwner(ctx, config.ConnConfig, func(c *pgx.Conn) error {
		if err := alone(ctx, c); err != nil {
			return err
		}
		failed = fn()
		return nil
	})
	if err != nil {
		return translate("claim store", err)
	}
	return failed
}
