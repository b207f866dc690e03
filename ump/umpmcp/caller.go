package umpmcp

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-memory/satchel/memory"
)

// maxAgent is the most bytes of a client's name.
const maxAgent = 128

// callerOf returns the caller of a request: the one that the transport authenticated,
// or the caller of the options.
func callerOf[P mcp.Params](o Options, r *mcp.ServerRequest[P]) memory.Caller {
	caller := o.Caller
	if r.Extra != nil && r.Extra.TokenInfo != nil {
		if known, ok := r.Extra.TokenInfo.Extra[tokenCaller].(memory.Caller); ok {
			caller = known
		}
	}
	caller.Role = min(caller.Role, memory.Agent)
	if client := r.ClientInfo(); caller.Agent == "" && client != nil {
		caller.Agent = printableName(client.Name)
	}
	if caller.Session == "" && r.Session != nil {
		caller.Session = r.Session.ID()
	}
	return caller
}

// printableName removes unprintable characters from a client's name and shortens it.
func printableName(name string) string {
	name = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, ""))
	for len(name) > maxAgent {
		_, last := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-last]
	}
	return strings.TrimSpace(name)
}
