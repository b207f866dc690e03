package pages

import (
	"context"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// ConsentSuffix ends the name of the cookie that binds a request for consent to the browser
// that brought it. The name begins as that of the cookie of a visit. The request is decided
// at /me/consent, where the parameter "request" of the address names it.
const ConsentSuffix = "-consent"

// Consenter lets the owner decide about remote assistants that ask for access by OAuth. A
// request is named by its id, and belongs to the browser that shows the cookie held. The
// methods fail with kind NotFound if there is no such request for this browser, or none any
// more, and with kind Unsupported if the server takes no remote assistants.
type Consenter interface {
	// ConsentRequest returns what an assistant asks for.
	ConsentRequest(ctx context.Context, c memory.Caller, id, held string) (ConsentRequest, error)
	// Consent grants the caller's memory to the assistant, and returns the address that the
	// browser goes to. It fails with kind ForbiddenScope if the decision gives more than was
	// asked for, with kind InvalidRecord if it gives nothing or ends too late, and with kind
	// Unsupported if the owner's key is not open here.
	Consent(ctx context.Context, c memory.Caller, id, held string, d ConsentDecision) (to string, err error)
	// RefuseConsent refuses the request, and returns the address that the browser goes to.
	RefuseConsent(ctx context.Context, c memory.Caller, id, held string) (to string, err error)
}

// ConsentRequest is what a remote assistant asks the owner for.
type ConsentRequest struct {
	Client       string // its name, as it gives it; whoever asks may choose any name
	Host         string // that vouches for the name; empty: nobody does
	Document     string // its address, if Host is set
	Named        ConsentName
	RedirectHost string        // the host that the answer goes to, with a port of this machine's
	RedirectHere bool          // the answer goes to a program of the machine that the browser is on
	Resource     string        // what the access is for: an address of this server
	Verbs        []memory.Verb // what the assistant asks to do, in the order of memory.Verbs
	// Context is set if the assistant asks for the context that it starts from, and for
	// nothing else (Engram). Then Verbs says whether it may read it and propose corrections.
	Context *ConsentContext
	Seen    bool      // the caller granted something to this assistant before
	Ends    time.Time // of the request
	// Usual and Longest are how long a grant lasts if the owner chooses nothing, and at most.
	Usual, Longest time.Duration
}

// ConsentContext is the part of an owner's context that an assistant asks for.
type ConsentContext struct {
	Scope   string // full, professional, personal, financial or minimal
	Purpose string // as the assistant gives it; may be empty
}

// ConsentName says where the name of an assistant comes from.
type ConsentName string

// The sources of an assistant's name.
const (
	// NamedByDocument: from a document at Host, which names the address of the answers.
	NamedByDocument ConsentName = "document"
	// NamedByItself: the assistant registered itself under this name. Nobody vouches for it.
	NamedByItself ConsentName = "itself"
)

// ConsentDecision is what the owner grants.
type ConsentDecision struct {
	Verbs []memory.Verb // some of those that were asked for
	// Projects are the only ones that the assistant reaches, "" is what belongs to none. No
	// projects: every one. There are none with a context.
	Projects []string
	Until    time.Time // zero: as long as usual
	Replaces bool      // what the assistant was granted before for the same resource ends
	// Visibility is the most private visibility that the assistant reaches; empty: shared.
	Visibility memory.Visibility
}
