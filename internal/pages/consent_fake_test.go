package pages_test

import (
	"context"

	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/memory"
)

// fakeConsenter knows one request, "request1", of the browser that shows "held1".
type fakeConsenter struct {
	request  pages.ConsentRequest
	granted  *pages.ConsentDecision
	denied   bool
	to       string // the address that decisions lead to; empty: to the assistant
	consents error  // what decisions fail with
}

func (f *fakeConsenter) known(id, held string) error {
	if id != "request1" || held != "held1" {
		return &memory.Error{Kind: memory.NotFound}
	}
	return f.consents
}

func (f *fakeConsenter) ConsentRequest(_ context.Context, _ memory.Caller, id, held string) (pages.ConsentRequest, error) {
	return f.request, f.known(id, held)
}

func (f *fakeConsenter) Consent(_ context.Context, _ memory.Caller, id, held string, d pages.ConsentDecision) (string, error) {
	f.granted = &d
	return f.lead("https://assistant.example/back?code=1"), f.known(id, held)
}

func (f *fakeConsenter) RefuseConsent(_ context.Context, _ memory.Caller, id, held string) (string, error) {
	f.denied = true
	return f.lead("https://assistant.example/back?error=access_denied"), f.known(id, held)
}

func (f *fakeConsenter) lead(to string) string {
	if f.to != "" {
		return f.to
	}
	return to
}
