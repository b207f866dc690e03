package oauth

import (
	"context"
	"net/url"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// How long a grant lasts.
const (
	UsualGrant   = 90 * 24 * time.Hour  // if the owner chooses nothing
	LongestGrant = 365 * 24 * time.Hour // at most
)

// Request is what an assistant asks the owner for.
type Request struct {
	Name     string // as the assistant gives it
	Host     string // of the document that the name comes from; empty: the assistant's own word
	Document string // its address
	Redirect *url.URL
	Loopback bool // Redirect is the browser's own machine
	Resource string
	Verbs    []memory.Verb
	Context  string // a part of the context; empty: it is not about the context
	Purpose  string
	Seen     bool // the caller granted something to the assistant before, that it still uses
	Ends     time.Time
}

// Decision is what the owner grants.
type Decision struct {
	Verbs      []memory.Verb
	Projects   []string          // none: every project; "" is what belongs to none
	Visibility memory.Visibility // empty: shared
	Until      time.Time         // zero: [UsualGrant] from now
	Replaces   bool              // what the assistant had before ends
}

// held returns the request for consent with an id, from the cookie of a browser.
func (h *Handler) held(id, cookie string) (request, error) {
	var q request
	if !h.seal.open("request", cookie, &q) || q.ID == "" || q.ID != id || !h.options.Now().Before(time.Unix(q.Ends, 0)) {
		return request{}, &memory.Error{Kind: memory.NotFound, Op: "consent", Message: "no assistant asks for this here, or not any more; connect again in the assistant"}
	}
	return q, nil
}

// Request returns a request for consent to the owner. It fails with kind NotFound if the
// browser did not bring it.
func (h *Handler) Request(ctx context.Context, c memory.Caller, id, cookie string) (Request, error) {
	q, err := h.held(id, cookie)
	if err != nil {
		return Request{}, err
	}
	to, ok := redirectOf(q.Redirect)
	if !ok {
		return Request{}, &memory.Error{Kind: memory.Internal, Op: "consent"}
	}
	seen, err := h.options.Grants.Has(ctx, c, q.Client)
	return Request{Name: q.Name, Host: q.Host, Document: q.URI, Redirect: to, Loopback: to.Scheme == "http" || isLoopback(to.Hostname()), Resource: q.Resource,
		Verbs: q.Verbs, Context: q.Context, Purpose: q.Purpose, Seen: seen, Ends: time.Unix(q.Ends, 0).UTC()}, err
}

// Allow grants what the owner decided, and returns the address that the browser goes to.
func (h *Handler) Allow(ctx context.Context, c memory.Caller, id, cookie string, d Decision) (string, error) {
	q, err := h.held(id, cookie)
	if err != nil {
		return "", err
	}
	o, err := q.order(d, h.options.Now())
	if err != nil {
		return "", err
	}
	code, err := h.options.Grants.Grant(ctx, c, o)
	if err != nil {
		return "", err
	}
	return q.answer(url.Values{"code": {code}}), nil
}

// Deny returns the address that the browser goes to if the owner refuses.
func (h *Handler) Deny(id, cookie string) (string, error) {
	q, err := h.held(id, cookie)
	if err != nil {
		return "", err
	}
	return q.answer(url.Values{"error": {"access_denied"}, "error_description": {"the owner refused"}}), nil
}

// answer returns the address of an answer, which names the issuer (RFC 9207).
func (q request) answer(with url.Values) string {
	with.Set("iss", q.Issuer)
	if q.State != "" {
		with.Set("state", q.State)
	}
	return answerTo(q.Redirect, with)
}

// order returns the order for a decision about a request.
func (q request) order(d Decision, now time.Time) (Order, error) {
	invalid := func(message string) (Order, error) {
		return Order{}, &memory.Error{Kind: memory.InvalidRecord, Op: "consent", Message: message}
	}
	verbs := inOrder(d.Verbs)
	if d.Until.IsZero() {
		d.Until = now.Add(UsualGrant)
	}
	switch {
	case len(verbs) == 0 || len(verbs) != len(d.Verbs):
		return invalid("choose at least one thing that the assistant may do, or refuse")
	case slices.ContainsFunc(verbs, func(v memory.Verb) bool { return !slices.Contains(q.Verbs, v) }):
		return Order{}, &memory.Error{Kind: memory.ForbiddenScope, Op: "consent", Message: "this is more than the assistant asked for"}
	case !d.Until.After(now) || d.Until.After(now.Add(LongestGrant)):
		return invalid("choose an end within a year")
	case d.Visibility != "" && !d.Visibility.Valid():
		return invalid("choose which memories it reaches: private, shared or public ones")
	case q.Context != "" && (len(d.Projects) > 0 || !slices.Contains(verbs, memory.ReadVerb)):
		return invalid("a context is read as a whole: it has no projects")
	}
	to, _ := redirectOf(q.Redirect)
	o := Order{Client: q.Client, Redirect: q.Redirect, Challenge: q.Challenge, Resource: q.Resource, Verbs: verbs, Until: d.Until.UTC(), Replaces: d.Replaces}
	if o.Name = q.Name; o.Name == "" {
		o.Name = "an assistant without a name"
	}
	o.Name += ", " + to.Host
	if q.Context != "" {
		o.Runtime = &memory.Runtime{Name: o.Name, Scope: q.Context, Purpose: q.Purpose, IssuedTo: q.URI}
		if o.Runtime.IssuedTo == "" {
			o.Runtime.IssuedTo = "https://" + to.Host
		}
		return o, nil
	}
	o.Projects, o.Visibility = d.Projects, d.Visibility
	if o.Visibility == "" { // an explicit limit, so that no set of verbs makes it the owner's own agent
		o.Visibility = memory.Shared
	}
	return o, nil
}
