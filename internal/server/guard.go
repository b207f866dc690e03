package server

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif/aaifhttp"
	"github.com/satchel-memory/satchel/engram/engramhttp"
	"github.com/satchel-memory/satchel/memory"
)

// guard refuses requests that a web page of somebody else's may have sent: those
// for a name the server does not go by (a DNS name rebound to the loopback
// interface) and those from another origin. It refuses, too, what two programs
// could read differently: paths that are spelled in a roundabout way. There is no
// answer to a preflight (CORS) anywhere: pages elsewhere cannot read answers.
func guard(o Options, next http.Handler) http.Handler {
	hosts := make([]string, len(o.Hosts))
	for i, host := range o.Hosts {
		hosts[i] = bare(host)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !goesBy(r.Host, hosts) && !probes(r.URL.Path):
			refuse(w, r, &memory.Error{Kind: memory.ForbiddenScope, Message: "this server does not go by the name in Host; satchel serve --host NAME lets it"})
		case !mayCome(r.Header.Values("Origin"), r.Host, o.Origins):
			refuse(w, r, &memory.Error{Kind: memory.ForbiddenScope, Message: "pages of this Origin may not call the server; satchel serve --origin URL lets them"})
		case !plain(r.URL):
			refuse(w, r, &memory.Error{Kind: memory.NotFound, Message: "there is nothing at a path that is spelled like this; see GET /.well-known/ump.json"})
		default:
			closeAfterChunks(w, r)
			next.ServeHTTP(w, r)
		}
	})
}

// probes reports whether a path is one that a balancer asks, by whatever address it
// knows the server. What is answered there tells nothing of anybody.
func probes(path string) bool { return path == "/healthz" || path == "/readyz" }

// plain reports whether the path is spelled in the one way it can be: from the
// root, no doubled slash, no dots that lead elsewhere, and nothing
// percent-encoded but the id of a record, a correction, an agent or a state.
func plain(u *url.URL) bool {
	spelled := u.EscapedPath()
	if !strings.HasPrefix(spelled, "/") || strings.Contains(spelled, `\`) {
		return false
	}
	if clean := path.Clean(spelled); clean != spelled && clean+"/" != spelled {
		return false
	}
	named := func(prefix string) bool { return strings.HasPrefix(spelled, prefix) }
	return slices.ContainsFunc([]string{memoryRoute, engramhttp.CorrectionPath, aaifhttp.AgentPath, aaifhttp.StatePath}, named) || !strings.Contains(spelled, "%")
}

// closeAfterChunks ends the connection after a body in chunks. What follows it is
// never taken for a request, so that nobody can hide one from a proxy that
// measures bodies by another header.
func closeAfterChunks(w http.ResponseWriter, r *http.Request) {
	if len(r.TransferEncoding) > 0 {
		w.Header().Set("Connection", "close")
	}
}

// goesBy reports whether a Host header names this server.
func goesBy(host string, hosts []string) bool {
	name := nameOf(host)
	return local(name) || name != "" && slices.Contains(hosts, name)
}

// nameOf returns the name in a Host header, without its port.
func nameOf(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return bare(host)
}

// local reports whether a name is one of the loopback interface.
func local(name string) bool {
	ip, err := netip.ParseAddr(name)
	return name == "localhost" || err == nil && ip.IsLoopback()
}

// bare returns a host in lower case, without brackets and the root's dot.
func bare(host string) string {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if inner, ok := strings.CutPrefix(host, "["); ok {
		host = strings.TrimSuffix(inner, "]")
	}
	return host
}

// mayCome reports whether a request with these Origin headers is not a foreign
// page's. Programs send none.
func mayCome(origins []string, host string, allowed []string) bool {
	if len(origins) == 0 {
		return true
	}
	if len(origins) > 1 {
		return false
	}
	if slices.Contains(allowed, origins[0]) {
		return true
	}
	from, err := url.Parse(origins[0])
	return err == nil && (from.Scheme == "http" || from.Scheme == "https") && from.Host != "" && strings.EqualFold(from.Host, host)
}
