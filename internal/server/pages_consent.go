package server

import (
	"context"

	"github.com/satchel-memory/satchel/internal/oauth"
	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/memory"
)

// consentPages lets owners decide about remote assistants.
type consentPages struct{ oauth *oauth.Handler } // nil: the server takes none

var _ pages.Consenter = consentPages{}

// ConsentRequest returns what an assistant asks for.
func (p consentPages) ConsentRequest(ctx context.Context, c memory.Caller, id, held string) (pages.ConsentRequest, error) {
	if p.oauth == nil {
		return pages.ConsentRequest{}, noRemoteAssistants()
	}
	q, err := p.oauth.Request(ctx, c, id, held)
	if err != nil {
		return pages.ConsentRequest{}, err
	}
	out := pages.ConsentRequest{
		Client: q.Name, Host: q.Host, Document: q.Document, Named: pages.NamedByItself, RedirectHost: q.Redirect.Host, RedirectHere: q.Loopback,
		Resource: q.Resource, Verbs: q.Verbs, Seen: q.Seen, Ends: q.Ends,
		Usual: oauth.UsualGrant, Longest: oauth.LongestGrant,
	}
	if q.Host != "" {
		out.Named = pages.NamedByDocument
	}
	if q.Context != "" {
		out.Context = &pages.ConsentContext{Scope: q.Context, Purpose: q.Purpose}
	}
	return out, nil
}

// Consent grants it.
func (p consentPages) Consent(ctx context.Context, c memory.Caller, id, held string, d pages.ConsentDecision) (string, error) {
	if p.oauth == nil {
		return "", noRemoteAssistants()
	}
	return p.oauth.Allow(ctx, c, id, held, oauth.Decision{Verbs: d.Verbs, Projects: d.Projects, Visibility: d.Visibility, Until: d.Until, Replaces: d.Replaces})
}

// RefuseConsent refuses it.
func (p consentPages) RefuseConsent(_ context.Context, _ memory.Caller, id, held string) (string, error) {
	if p.oauth == nil {
		return "", noRemoteAssistants()
	}
	return p.oauth.Deny(id, held)
}

func noRemoteAssistants() error {
	return &memory.Error{Kind: memory.Unsupported, Op: "consent", Message: "this server takes no remote assistants; satchel serve --oauth does"}
}
