// Package bundle imports and exports AIMEM bundles for the owners of a vault: it
// decides what becomes of each chunk, and makes a bundle of what an owner keeps.
package bundle

import "github.com/satchel-memory/satchel/internal/vault"

// Service imports and exports bundles for the owners of one vault. It is safe for
// concurrent use.
type Service struct{ kernel vault.Kernel }

// New returns a service for the owners of v.
func New(v *vault.Vault) *Service { return &Service{vault.KernelOf(v)} }
