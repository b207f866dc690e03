package claudecode

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// maxFront is the longest front matter, in bytes: it holds a name and a line of
// description.
const maxFront = 64 << 10

// split takes the front matter off a text. It starts on the second line of the
// text; found is false when there is none, closed when nothing ends it.
func split(text string) (front, body string, found, closed bool) {
	rest, found := strings.CutPrefix(text, "---\n")
	if !found {
		return "", text, false, false
	}
	for at := 0; at < len(rest); {
		line, _, _ := strings.Cut(rest[at:], "\n")
		next := min(at+len(line)+1, len(rest))
		if strings.TrimRight(line, " \t") == "---" {
			return rest[:at], rest[next:], true, true
		}
		at = next
	}
	return rest, "", true, false
}

// yamlReader turns front matter into a value, and gathers what breaks CLAUDE-2.
type yamlReader struct {
	file     string
	limits   codec.Limits
	found    []*codec.ParseError
	comments int
}

// frontMatter reads front matter that starts on line 2 of the file.
func (y *yamlReader) frontMatter(text string) canon.Value {
	if len(text) > maxFront {
		y.add(ruleLimit, 2, fmt.Errorf("front matter of more than %d bytes; move what is long into the body", maxFront))
		return canon.Value{}
	}
	dec := yaml.NewDecoder(strings.NewReader(text))
	var doc, more yaml.Node
	switch err := dec.Decode(&doc); {
	case err == io.EOF:
		return canon.Object()
	case err != nil:
		y.add(ruleFront, yamlLine(err), errors.New("front matter that is not YAML, in this line or near it; write one key and its value per line"))
		return canon.Value{}
	}
	if dec.Decode(&more) != io.EOF {
		y.add(ruleFront, 0, errors.New("front matter of several YAML documents; keep one"))
	}
	root := doc.Content[0]
	y.comment(&doc)
	if root.Kind != yaml.MappingNode {
		y.add(ruleFront, root.Line+1, errors.New("front matter that is no mapping; write keys and values"))
		return canon.Value{}
	}
	return y.value(root, 1)
}

// yamlLine finds the line in the library's message, which alone holds it.
func yamlLine(err error) int {
	if m := regexp.MustCompile(`line (\d+)`).FindStringSubmatch(err.Error()); m != nil {
		line, _ := strconv.Atoi(m[1])
		return line + 1
	}
	return 2
}

func (y *yamlReader) add(rule string, line int, err error) {
	y.found = append(y.found, violation(rule, y.file, line, err))
}

func (y *yamlReader) comment(n *yaml.Node) {
	if n.HeadComment != "" || n.LineComment != "" || n.FootComment != "" {
		y.comments++
	}
}

// value turns a node into a value. What YAML would guess to be a date or an
// octal number stays the string it was written as.
func (y *yamlReader) value(n *yaml.Node, depth int) canon.Value {
	y.comment(n)
	switch {
	case depth > y.limits.Depth:
		y.add(ruleLimit, n.Line+1, fmt.Errorf("front matter nested deeper than %d; nest less", y.limits.Depth))
		return canon.Value{}
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		y.add(ruleFront, n.Line+1, errors.New("an anchor or alias; write the value out"))
		return canon.Null()
	case n.Style&yaml.TaggedStyle != 0:
		y.add(ruleFront, n.Line+1, errors.New("a YAML tag; remove it"))
		return canon.Null()
	case n.Kind == yaml.MappingNode:
		return y.mapping(n, depth)
	case n.Kind == yaml.SequenceNode:
		items := make([]canon.Value, 0, len(n.Content))
		for _, item := range n.Content {
			items = append(items, y.value(item, depth+1))
		}
		return canon.Array(items...)
	}
	return scalar(n)
}

func (y *yamlReader) mapping(n *yaml.Node, depth int) canon.Value {
	seen := map[string]bool{}
	var members []canon.Member
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		y.comment(key)
		switch {
		case key.Kind != yaml.ScalarNode || key.Anchor != "" || key.Style&yaml.TaggedStyle != 0 || key.Tag == "!!merge":
			y.add(ruleFront, key.Line+1, errors.New("a key that is not a plain word; write keys as words"))
		case seen[key.Value]:
			y.add(ruleFront, key.Line+1, errors.New("a key that stands there twice; keep one"))
		default:
			seen[key.Value] = true
			members = append(members, canon.Member{Name: key.Value, Value: y.value(n.Content[i+1], depth+1)})
		}
	}
	return canon.Object(members...)
}

// scalar keeps truth values, null and plain small integers as such, and the
// rest as strings.
func scalar(n *yaml.Node) canon.Value {
	plain := n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
	switch {
	case plain && n.Tag == "!!null":
		return canon.Null()
	case plain && (n.Value == "true" || n.Value == "false"):
		return canon.Bool(n.Value == "true")
	case plain && n.Tag == "!!int":
		if i, err := strconv.ParseInt(n.Value, 10, 32); err == nil && strconv.FormatInt(i, 10) == n.Value {
			return canon.Int(i)
		}
	}
	return canon.String(n.Value)
}
