package operate

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// tomlLine is one statement of a TOML document: a table's head or a key with its value. It
// knows its position, so that an edit leaves the rest as it is.
type tomlLine struct {
	path       []string // of the table, or of the key from the root
	head       bool
	many       bool // a head in double brackets
	start, end int  // the statement without its comment; start is the start of the line
	value      int  // start of the value; the value ends at end
}

// parseTOML reads the statements of a document. It knows enough of TOML 1.0 to find every
// one reliably, and refuses what it cannot parse.
func parseTOML(text string) ([]tomlLine, error) {
	s := &tomlScanner{text: text, scalar: regexp.MustCompile(
		`^(true|false|[+-]?(inf|nan)|[+-]?[0-9][0-9A-Za-z_.+:-]*( [0-9]{2}:[0-9:.]+(Z|[+-][0-9:]+)?)?)`)}
	var lines []tomlLine
	var table []string
	for {
		s.blankLines()
		if s.pos >= len(s.text) {
			return lines, nil
		}
		line, err := s.statement(table)
		if err != nil {
			return nil, err
		}
		if line.head {
			table = line.path
		}
		lines = append(lines, line)
	}
}

type tomlScanner struct {
	text   string
	pos    int
	scalar *regexp.Regexp // a value without quotes or brackets: number, truth value, date, time
}

func (s *tomlScanner) errorf(format string, args ...any) error {
	line := 1 + strings.Count(s.text[:min(s.pos, len(s.text))], "\n")
	return fmt.Errorf("line %d: %s", line, fmt.Sprintf(format, args...))
}

func (s *tomlScanner) rest() string { return s.text[s.pos:] }

func (s *tomlScanner) skip(set string) {
	s.pos += len(s.rest()) - len(strings.TrimLeft(s.rest(), set))
}

func (s *tomlScanner) comment() {
	if strings.HasPrefix(s.rest(), "#") {
		end := strings.IndexByte(s.rest(), '\n')
		if end < 0 {
			end = len(s.rest())
		}
		s.pos += end
	}
}

// blankLines skips white space, line ends and comments.
func (s *tomlScanner) blankLines() {
	for start := -1; start != s.pos; {
		start = s.pos
		s.skip(" \t\r\n\ufeff")
		s.comment()
	}
}

func (s *tomlScanner) take(token string) bool {
	if strings.HasPrefix(s.rest(), token) {
		s.pos += len(token)
		return true
	}
	return false
}

func (s *tomlScanner) statement(table []string) (tomlLine, error) {
	line := tomlLine{start: strings.LastIndexByte(s.text[:s.pos], '\n') + 1}
	var err error
	if s.take("[") {
		line.head, line.many = true, s.take("[")
		closing := "]"
		if line.many {
			closing = "]]"
		}
		if line.path, err = s.key(); err == nil && !s.take(closing) {
			err = s.errorf("a table's name is not closed by %s", closing)
		}
	} else {
		var key []string
		if key, err = s.key(); err == nil && !s.take("=") {
			err = s.errorf("a key without =")
		}
		line.path = append(slices.Clone(table), key...)
		s.skip(" \t")
		line.value = s.pos
		if err == nil {
			err = s.value(0)
		}
	}
	if err != nil {
		return line, err
	}
	line.end = s.pos
	s.skip(" \t")
	s.comment()
	if s.take("\r"); s.pos < len(s.text) && s.text[s.pos] != '\n' {
		return line, s.errorf("something follows the end of a statement")
	}
	return line, nil
}

// key reads a key, dotted or not, and the space around it.
func (s *tomlScanner) key() ([]string, error) {
	var path []string
	for {
		s.skip(" \t")
		start := s.pos
		switch {
		case strings.HasPrefix(s.rest(), `"`), strings.HasPrefix(s.rest(), "'"):
			if err := s.line(s.text[s.pos]); err != nil {
				return nil, err
			}
			name := s.text[start+1 : s.pos-1]
			if s.text[start] == '"' && json.Unmarshal([]byte(s.text[start:s.pos]), &name) != nil {
				return nil, s.errorf("a key with an escape that is not understood")
			}
			path = append(path, name)
		default:
			s.skip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
			if s.pos == start {
				return nil, s.errorf("a key is missing")
			}
			path = append(path, s.text[start:s.pos])
		}
		s.skip(" \t")
		if !s.take(".") {
			return path, nil
		}
	}
}

// line reads a string on one line in the given quotes.
func (s *tomlScanner) line(quote byte) error {
	for s.pos++; s.pos < len(s.text); s.pos++ {
		switch c := s.text[s.pos]; {
		case c == quote:
			s.pos++
			return nil
		case c == '\n':
			return s.errorf("a string is not closed")
		case c == '\\' && quote == '"':
			s.pos++
		}
	}
	s.pos = len(s.text)
	return s.errorf("a string is not closed")
}

// block reads a string over several lines in three of the given quotes.
func (s *tomlScanner) block(quote string) error {
	start := s.pos
	for s.pos += 3; s.pos < len(s.text); s.pos++ {
		if s.text[s.pos] == '\\' && quote == `"` {
			s.pos++
		} else if s.take(quote + quote + quote) {
			for i := 0; i < 2 && s.take(quote); i++ { // up to two belong to the string
			}
			return nil
		}
	}
	s.pos = start
	return s.errorf("a string is not closed")
}

func (s *tomlScanner) value(depth int) error {
	rest := s.rest()
	switch {
	case depth > jsonDepth:
		return s.errorf("nested too deeply")
	case strings.HasPrefix(rest, `"""`), strings.HasPrefix(rest, "'''"):
		return s.block(rest[:1])
	case strings.HasPrefix(rest, `"`), strings.HasPrefix(rest, "'"):
		return s.line(rest[0])
	case s.take("["):
		return s.array(depth)
	case s.take("{"):
		return s.inline(depth)
	}
	length := len(s.scalar.FindString(rest[:min(len(rest), 100)]))
	if length == 0 {
		return s.errorf("a value is missing or not understood")
	}
	s.pos += length
	return nil
}

func (s *tomlScanner) array(depth int) error {
	for {
		s.blankLines()
		if s.take("]") {
			return nil
		}
		if err := s.value(depth + 1); err != nil {
			return err
		}
		s.blankLines()
		if !s.take(",") && !strings.HasPrefix(s.rest(), "]") {
			return s.errorf("an array is not closed")
		}
	}
}

func (s *tomlScanner) inline(depth int) error {
	s.skip(" \t")
	if s.take("}") {
		return nil
	}
	for {
		if _, err := s.key(); err != nil {
			return err
		}
		if !s.take("=") {
			return s.errorf("a key without =")
		}
		s.skip(" \t")
		if err := s.value(depth + 1); err != nil {
			return err
		}
		s.skip(" \t")
		if s.take("}") {
			return nil
		}
		if !s.take(",") {
			return s.errorf("an inline table is not closed")
		}
	}
}
