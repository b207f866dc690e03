package a2a

import (
	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// CardPath is where clients look for the card of a host, and below the address of an agent.
const CardPath = "/.well-known/agent-card.json"

// bearer names the one way in which callers identify themselves.
const bearer = "bearer"

// Served returns the Agent Card of an agent that is served at the address of the options, in
// one document that clients of both editions read: each finds its own members. The server
// streams, notifies nobody, and wants a bearer token. Errors are those of [To].
func Served(d aaif.Definition, o Options) (canon.Value, error) {
	o.Version, o.Binding = V1, ""
	card, _, err := To(d, o)
	if err != nil {
		return canon.Value{}, err
	}
	speaks := func(v Version) canon.Value {
		return canon.Object(member("url", canon.String(o.URL)), member("protocolBinding", canon.String("JSONRPC")), member("protocolVersion", canon.String(string(v))))
	}
	card = card.With("supportedInterfaces", canon.Array(speaks(V1), speaks(V03))).
		With("url", canon.String(o.URL)).With("preferredTransport", canon.String("JSONRPC")).With("protocolVersion", canon.String("0.3.0"))
	abilities := card.Get("capabilities").With("streaming", canon.Bool(true)).With("pushNotifications", canon.Bool(false)).With("extendedAgentCard", canon.Bool(false))
	modes := canon.Array(canon.String("text/plain"), canon.String("application/json"))
	scheme := canon.Object(member("type", canon.String("http")), member("scheme", canon.String(bearer)),
		member("httpAuthSecurityScheme", canon.Object(member("scheme", canon.String("Bearer")))))
	none := canon.Object(member("list", canon.Array()))
	return card.With("capabilities", abilities).With("supportsAuthenticatedExtendedCard", canon.Bool(false)).With("defaultInputModes", modes).
		With("securitySchemes", canon.Object(member(bearer, scheme))).
		With("security", canon.Array(canon.Object(member(bearer, canon.Array())))).
		With("securityRequirements", canon.Array(canon.Object(member("schemes", canon.Object(member(bearer, none)))))), nil
}

// Interface is where an agent is reached, and how.
type Interface struct {
	URL     string
	Version Version
}

// Interfaces returns where the agent of a card is reached by JSON-RPC, and in which editions
// that are known here, the one that its card prefers first.
func Interfaces(card canon.Value) (all []Interface) {
	add := func(url, binding, version canon.Value) {
		v, err := VersionOf(version.Text())
		if err == nil && binding.Text() == "JSONRPC" && url.Text() != "" {
			all = append(all, Interface{url.Text(), v})
		}
	}
	for _, i := range card.Get("supportedInterfaces").Items() {
		add(i.Get("url"), i.Get("protocolBinding"), i.Get("protocolVersion"))
	}
	if len(all) > 0 {
		return all
	}
	transport := card.Get("preferredTransport")
	if transport.Type() == canon.TypeUndefined {
		transport = canon.String("JSONRPC") // the default of A2A 0.3
	}
	add(card.Get("url"), transport, card.Get("protocolVersion"))
	for _, i := range card.Get("additionalInterfaces").Items() {
		add(i.Get("url"), i.Get("transport"), card.Get("protocolVersion"))
	}
	return all
}
