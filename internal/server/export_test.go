package server

import (
	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/internal/vault"
)

// The external tests check the backends that the server's options accept.
type (
	Admitter = admitter
	Refuser  = refusalRecorder
	Counter  = statsSource
	Shared   = sharedLimiter
)

// New lets the external tests make a server that does not listen.
var New = newServer

// OwnerPagesOf gives the pages a vault, for what browsers cannot bring about.
func OwnerPagesOf(v *vault.Vault) pages.Backend {
	return ownerPages{vaultBackend: vaultBackend{Vault: v}}
}

// ConsenterOf returns what the pages of a server ask about remote assistants.
func ConsenterOf(s *server) pages.Consenter { return consentPages{s.options.oauth} }
