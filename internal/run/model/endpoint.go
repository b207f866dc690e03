package model

import (
	"context"
	"net/url"
	"strings"

	"github.com/satchel-memory/satchel/aaif/route"
)

// Wire is a form of requests and answers.
type Wire string

// The wires.
const (
	OpenAI    Wire = "openai"    // POST /chat/completions
	Anthropic Wire = "anthropic" // POST /v1/messages
	Gemini    Wire = "gemini"    // POST /models/MODEL:generateContent
	Ollama    Wire = "ollama"    // POST /api/chat
)

// wireOf returns the wire of a provider of section 4.2. Providers that are not listed speak
// OpenAI's, as base_url of the definition demands (AAIF-4.2-18). So do cohere, huggingface
// and bedrock at the addresses that they offer for it.
func wireOf(provider string) Wire { return profileOf(provider).wire }

// Endpoint is a provider's address and how to speak to it.
type Endpoint struct {
	Provider string // as in the definition; the provider_id of a custom one
	Wire     Wire
	BaseURL  string // https, or this machine; without the path of the operation
	Key      string // empty: none is sent
	// Guarded says that the address comes from a definition. Then only public addresses are
	// dialled, whatever a name resolves to, and never through a proxy (AAIF-4.2-20). Listed says
	// that the operator lists the host: all but link-local addresses are dialled, at which clouds
	// serve credentials.
	Guarded, Listed bool
}

// Keys knows the operator's keys.
type Keys interface {
	// Key returns the key for a provider of the definition, or for a provider_id; "" without an
	// error: it needs none.
	Key(provider string) (string, error)
}

// Providers asks the models of candidates at their providers.
type Providers struct {
	Client   *Client
	Operator route.Operator
	Keys     Keys
}

// Ask asks a candidate's model as [Client.Ask] does, whatever the request's Model is. It also
// fails if there is no endpoint, as the candidate's address or the operator's settings have
// it, or if its key cannot be had.
func (p Providers) Ask(ctx context.Context, c route.Candidate, r Request) (Answer, route.Outcome, error) {
	e, err := locate(p.Operator, p.Keys, c)
	if err != nil {
		return Answer{}, route.Outcome{At: p.Client.options.Now()}, err
	}
	r.Model = c.Model
	var media []string
	if sees(p.Operator, c.Target) {
		media = pictureMedia(e.Wire)
	}
	return p.Client.Ask(ctx, e, r.seen(media))
}

// locate returns the endpoint of a candidate. A key goes to the operator's address of its
// provider, or to the provider's own address, and nowhere else: a definition that names
// another address gets no key (AAIF-4.2-20). locate fails with an [*Error] of kind Denied or
// Unconfigured (AAIF-4.2-19), or with the cause of keys.
func locate(o route.Operator, keys Keys, c route.Candidate) (Endpoint, error) {
	to, allowed := o.Destination(c)
	if !allowed {
		return Endpoint{}, &Error{Kind: Denied, Provider: c.Provider, Host: hostOf(c.BaseURL)}
	}
	e := Endpoint{Provider: c.Provider, Wire: OpenAI, BaseURL: to.Address, Guarded: !to.Own, Listed: to.Listed}
	if !to.Own {
		return e, nil
	}
	if e.BaseURL == "" {
		e.BaseURL = profileOf(c.Provider).address
	}
	if e.BaseURL == "" {
		return Endpoint{}, &Error{Kind: Unconfigured, Provider: c.Provider}
	}
	if e.Wire = wireOf(c.Provider); e.Wire == Ollama && strings.HasSuffix(strings.TrimRight(e.BaseURL, "/"), "/v1") {
		e.Wire = OpenAI // the address of its other interface
	}
	var err error
	e.Key, err = keys.Key(c.Provider)
	return e, err
}

// hostOf returns the host of an address for an error; "" if it has none.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}
