package oauth

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// maxRedirect is the most bytes of an address that answers go to.
const maxRedirect = 512

// redirectOf returns an address that answers may go to: of a web server by https, or of a
// program of the browser's own machine by http (RFC 8252, section 7.3). Nothing in it can be
// read in two ways: it is spelled as a parser writes it.
func redirectOf(text string) (*url.URL, bool) {
	if text == "" || len(text) > maxRedirect || strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c > '~' || strings.ContainsRune(`\"<>^{|}`+"`", c) }) {
		return nil, false
	}
	u, err := url.Parse(text)
	if err != nil || u.Opaque != "" || u.User != nil || u.Host == "" || strings.Contains(text, "#") || strings.Contains(text, "@") || u.String() != text || u.Host != strings.ToLower(u.Host) {
		return nil, false
	}
	host := u.Hostname()
	if host == "" || strings.HasSuffix(host, ".") || strings.ContainsAny(host, "%*") || u.Port() == "0" || strings.HasSuffix(u.Host, ":") {
		return nil, false
	}
	if slices.ContainsFunc(strings.Split(u.EscapedPath(), "/"), isDots) {
		return nil, false
	}
	return u, u.Scheme == "https" || u.Scheme == "http" && isLoopback(host)
}

func isDots(segment string) bool {
	plain, err := url.PathUnescape(segment)
	return err != nil || plain == "." || plain == ".."
}

// isLoopback reports whether a host is the browser's own machine.
func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// allowsRedirect reports whether an address is one of those that a client named: the same
// text. A program of the browser's own machine may listen at any port (RFC 8252).
func allowsRedirect(named []string, asked string) bool {
	u, ok := redirectOf(asked)
	if !ok {
		return false
	}
	if slices.Contains(named, asked) {
		return true
	}
	if u.Scheme != "http" {
		return false
	}
	return slices.ContainsFunc(named, func(n string) bool {
		known, ok := redirectOf(n)
		return ok && known.Scheme == "http" && withoutPort(known) == withoutPort(u)
	})
}

func withoutPort(u *url.URL) string {
	plain := *u
	plain.Host = u.Hostname()
	return plain.String()
}

// answerTo adds parameters to an address that answers go to.
func answerTo(redirect string, with url.Values) string {
	if strings.Contains(redirect, "?") {
		return redirect + "&" + with.Encode()
	}
	return redirect + "?" + with.Encode()
}
