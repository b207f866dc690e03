package vault

import "context"

// Health reports what is wrong with the store, one finding a line.
func (v *Vault) Health(ctx context.Context) ([]string, error) {
	findings, err := v.store.Check(ctx)
	return findings, v.refusal("doctor", "", err)
}
