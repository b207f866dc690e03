// Package agentstore keeps the definitions and checkpoints of an owner's agents (AAIF
// 4.1, 8.2), and remembers used migration tokens.
package agentstore

import "github.com/satchel-memory/satchel/internal/vault"

// Service keeps the agents of the owners of one vault. It is safe for concurrent use.
type Service struct{ kernel vault.Kernel }

// New returns a service for the owners of v.
func New(v *vault.Vault) *Service { return &Service{vault.KernelOf(v)} }
