package server

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/aaif/aaifhttp"
	"github.com/satchel-memory/satchel/engram/engramhttp"
	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/memory"
)

// guard refuses requests that a foreign web page may have sent: with a Host that is not
// this server's (a DNS name rebound to the loopback interface), or from another origin. It
// also refuses paths in an unusual spelling, because two programs could read them
// differently. No route answers a preflight (CORS), so foreign pages cannot read answers.
func guard(o Options, next http.Handler) http.Handler {
	hosts := make([]string, len(o.Hosts))
	for i, host := range o.Hosts {
		hosts[i] = normalHost(host)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !isOwnHost(r.Host, hosts) && !isProbe(r.URL.Path):
			refuse(w, r, &memory.Error{Kind: memory.ForbiddenScope, Message: "this server does not go by the name in Host; satchel serve --host NAME lets it"})
		case !allowsOrigin(r.Header.Values("Origin"), r.Host, o.Origins) && !o.isForPages(r):
			refuse(w, r, &memory.Error{Kind: memory.ForbiddenScope, Message: "pages of this Origin may not call the server; satchel serve --origin URL lets them"})
		case !isPlainPath(r.URL):
			refuse(w, r, &memory.Error{Kind: memory.NotFound, Message: "there is nothing at a path that is spelled like this; see GET /.well-known/ump.json"})
		default:
			closeAfterChunks(w, r)
			next.ServeHTTP(w, r)
		}
	})
}

// isProbe reports whether a balancer asks a path. A balancer may use any address of the
// server, and the answers reveal nothing about anybody.
func isProbe(path string) bool { return path == "/healthz" || path == "/readyz" }

// isPlainPath reports whether the path has the one accepted spelling: from the root, no
// doubled slash, no dot segments, and percent-encoding only in the id of a record, a
// correction, an agent or a state, and in names in the addresses of pages.
func isPlainPath(u *url.URL) bool {
	spelled := u.EscapedPath()
	if !strings.HasPrefix(spelled, "/") || strings.Contains(spelled, `\`) {
		return false
	}
	if clean := path.Clean(spelled); clean != spelled && clean+"/" != spelled {
		return false
	}
	named := func(prefix string) bool { return strings.HasPrefix(spelled, prefix) }
	return slices.ContainsFunc([]string{memoryRoute, engramhttp.CorrectionPath, aaifhttp.AgentPath, aaifhttp.StatePath}, named) || !strings.Contains(spelled, "%") || pages.Has(u.Path) && isPageName(spelled)
}

// isPageName reports whether percent-encoding in a path of the pages can be read in one way
// alone, by every program between: each segment is the only spelling of a text in UTF-8
// without slashes, backslashes, percent signs and control characters, and is no dot segment.
// Decoding it once or twice, or cutting it at its slashes before or after, gives the same.
func isPageName(spelled string) bool {
	for _, segment := range strings.Split(spelled, "/") {
		text, err := url.PathUnescape(segment)
		if err != nil || url.PathEscape(text) != segment || !utf8.ValidString(text) || text == "." || text == ".." ||
			strings.ContainsFunc(text, func(c rune) bool { return strings.ContainsRune(`/\%`, c) || unicode.IsControl(c) }) {
			return false
		}
	}
	return true
}

// closeAfterChunks ends the connection after a chunked body. The server never reads bytes
// after it as a request, so nobody can hide one from a proxy that measures bodies by
// another header.
func closeAfterChunks(w http.ResponseWriter, r *http.Request) {
	if len(r.TransferEncoding) > 0 {
		w.Header().Set("Connection", "close")
	}
}

// isOwnHost reports whether a Host header names this server.
func isOwnHost(host string, hosts []string) bool {
	name := hostName(host)
	return isLoopbackName(name) || name != "" && slices.Contains(hosts, name)
}

// hostName returns the name in a Host header, without its port.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return normalHost(host)
}

// isLoopbackName reports whether a name belongs to the loopback interface.
func isLoopbackName(name string) bool {
	ip, err := netip.ParseAddr(name)
	return name == "localhost" || err == nil && ip.IsLoopback()
}

// normalHost returns a host in lower case, without brackets and the root's dot.
func normalHost(host string) string {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if inner, ok := strings.CutPrefix(host, "["); ok {
		host = strings.TrimSuffix(inner, "]")
	}
	return host
}

// allowsOrigin reports whether a request with these Origin headers comes from a program,
// which sends none, or from an allowed page.
func allowsOrigin(origins []string, host string, allowed []string) bool {
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

// strictTransport tells browsers to use TLS only, for a year.
const strictTransport = "max-age=31536000"

// secureHeaders sets the headers of every answer, unless a route sets others: browsers must
// not guess its type, frame it, run it, keep it, or show it to foreign pages.
func secureHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("Cache-Control", "no-store")
		// Browsers apply it to a name and all its ports, and other programs use localhost too.
		if r.TLS != nil && !isLoopbackName(hostName(r.Host)) {
			header.Set("Strict-Transport-Security", strictTransport)
		}
		next.ServeHTTP(w, r)
	})
}
