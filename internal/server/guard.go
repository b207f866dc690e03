package server

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umphttp"
)

// guard refuses requests that a web page of somebody else's may have sent: those
// for a name the server does not go by (a DNS name rebound to the loopback
// interface) and those from another origin.
func guard(o Options, next http.Handler) http.Handler {
	hosts := make([]string, len(o.Hosts))
	for i, host := range o.Hosts {
		hosts[i] = bare(host)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !goesBy(r.Host, hosts):
			umphttp.WriteError(w, &memory.Error{Kind: memory.ForbiddenScope, Message: "this server does not go by the name in Host; allow it in the configuration"})
		case !mayCome(r.Header.Values("Origin"), r.Host, o.Origins):
			umphttp.WriteError(w, &memory.Error{Kind: memory.ForbiddenScope, Message: "pages of this Origin may not call the server; allow it in the configuration"})
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// goesBy reports whether a Host header names this server.
func goesBy(host string, hosts []string) bool {
	name := host
	if bareHost, _, err := net.SplitHostPort(host); err == nil {
		name = bareHost
	}
	name = bare(name)
	if name == "localhost" || name != "" && slices.Contains(hosts, name) {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.IsLoopback()
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
