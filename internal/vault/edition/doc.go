// Package edition changes the edition of UMP of an owner's memory, and reports the
// progress of a change.
package edition

import "github.com/satchel-memory/satchel/internal/vault"

// Service changes the editions of the owners of one vault. It is safe for concurrent
// use.
type Service struct{ kernel vault.Kernel }

// New returns a service for the owners of v.
func New(v *vault.Vault) *Service { return &Service{vault.KernelOf(v)} }
