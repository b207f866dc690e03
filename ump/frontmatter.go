package ump

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/canon"
)

var errFrontTwice = errors.New("front matter names a member twice; name each once")

// appendFront writes front matter: one member per line with its value as JSON, which
// is also YAML 1.2 (decision UD-28); or one JSON object.
func appendFront(dst []byte, v canon.Value, asJSON bool) []byte {
	if asJSON {
		return append(v.AppendIndent(dst, "  "), '\n')
	}
	for _, m := range v.Members() {
		if isPlainName(m.Name) {
			dst = append(dst, m.Name...)
		} else {
			dst = appendYAML(dst, canon.String(m.Name))
		}
		dst = append(dst, ": "...)
		dst = append(appendYAML(dst, m.Value), '\n')
	}
	return dst
}

// isPlainName reports whether a name needs no quotes in any YAML.
func isPlainName(s string) bool {
	for i, c := range []byte(s) {
		if (c < 'a' || c > 'z') && c != '_' && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	switch s {
	case "", "null", "true", "false", "yes", "no", "on", "off", "y", "n":
		return false
	}
	return true
}

// appendYAML writes a value as JSON. It escapes characters that YAML forbids or reads
// as the end of a line; all of them are within strings.
func appendYAML(dst []byte, v canon.Value) []byte {
	text := v.Append(nil)
	if !bytes.ContainsFunc(text, needsEscape) {
		return append(dst, text...)
	}
	for len(text) > 0 {
		c, size := utf8.DecodeRune(text)
		if needsEscape(c) {
			dst = fmt.Appendf(dst, `\u%04x`, c)
		} else {
			dst = append(dst, text[:size]...)
		}
		text = text[size:]
	}
	return dst
}

func needsEscape(c rune) bool {
	switch c {
	case '\u2028', '\u2029', '\uFEFF', '\uFFFE', '\uFFFF':
		return true
	}
	return 0x7F <= c && c <= 0x9F
}

// parseFront reads front matter: one JSON object, one member per line with its value
// as JSON, or YAML. In the last two forms, it reads every scalar of a string member
// as a string.
func parseFront(front string, opt canon.Options) (canon.Value, error) {
	if strings.HasPrefix(strings.TrimSpace(front), "{") {
		v, err := canon.Parse([]byte(front), opt)
		if !isSyntax(err) {
			return v, err
		}
	}
	v, err := parseLines(front, opt)
	if !isSyntax(err) {
		return v, err
	}
	return parseYAML(front, opt)
}

func isSyntax(err error) bool {
	c, ok := errors.AsType[*canon.Error](err)
	return ok && c.Kind == canon.Syntax
}

// parseLines reads exactly the form that appendFront writes. Everything else is a
// syntax error, after which parseFront tries YAML.
func parseLines(front string, opt canon.Options) (canon.Value, error) {
	var m members
	names := map[string]bool{}
	for line := range strings.Lines(front) {
		line = strings.TrimRight(line, " \t\r\n")
		if line == "" {
			continue
		}
		name, text, err := cutName(line, opt)
		if err != nil {
			return canon.Value{}, err
		}
		v, err := canon.Parse([]byte(text), opt)
		if err != nil {
			return canon.Value{}, prefixPointer(name, err)
		}
		if names[name] {
			return canon.Value{}, errFrontTwice
		}
		names[name] = true
		m.value(name, scalarsAsText(v, []string{name}))
	}
	return canon.Object(m...), nil
}

// cutName cuts a line into the name of a member and its value.
func cutName(line string, opt canon.Options) (name, value string, err error) {
	noName := &canon.Error{Kind: canon.Syntax}
	if line[0] != '"' {
		name, value, ok := strings.Cut(line, ":")
		if !ok || !isPlainName(name) {
			return "", "", noName
		}
		return name, value, nil
	}
	for i := 1; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '"':
			v, err := canon.Parse([]byte(line[:i+1]), opt)
			rest, ok := strings.CutPrefix(line[i+1:], ":")
			if err != nil || !ok {
				return "", "", noName
			}
			return v.Text(), rest, nil
		}
	}
	return "", "", noName
}

// prefixPointer puts the name of a member before the pointer of an error in it.
func prefixPointer(name string, err error) error {
	if c, ok := errors.AsType[*canon.Error](err); ok {
		c.Pointer = canon.Pointer(name) + c.Pointer
	}
	return err
}

// scalarsAsText turns the scalars of string members into strings. v is the value at
// path in a record. It turns null into a string as well, as YAML does there.
func scalarsAsText(v canon.Value, path []string) canon.Value {
	switch v.Type() {
	case canon.TypeObject:
		m := make(members, 0, v.Len())
		for _, inner := range v.Members() {
			m.value(inner.Name, scalarsAsText(inner.Value, append(path, inner.Name)))
		}
		return canon.Object(m...)
	case canon.TypeArray:
		items := make([]canon.Value, v.Len())
		for i, item := range v.Items() {
			items[i] = scalarsAsText(item, append(path, "*"))
		}
		return canon.Array(items...)
	case canon.TypeString:
		return v
	}
	if !isText(path) || v.Type() == canon.TypeNull && mayBeNull(path) {
		return v
	}
	return canon.String(string(v.Append(nil)))
}

// mayBeNull reports whether the string at path may be null: time.valid_to may, for a
// validity without an end.
func mayBeNull(path []string) bool {
	return len(path) == 2 && path[0] == "time" && path[1] == "valid_to"
}

// emptyScalar returns the value of a name without a value: absent for a string,
// otherwise null.
func emptyScalar(path []string) canon.Value {
	if isText(path) && !mayBeNull(path) {
		return canon.Value{}
	}
	return canon.Null()
}

// isText reports whether the member of a record at path is a string. "*" means any
// element.
func isText(path []string) bool {
	switch strings.Join(path, "/") {
	case "ump", "id", "kind", "supersedes/*", "superseded_by/*", "body/text",
		"scope/owner", "scope/user", "scope/project", "scope/agent", "scope/session", "scope/visibility",
		"time/created", "time/observed", "time/valid_from", "time/valid_to",
		"lifecycle/decay", "lifecycle/status", "relations/*/type", "relations/*/target",
		"provenance/actor", "provenance/actor_kind", "provenance/method",
		"provenance/source/ref", "provenance/source/provider", "provenance/evidence/*/ref",
		"consent/retention", "consent/redact/*",
		"integrity/content_hash", "integrity/signature", "integrity/signer":
		return true
	}
	return false
}
