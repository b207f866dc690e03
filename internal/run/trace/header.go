package trace

import (
	"cmp"
	"context"
	"net/http"
	"strings"
)

// header is the header of a traceparent where a definition names no other.
const header = "Traceparent"

// Tell puts the span that ctx is within into the head of a request to a tool or another agent
// (AAIF-4.7-9), under the name that the definition chose; usually traceparent. The value is
// always a traceparent (decision R46). A header that is there already, or that is [Reserved], is
// not replaced: traceparent is used in its place.
func Tell(ctx context.Context, head http.Header) {
	p, _ := ctx.Value(contextKey{}).(place)
	if !p.of.Valid() {
		return
	}
	name := http.CanonicalHeaderKey(cmp.Or(p.header, header))
	if _, taken := head[name]; taken || Reserved(name) || !isHeaderName(name) {
		name = header
	}
	head[name] = []string{p.of.String()}
}

// Reserved reports whether a header belongs to connections, or to those who send requests, so
// that no definition and no description of a tool may set it.
func Reserved(name string) bool {
	name = http.CanonicalHeaderKey(name)
	switch name {
	case "Accept", "Content-Type", "Authorization", "Cookie", "Host", "Content-Length", "Content-Encoding", "Transfer-Encoding", "Connection", "Upgrade", "Te", "Trailer", "Expect",
		"Proxy-Authorization", "Last-Event-Id", "Idempotency-Key":
		return true
	}
	return strings.HasPrefix(name, "Mcp-")
}

// isHeaderName reports whether a text is a short token, as names of headers are (RFC 9110
// section 5.6.2).
func isHeaderName(name string) bool {
	const most = 64
	return len(name) <= most && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-.^_`|~") == ""
}
