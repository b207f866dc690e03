package pages

import (
	"net"
	"net/http"
	"strings"
)

// originOf returns the address of the pages that a request asks for.
func (h *Handler) originOf(r *http.Request) string {
	origin, _, _ := h.options.Reached(r)
	return origin
}

// nameOf returns the name that the cookies of a request are bound to: whatever the browser, or
// the proxy between, calls this server over TLS. A cookie of this machine's own pages is bound to
// none, so that neither is good in the other's place.
func (h *Handler) nameOf(r *http.Request) string {
	if encrypted, _ := h.encrypted(r); !encrypted {
		return ""
	}
	return strings.ToLower(hostOf(r.Host))
}

// encrypted reports whether nobody between can read a request and its answer, and whether
// pages may be shown at all.
func (h *Handler) encrypted(r *http.Request) (encrypted, ok bool) {
	_, encrypted, ok = h.options.Reached(r)
	return encrypted, ok
}

// Reached returns the address of the server by which a request reached it. It reports whether
// nobody between can read the request and its answer, and whether pages may be shown at all.
func (o Options) Reached(r *http.Request) (origin string, encrypted, ok bool) {
	proxy := o.proxyOf(r)
	switch {
	case r.TLS != nil:
		return "https://" + strings.ToLower(r.Host), true, true
	case proxy != "":
		return strings.ToLower(proxy), true, true
	}
	return "http://" + strings.ToLower(r.Host), false, o.Plain
}

// proxyOf returns the declared origin of the proxy that speaks TLS and passed a request on,
// or "". A proxy that keeps the name in Host is known by it. Another one is believed only if
// the server is reachable from this machine alone, so that nobody between can be misled.
func (o Options) proxyOf(r *http.Request) string {
	first, named := "", ""
	for _, origin := range o.Origins {
		host, https := strings.CutPrefix(origin, "https://")
		switch {
		case !https:
			continue
		case strings.EqualFold(host, r.Host):
			return origin
		case strings.EqualFold(origin, r.Header.Get("Origin")):
			named = origin
		case first == "":
			first = origin
		}
	}
	switch {
	case !o.Plain:
		return ""
	case named != "":
		return named
	case isForwarded(r):
		return first
	}
	if _, err := r.Cookie(TLSCookie); err == nil { // the browser got it over TLS
		return first
	}
	return ""
}

// isForwarded reports whether a proxy says that it passed a request on.
func isForwarded(r *http.Request) bool {
	for name := range r.Header {
		if strings.HasPrefix(name, "X-Forwarded-") || name == "Forwarded" || name == "Via" || name == "X-Real-Ip" {
			return true
		}
	}
	return false
}

// isHere reports whether a browser of this machine sent a request: the server is reachable
// from this machine only, no proxy passed the request on, and the address that the browser
// asked for is one of this machine. With a declared proxy only a name below .localhost is:
// many proxies write 127.0.0.1 in its place.
func (o Options) isHere(r *http.Request) bool {
	if !o.Plain || r.TLS != nil || isForwarded(r) || o.proxyOf(r) != "" {
		return false
	}
	name := hostOf(r.Host)
	if strings.HasSuffix(name, ".localhost") {
		return true
	}
	ip := net.ParseIP(strings.Trim(name, "[]"))
	return len(o.Origins) == 0 && (name == "localhost" || ip != nil && ip.IsLoopback())
}

// hostOf returns a host without its port.
func hostOf(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return host
}
