package operate

import (
	"encoding/json"
	"fmt"
	"strings"
)

// jsonNode is a value in the text of a JSON document with comments and trailing
// commas, as editors keep their settings. It knows where it stands, so that the
// text can be edited and everything else be left as it is.
type jsonNode struct {
	start, end int // end is just behind the value
	object     bool
	array      bool
	members    []jsonMember // of an object; those of an array have no name
	content    int          // end of what stands in an object or array: value, comma or comment
	comma      bool         // a comma follows the last member
}

// jsonMember is a member of an object, or an item of an array.
type jsonMember struct {
	name  string // of a member
	start int    // of the name, or of the item
	value *jsonNode
	comma int // offset of the comma behind it, or -1
}

// member returns the member of that name. Of doubled names the last counts, as
// it does for most readers.
func (n *jsonNode) member(name string) (jsonMember, bool) {
	for i := len(n.members) - 1; i >= 0; i-- {
		if n.members[i].name == name {
			return n.members[i], true
		}
	}
	return jsonMember{}, false
}

// jsonDepth bounds nesting; settings are shallow.
const jsonDepth = 200

// parseJSONC reads a whole document.
func parseJSONC(text string) (*jsonNode, error) {
	s := &jsonScanner{text: text}
	s.pos = len(text) - len(strings.TrimPrefix(text, "\ufeff"))
	root, err := s.value(0)
	if err == nil {
		err = s.space()
	}
	if err == nil && s.pos < len(text) {
		err = s.errorf("something follows the end")
	}
	if err != nil {
		return nil, err
	}
	return root, nil
}

type jsonScanner struct {
	text string
	pos  int
	last int // end of the last comment passed by space
}

func (s *jsonScanner) errorf(format string, args ...any) error {
	line := 1 + strings.Count(s.text[:s.pos], "\n")
	return fmt.Errorf("line %d: %s", line, fmt.Sprintf(format, args...))
}

// space passes white space and comments.
func (s *jsonScanner) space() error {
	for s.pos < len(s.text) {
		rest := s.text[s.pos:]
		switch {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			s.pos++
			continue
		case strings.HasPrefix(rest, "//"):
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			s.pos += end
			s.last = s.pos - len(rest[:end]) + len(strings.TrimRight(rest[:end], "\r"))
			continue
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return s.errorf("a comment is not closed")
			}
			s.pos += end + 4
			s.last = s.pos
			continue
		}
		return nil
	}
	return nil
}

func (s *jsonScanner) peek() byte {
	if s.pos < len(s.text) {
		return s.text[s.pos]
	}
	return 0
}

func (s *jsonScanner) value(depth int) (*jsonNode, error) {
	if err := s.space(); err != nil {
		return nil, err
	}
	if depth > jsonDepth {
		return nil, s.errorf("nested too deeply")
	}
	switch s.peek() {
	case '{', '[':
		return s.container(depth)
	case 0:
		return nil, s.errorf("a value is missing")
	}
	start := s.pos
	if s.peek() == '"' {
		if _, err := s.name(); err != nil {
			return nil, err
		}
		return &jsonNode{start: start, end: s.pos}, nil
	}
	for s.pos < len(s.text) && strings.IndexByte(" \t\r\n,]}/:{[\"", s.text[s.pos]) < 0 {
		s.pos++
	}
	if !json.Valid([]byte(s.text[start:s.pos])) {
		s.pos = start
		return nil, s.errorf("not a JSON value")
	}
	return &jsonNode{start: start, end: s.pos}, nil
}

// container reads an object or an array.
func (s *jsonScanner) container(depth int) (*jsonNode, error) {
	n := &jsonNode{start: s.pos, object: s.peek() == '{', array: s.peek() == '['}
	closing := byte(']')
	if n.object {
		closing = '}'
	}
	s.pos++
	n.content = s.pos
	fresh := true // an element may come here
	for {
		s.last = 0
		if err := s.space(); err != nil {
			return nil, err
		}
		n.content = max(n.content, s.last)
		switch c := s.peek(); {
		case c == closing:
			s.pos++
			n.end = s.pos
			return n, nil
		case c == ',' && !fresh:
			n.members[len(n.members)-1].comma = s.pos
			s.pos++
			n.content, n.comma, fresh = s.pos, true, true
		case !fresh:
			return nil, s.errorf("a comma or %q is missing", closing)
		default:
			if err := s.element(n, depth); err != nil {
				return nil, err
			}
			n.content, n.comma, fresh = s.pos, false, false
		}
	}
}

// element reads one member or item into n.
func (s *jsonScanner) element(n *jsonNode, depth int) error {
	m := jsonMember{start: s.pos, comma: -1}
	if n.object {
		var err error
		if m.name, err = s.name(); err != nil {
			return err
		}
		if err = s.space(); err != nil {
			return err
		}
		if s.peek() != ':' {
			return s.errorf("a colon is missing")
		}
		s.pos++
	}
	v, err := s.value(depth + 1)
	if err != nil {
		return err
	}
	m.value = v
	n.members = append(n.members, m)
	return nil
}

// name reads a string and returns what it says.
func (s *jsonScanner) name() (string, error) {
	start := s.pos
	if s.peek() != '"' {
		return "", s.errorf("a name in quotes is missing")
	}
	for s.pos++; s.pos < len(s.text) && s.text[s.pos] != '"'; s.pos++ {
		if s.text[s.pos] == '\\' {
			s.pos++
		}
	}
	s.pos = min(s.pos+1, len(s.text))
	var name string
	if err := json.Unmarshal([]byte(s.text[start:s.pos]), &name); err != nil {
		s.pos = start
		return "", s.errorf("a string is not closed or not valid")
	}
	return name, nil
}
