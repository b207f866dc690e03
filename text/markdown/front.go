package markdown

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

// MaxFront is the longest front matter, in bytes: it holds names, dates and labels.
const MaxFront = 64 << 10

// Split separates the front matter from a text with LF line ends. The front matter starts
// on the second line; found is false if there is none, closed is false if nothing ends it.
func Split(text string) (front, body string, found, closed bool) {
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

// Fault is an error in front matter.
type Fault struct {
	Line  int  // of the text, from 1; 0: the whole text
	Limit bool // it exceeds a limit
	Err   error
}

// Front is the content of front matter.
type Front struct {
	Value    canon.Value // an object
	Comments int         // number of comments, which are lost
	Faults   []Fault     // without faults, Value is complete
	depth    int         // nesting allowed
}

// FrontMatter reads front matter that starts on line 2 of a text: one plain YAML mapping,
// without anchors, aliases and tags. A value that YAML would read as a date or an octal
// number stays a string as written.
func FrontMatter(text string, limits codec.Limits) Front {
	f := Front{depth: limits.Depth}
	if len(text) > MaxFront {
		f.limit(2, fmt.Errorf("front matter of more than %d bytes; move what is long into the body", MaxFront))
		return f
	}
	dec := yaml.NewDecoder(strings.NewReader(text))
	var doc, more yaml.Node
	switch err := dec.Decode(&doc); {
	case err == io.EOF:
		f.Value = canon.Object()
		return f
	case err != nil:
		f.wrong(yamlLine(err), errors.New("front matter that is not YAML, in this line or near it; write one key and its value per line"))
		return f
	}
	if dec.Decode(&more) != io.EOF {
		f.wrong(0, errors.New("front matter of several YAML documents; keep one"))
	}
	root := doc.Content[0]
	f.comment(&doc)
	if root.Kind != yaml.MappingNode {
		f.wrong(root.Line+1, errors.New("front matter that is no mapping; write keys and values"))
		return f
	}
	f.Value = f.value(root, 1)
	return f
}

// yamlLine finds the line number in the library's message, which is the only place that has
// it.
func yamlLine(err error) int {
	if m := regexp.MustCompile(`line (\d+)`).FindStringSubmatch(err.Error()); m != nil {
		line, _ := strconv.Atoi(m[1])
		return line + 1
	}
	return 2
}

func (f *Front) wrong(line int, err error) { f.Faults = append(f.Faults, Fault{Line: line, Err: err}) }

func (f *Front) limit(line int, err error) {
	f.Faults = append(f.Faults, Fault{Line: line, Limit: true, Err: err})
}

func (f *Front) comment(n *yaml.Node) {
	if n.HeadComment != "" || n.LineComment != "" || n.FootComment != "" {
		f.Comments++
	}
}

func (f *Front) value(n *yaml.Node, depth int) canon.Value {
	f.comment(n)
	switch {
	case depth > f.depth:
		f.limit(n.Line+1, fmt.Errorf("front matter nested deeper than %d; nest less", f.depth))
		return canon.Value{}
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		f.wrong(n.Line+1, errors.New("an anchor or alias; write the value out"))
		return canon.Null()
	case n.Style&yaml.TaggedStyle != 0:
		f.wrong(n.Line+1, errors.New("a YAML tag; remove it"))
		return canon.Null()
	case n.Kind == yaml.MappingNode:
		return f.mapping(n, depth)
	case n.Kind == yaml.SequenceNode:
		items := make([]canon.Value, 0, len(n.Content))
		for _, item := range n.Content {
			items = append(items, f.value(item, depth+1))
		}
		return canon.Array(items...)
	}
	return scalar(n)
}

func (f *Front) mapping(n *yaml.Node, depth int) canon.Value {
	seen := map[string]bool{}
	var members []canon.Member
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		f.comment(key)
		switch {
		case key.Kind != yaml.ScalarNode || key.Anchor != "" || key.Style&yaml.TaggedStyle != 0 || key.Tag == "!!merge":
			f.wrong(key.Line+1, errors.New("a key that is not a plain word; write keys as words"))
		case seen[key.Value]:
			f.wrong(key.Line+1, errors.New("a key that stands there twice; keep one"))
		default:
			seen[key.Value] = true
			members = append(members, canon.Member{Name: key.Value, Value: f.value(n.Content[i+1], depth+1)})
		}
	}
	return canon.Object(members...)
}

// scalar keeps truth values, null and plain small integers, and makes all others strings.
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
