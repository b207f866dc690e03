package server

import (
	"context"

	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/memory"
)

// consentPages lets owners decide about remote assistants.
type consentPages struct{}

var _ pages.Consenter = consentPages{}

// ConsentRequest returns what an assistant asks for.
func (p consentPages) ConsentRequest(context.Context, memory.Caller, string, string) (pages.ConsentRequest, error) {
	return pages.ConsentRequest{}, noRemoteAssistants()
}

// Consent grants it.
func (p consentPages) Consent(context.Context, memory.Caller, string, string, pages.ConsentDecision) (string, error) {
	return "", noRemoteAssistants()
}

// RefuseConsent refuses it.
func (p consentPages) RefuseConsent(context.Context, memory.Caller, string, string) (string, error) {
	return "", noRemoteAssistants()
}

func noRemoteAssistants() error {
	return &memory.Error{Kind: memory.Unsupported, Op: "consent", Message: "this server takes no remote assistants; satchel serve --oauth does"}
}
