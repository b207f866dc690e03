package ump

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/memory"
)

// Path is a redaction path (section 2.7, decision UD-12): a subset of RFC 9535
// relative to the record. It has an optional "$", then names ("body.text",
// "['a b']"), indices ("[0]") and wildcards ("[*]", ".*").
type Path struct {
	steps []step
}

type step struct {
	kind  stepKind
	name  string // of a member
	index int    // of an element
}

type stepKind uint8

const (
	byMember  stepKind = iota
	byElement          // [n]
	byAny              // [*] or .*
)

const (
	pathsAllowed  = `is not a path such as "body.structured.token", "relations[0].target" or "['a b'][*]"`
	pathsTooMany  = "names more than 64 paths; name what is around them instead"
	pathForbidden = "hits a member a record cannot lose: ump, id, kind, scope.owner, scope.visibility, time.created, consent or integrity"
)

// bracketChars are the characters that need a name in brackets. The slash is one of
// them: otherwise a JSON Pointer would be a path to a member that no record has, and
// the value that it should hide would leave.
const bracketChars = ".[]*'\"$ \t\r\n\\/"

var errPath = errors.New(pathsAllowed)

// maxPaths is the most different paths of one policy.
const maxPaths = 64

// ParsePath reads a redaction path.
func ParsePath(s string) (Path, error) {
	if len(s) > 4096 {
		return Path{}, errPath
	}
	rest, rooted := strings.CutPrefix(s, "$")
	if !rooted && rest != "" && rest[0] != '[' {
		rest = "." + rest
	}
	var p Path
	for rest != "" {
		var st step
		var ok bool
		if st, rest, ok = cutStep(rest); !ok {
			return Path{}, errPath
		}
		p.steps = append(p.steps, st)
	}
	if len(p.steps) == 0 {
		return Path{}, errPath
	}
	return p, nil
}

// cutStep reads one step, which begins with a dot or a bracket.
func cutStep(s string) (st step, rest string, ok bool) {
	switch {
	case strings.HasPrefix(s, ".*"):
		return step{kind: byAny}, s[2:], true
	case strings.HasPrefix(s, "[*]"):
		return step{kind: byAny}, s[3:], true
	case strings.HasPrefix(s, "['"), strings.HasPrefix(s, `["`):
		return cutQuoted(s[1:])
	case s[0] == '[':
		return cutIndex(s[1:])
	case s[0] == '.':
		end := strings.IndexAny(s[1:], bracketChars)
		if end < 0 {
			end = len(s) - 1
		}
		return step{name: s[1 : 1+end]}, s[1+end:], end > 0
	}
	return step{}, "", false
}

// cutQuoted reads a name in quotes and the closing bracket. A backslash escapes the
// byte after it.
func cutQuoted(s string) (st step, rest string, ok bool) {
	quote := s[0]
	var name strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			if i++; i == len(s) || s[i] != '\\' && s[i] != '\'' && s[i] != '"' {
				return step{}, "", false
			}
			name.WriteByte(s[i])
		case c == quote:
			rest, ok = strings.CutPrefix(s[i+1:], "]")
			return step{name: name.String()}, rest, ok
		default:
			name.WriteByte(c)
		}
	}
	return step{}, "", false
}

func cutIndex(s string) (st step, rest string, ok bool) {
	digits, rest, ok := strings.Cut(s, "]")
	n, err := strconv.ParseUint(digits, 10, 31)
	if !ok || err != nil || digits[0] == '+' || (len(digits) > 1 && digits[0] == '0') {
		return step{}, "", false
	}
	return step{kind: byElement, index: int(n)}, rest, true
}

// String writes the path in one spelling: a plain name after a dot, any other name in
// brackets.
func (p Path) String() string {
	var b strings.Builder
	for i, st := range p.steps {
		switch {
		case st.kind == byAny:
			b.WriteString("[*]")
		case st.kind == byElement:
			fmt.Fprintf(&b, "[%d]", st.index)
		case st.name == "" || strings.ContainsAny(st.name, bracketChars):
			b.WriteString("['" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(st.name) + "']")
		case i == 0:
			b.WriteString(st.name)
		default:
			b.WriteString("." + st.name)
		}
	}
	return b.String()
}

// CheckRedact reports the first path that cannot be read or that hits a member which
// every record needs, and a list of more than 64 different paths. Writing a record
// with such a list fails.
func CheckRedact(paths []string) error {
	var f findings
	f.checkConsent(&memory.Consent{Redact: paths}, "")
	return f.err()
}

// Redactable reports whether redaction may remove the path from a record. It may not
// remove members that every record needs, the policy itself or integrity. It may
// remove body.text, because a word replaces it.
func (p Path) Redactable() bool {
	for _, kept := range [][]string{
		{"ump"}, {"id"}, {"kind"}, {"consent"}, {"integrity"}, {"scope", "owner"}, {"scope", "visibility"}, {"time", "created"},
	} {
		if p.reaches(kept) {
			return false
		}
	}
	return true
}

// hitsMember reports whether the step leads to the member of an object with this name.
func (st step) hitsMember(name string) bool {
	return st.kind == byAny || st.kind == byMember && st.name == name
}

// hitsItem reports whether the step leads to the element of an array at i.
func (st step) hitsItem(i int) bool {
	return st.kind == byAny || st.kind == byElement && st.index == i
}

// reaches reports whether the path can hit the member at names, an object around it,
// or a value inside it.
func (p Path) reaches(names []string) bool {
	for i, name := range names {
		if i == len(p.steps) {
			return true
		}
		if st := p.steps[i]; st.kind == byElement || st.kind == byMember && st.name != name {
			return false
		}
	}
	return true
}
