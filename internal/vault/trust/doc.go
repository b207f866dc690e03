// Package trust keeps whom an owner knows by which keys: producers of bundles (AIMEM
// 5.3), issuers of exports (Engram 3.8), and both as authors of agents (AAIF). It also keeps what
// the owner consents to (AIMEM 5.5).
package trust

import "github.com/satchel-memory/satchel/internal/vault"

// Service is the trust of the owners of one vault. It is safe for concurrent use.
type Service struct{ kernel vault.Kernel }

// New returns a service for the owners of v.
func New(v *vault.Vault) *Service { return &Service{vault.KernelOf(v)} }
