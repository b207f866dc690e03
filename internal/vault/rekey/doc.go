// Package rekey gives an owner another key: it copies everything that the owner
// keeps to the owner that the new key stands for, signed by that key, verifies the
// copy, and erases the original when it is told to.
package rekey

import "github.com/satchel-memory/satchel/internal/vault"

// Service changes the keys of owners of one vault. It is safe for concurrent use.
type Service struct{ kernel vault.Kernel }

// New returns a service for the owners of v.
func New(v *vault.Vault) *Service { return &Service{vault.KernelOf(v)} }
