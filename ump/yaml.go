package ump

import (
	"errors"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/satchel-memory/satchel/canon"
)

var (
	errYAML       = errors.New("front matter is neither YAML nor JSON that can be read; check its quotes, colons and indentation")
	errNoMapping  = errors.New("front matter has no members; write one per line, such as kind: semantic")
	errYAMLLinked = errors.New("front matter uses anchors, aliases or merge keys; write the values out")
	errYAMLTagged = errors.New("front matter uses tags; leave them out")
	errYAMLName   = errors.New("front matter has a member whose name is not a word")
	errYAMLNumber = errors.New("front matter has a number that JSON cannot say; write it in quotes")
)

// parseYAML reads front matter in the core schema of YAML 1.2. It reads no scalar as a
// time, and resolves no anchors, tags or merge keys.
func parseYAML(front string, opt canon.Options) (canon.Value, error) {
	decoder := yaml.NewDecoder(strings.NewReader(front))
	var document yaml.Node
	if err := decoder.Decode(&document); err != nil {
		if err == io.EOF {
			return canon.Value{}, errNoMapping
		}
		return canon.Value{}, errYAML // the parser's own message may repeat the content
	}
	if err := decoder.Decode(&yaml.Node{}); err != io.EOF {
		return canon.Value{}, errYAML
	}
	if document.Kind != yaml.DocumentNode || len(document.Content) != 1 || document.Content[0].Kind != yaml.MappingNode {
		return canon.Value{}, errNoMapping
	}
	y := yamlReader{depth: opt.Depth}
	v, err := y.value(document.Content[0], nil)
	if err != nil {
		return canon.Value{}, err
	}
	return v, canon.Check(v.Append(nil), opt)
}

type yamlReader struct{ depth int }

// lineError is an error on a line of the front matter.
type lineError struct {
	line int
	err  error
}

// Error returns the message without the line: a violation has its own member for the
// place.
func (e *lineError) Error() string { return e.err.Error() }

// Unwrap returns the error without the line.
func (e *lineError) Unwrap() error { return e.err }

// onLine adds the line to an error that has no place.
func onLine(line int, err error) error {
	if _, ok := errors.AsType[*lineError](err); ok || err == nil {
		return err
	}
	if _, ok := errors.AsType[*canon.Error](err); ok {
		return err
	}
	return &lineError{line, err}
}

// value reads the node at path in a record.
func (y yamlReader) value(n *yaml.Node, path []string) (canon.Value, error) {
	v, err := y.node(n, path)
	return v, onLine(n.Line, err)
}

func (y yamlReader) node(n *yaml.Node, path []string) (canon.Value, error) {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		return canon.Value{}, errYAMLLinked
	case n.Style&yaml.TaggedStyle != 0:
		return canon.Value{}, errYAMLTagged
	case len(path) > y.depth:
		return canon.Value{}, &canon.Error{Kind: canon.TooDeep}
	}
	switch n.Kind {
	case yaml.MappingNode:
		return y.mapping(n, path)
	case yaml.SequenceNode:
		items := make([]canon.Value, len(n.Content))
		for i, item := range n.Content {
			var err error
			if items[i], err = y.value(item, append(path, "*")); err != nil {
				return canon.Value{}, err
			}
		}
		return canon.Array(items...), nil
	case yaml.ScalarNode:
		return scalar(n, path)
	}
	return canon.Value{}, errYAML
}

func (y yamlReader) mapping(n *yaml.Node, path []string) (canon.Value, error) {
	m := make(members, 0, len(n.Content)/2)
	names := make(map[string]bool, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := n.Content[i]
		switch {
		case name.Kind == yaml.AliasNode || name.Anchor != "" || name.Tag == "!!merge":
			return canon.Value{}, onLine(name.Line, errYAMLLinked)
		case name.Style&yaml.TaggedStyle != 0:
			return canon.Value{}, onLine(name.Line, errYAMLTagged)
		case name.Kind != yaml.ScalarNode:
			return canon.Value{}, onLine(name.Line, errYAMLName)
		case names[name.Value]:
			return canon.Value{}, onLine(name.Line, errFrontTwice)
		}
		names[name.Value] = true
		v, err := y.value(n.Content[i+1], append(path, name.Value))
		if err != nil {
			return canon.Value{}, err
		}
		m.value(name.Value, v)
	}
	return canon.Object(m...), nil
}

// scalar reads a scalar: as a string if it is quoted or if its member is a string,
// otherwise by the core schema.
func scalar(n *yaml.Node, path []string) (canon.Value, error) {
	if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return canon.String(n.Value), nil
	}
	switch n.Value {
	case "", "~", "null", "Null", "NULL":
		if n.Value == "" || mayBeNull(path) || !isText(path) {
			return emptyScalar(path), nil
		}
	}
	if isText(path) {
		return canon.String(n.Value), nil
	}
	switch n.Value {
	case "true", "True", "TRUE":
		return canon.Bool(true), nil
	case "false", "False", "FALSE":
		return canon.Bool(false), nil
	}
	return plainNumber(n.Value)
}

// plainNumber reads an unquoted scalar as a number or a string. It keeps the spelling
// of a number that is valid JSON.
func plainNumber(s string) (canon.Value, error) {
	digits := strings.TrimLeft(s, "+-")
	sign := s[:len(s)-len(digits)]
	switch {
	case len(sign) > 1:
		return canon.String(s), nil
	case strings.EqualFold(digits, ".inf"), strings.EqualFold(digits, ".nan"):
		return canon.Value{}, errYAMLNumber
	case sign == "" && (strings.HasPrefix(digits, "0x") || strings.HasPrefix(digits, "0o")):
		return basedNumber(s)
	case digits == "" || strings.Trim(digits, "0123456789.eE+-") != "" || !strings.ContainsAny(digits[:1], "0123456789."):
		return canon.String(s), nil
	case strings.Trim(digits, "0123456789") == "":
		return literal(strings.TrimPrefix(sign, "+") + withoutZeros(digits))
	}
	f, err := strconv.ParseFloat(s, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return canon.Value{}, errYAMLNumber
	case err != nil:
		return canon.String(s), nil
	}
	if v, err := canon.Parse([]byte(s), canon.Options{}); err == nil {
		return v, nil
	}
	return canon.Number(f), nil
}

// withoutZeros removes leading zeros of an integer, which JSON does not allow.
func withoutZeros(digits string) string {
	if short := strings.TrimLeft(digits, "0"); short != "" {
		return short
	}
	return "0"
}

// basedNumber reads a hexadecimal or octal integer.
func basedNumber(s string) (canon.Value, error) {
	n, err := strconv.ParseInt(s, 0, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return canon.Value{}, errYAMLNumber
	case err != nil || strings.Contains(s, "_"):
		return canon.String(s), nil
	}
	return literal(strconv.FormatInt(n, 10))
}

// literal reads an integer in the spelling of JSON. It refuses one that a double
// cannot hold.
func literal(s string) (canon.Value, error) {
	v, err := canon.Parse([]byte(s), canon.Options{})
	if err != nil {
		return canon.Value{}, errYAMLNumber
	}
	return v, nil
}
