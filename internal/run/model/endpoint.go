package model

import (
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

// WireOf returns the wire of a provider of section 4.2. Providers that are not listed speak
// OpenAI's, as base_url of the definition demands (AAIF-4.2-18). So do cohere, huggingface
// and bedrock at the addresses that they offer for it.
func WireOf(provider string) Wire { return profileOf(provider).wire }

// Endpoint is a provider's address and how to speak to it.
type Endpoint struct {
	Provider string // as in the definition; the provider_id of a custom one
	Wire     Wire
	BaseURL  string // https, or this machine; without the path of the operation
	Key      string // empty: none is sent
	// Guarded says that the address comes from a definition. Then only public addresses are
	// dialled, whatever a name resolves to, and never through a proxy (AAIF-4.2-20).
	Guarded bool
}

// Keys knows the operator's keys.
type Keys interface {
	// Key returns the key for a provider of the definition, or for a provider_id; "" without an
	// error: it needs none.
	Key(provider string) (string, error)
}

// Locate returns the endpoint of a candidate. A key goes to the operator's address of its
// provider, or to the provider's own address, and nowhere else: a definition that names
// another address gets no key (AAIF-4.2-20). Locate fails with an [*Error] of kind Denied or
// Unconfigured (AAIF-4.2-19), or with the cause of keys.
func Locate(o route.Operator, keys Keys, c route.Candidate) (Endpoint, error) {
	to, allowed := o.Destination(c)
	if !allowed {
		return Endpoint{}, &Error{Kind: Denied, Provider: c.Provider, Host: hostOf(c.BaseURL)}
	}
	e := Endpoint{Provider: c.Provider, Wire: OpenAI, BaseURL: to.Address, Guarded: !to.Own && !to.Listed}
	if !to.Own {
		return e, nil
	}
	if e.BaseURL == "" {
		e.BaseURL = profileOf(c.Provider).address
	}
	if e.BaseURL == "" {
		return Endpoint{}, &Error{Kind: Unconfigured, Provider: c.Provider}
	}
	if e.Wire = WireOf(c.Provider); e.Wire == Ollama && strings.HasSuffix(strings.TrimRight(e.BaseURL, "/"), "/v1") {
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
