// Package agentstore keeps the definitions of an owner's agents and their checkpoints
// (AAIF 4.1, 8.2), and which migration tokens have been used.
package agentstore

import "github.com/satchel-memory/satchel/internal/vault"

// Service is the agents of the owners of one vault. It is safe for concurrent use.
type Service struct{ kernel vault.Kernel }

// New returns a service for the owners of v.
func New(v *vault.Vault) *Service { return &Service{vault.KernelOf(v)} }
