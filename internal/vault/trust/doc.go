// Package trust keeps the keys that an owner trusts: of producers of bundles (AIMEM
// 5.3), of issuers of exports (Engram 3.8), and of both as authors of agents (AAIF). It
// also keeps what the owner consents to (AIMEM 5.5).
package trust

import "github.com/satchel-memory/satchel/internal/vault"

// Service keeps the trusted keys of the owners of one vault. It is safe for concurrent
// use.
type Service struct{ kernel vault.Kernel }

// New returns a service for the owners of v.
func New(v *vault.Vault) *Service { return &Service{vault.KernelOf(v)} }
