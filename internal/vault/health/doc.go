// Package health examines a store for damage: records, columns, tokens, checkpoints of
// agents, beliefs and audit logs.
package health

import "github.com/satchel-memory/satchel/internal/vault"

// Service examines the store of one vault. It is safe for concurrent use.
type Service struct{ kernel vault.Kernel }

// New returns a service for the store of v.
func New(v *vault.Vault) *Service { return &Service{vault.KernelOf(v)} }
