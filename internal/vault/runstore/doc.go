// Package runstore keeps the runs of an owner's agents (AAIF 8.1): a journal of events for
// each, and who holds it. What the events say is for package run; here they are bytes.
//
// Whoever wants to go on with a run holds it and gets its fence, a number. Every append
// names the fence, and fails with [ErrFenced] in the same transaction once somebody else
// took hold. Nobody holds a run that waits for a person.
package runstore

import "github.com/satchel-memory/satchel/internal/vault"

// Service keeps the runs of the owners of one vault. It is safe for concurrent use.
type Service struct{ kernel vault.Kernel }

// New returns a service for the owners of v.
func New(v *vault.Vault) *Service { return &Service{vault.KernelOf(v)} }
