package tool

import (
	"net/url"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// expand fills the placeholders of an address, as RFC 6570 has it at level 1, and returns
// the address and the arguments that are left (AAIF-4.4-9). A placeholder cannot choose the
// host, nor leave the path in which it stands.
func expand(template string, args canon.Value) (*url.URL, canon.Value, error) {
	var b strings.Builder
	rest, left := template, args
	for {
		before, after, ok := strings.Cut(rest, "{")
		b.WriteString(before)
		if !ok {
			break
		}
		name, tail, closed := strings.Cut(after, "}")
		if !closed || name == "" {
			return nil, left, fail(ArgsInvalid, "the endpoint has a placeholder without a name or an end")
		}
		if !strings.Contains(strings.TrimPrefix(strings.TrimPrefix(b.String(), "https://"), "http://"), "/") {
			return nil, left, fail(egressDenied, "the endpoint lets an argument choose the host")
		}
		value := args.Get(name)
		text, scalar := scalarText(value)
		if !scalar {
			return nil, left, fail(ArgsInvalid, "/%s: the endpoint needs a text, a number or a truth value here", shorten(name))
		}
		b.WriteString(escape(text))
		rest, left = tail, left.Without(name)
	}
	u, err := url.Parse(b.String())
	if err != nil {
		return nil, left, fail(egressDenied, "the endpoint is no address")
	}
	if climbs(u.Path) && !climbs(template) { // as a server may read it, with its escapes undone
		return nil, left, fail(ArgsInvalid, "an argument leads out of the path of the endpoint")
	}
	return u, left, nil
}

// climbs reports whether a path has a segment of dots.
func climbs(path string) bool {
	segments := strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' })
	return slices.Contains(segments, "..") || slices.Contains(segments, ".")
}

// escape writes everything but the unreserved characters of RFC 3986 in percent encoding.
func escape(text string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for _, c := range []byte(text) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(digits[c>>4])
		b.WriteByte(digits[c&15])
	}
	return b.String()
}

// scalarText returns the text of a value that is a text, a number or a truth value.
func scalarText(v canon.Value) (string, bool) {
	switch v.Type() {
	case canon.TypeString:
		return v.Text(), true
	case canon.TypeNumber:
		return v.Spelling(), true
	case canon.TypeBool:
		if v.True() {
			return "true", true
		}
		return "false", true
	}
	return "", false
}

// addQuery adds arguments to a query: a list as one pair for each item, an object as JSON. An
// argument cannot say again what the endpoint says.
func addQuery(u *url.URL, args canon.Value) error {
	q := u.Query()
	for _, m := range args.Members() {
		if q.Has(m.Name) {
			return fail(ArgsInvalid, "/%s: the endpoint has this already", shorten(m.Name))
		}
		for _, text := range queryTexts(m.Value) {
			q.Add(m.Name, text)
		}
	}
	u.RawQuery = q.Encode()
	return nil
}

func queryTexts(v canon.Value) []string {
	if v.Type() != canon.TypeArray {
		return []string{queryText(v)}
	}
	var all []string
	for _, item := range v.Items() {
		all = append(all, queryText(item))
	}
	return all
}

func queryText(v canon.Value) string {
	if text, ok := scalarText(v); ok {
		return text
	}
	return string(v.Append(nil))
}

// shownEndpoint returns an endpoint for people: without its query.
func shownEndpoint(endpoint string) string {
	before, _, _ := strings.Cut(endpoint, "?")
	return aaif.Shown(before)
}
