// Package bundle imports and exports AIMEM bundles for the owners of a vault: it decides
// about each chunk of a bundle, and makes a bundle of an owner's memories.
package bundle

import "github.com/satchel-memory/satchel/internal/vault"

// Service imports and exports bundles for the owners of one vault. It is safe for
// concurrent use.
type Service struct{ kernel vault.Kernel }

// New returns a service for the owners of v.
func New(v *vault.Vault) *Service { return &Service{vault.KernelOf(v)} }
