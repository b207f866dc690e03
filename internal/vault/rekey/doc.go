// Package rekey gives an owner another key: it copies everything of the owner to the new
// key's owner, signs the copy with that key, verifies it, and erases the original on
// request.
package rekey

import "github.com/satchel-memory/satchel/internal/vault"

// Service changes the keys of owners of one vault. It is safe for concurrent use.
type Service struct{ kernel vault.Kernel }

// New returns a service for the owners of v.
func New(v *vault.Vault) *Service { return &Service{vault.KernelOf(v)} }
