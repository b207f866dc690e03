package markdown

import (
	"bytes"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/satchel-memory/satchel/canon"
)

// Render writes an object as front matter with the dashes around it, so that [FrontMatter]
// reads the same object. The undefined Value gives nothing.
func Render(front canon.Value) (string, error) {
	if front.Type() == canon.TypeUndefined {
		return "", nil
	}
	if front.Len() == 0 {
		return "---\n---\n", nil
	}
	var out bytes.Buffer
	out.WriteString("---\n")
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(node(front)); err != nil {
		return "", fmt.Errorf("write the front matter: %w", err)
	}
	out.WriteString("---\n")
	return out.String(), enc.Close()
}

// node converts a value for the library. It marks strings, and the library quotes those
// that look like something else.
func node(v canon.Value) *yaml.Node {
	switch v.Type() {
	case canon.TypeObject:
		n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for _, m := range v.Members() {
			n.Content = append(n.Content, node(canon.String(m.Name)), node(m.Value))
		}
		return n
	case canon.TypeArray:
		n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, item := range v.Items() {
			n.Content = append(n.Content, node(item))
		}
		return n
	case canon.TypeString:
		n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: v.Text()}
		// The library could not read such a text again as a block.
		if strings.HasPrefix(v.Text(), "\t") || strings.ContainsAny(v.Text(), "\u0085\u2028\u2029") {
			n.Style = yaml.DoubleQuotedStyle
		}
		return n
	case canon.TypeBool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: string(v.Append(nil))}
	case canon.TypeNumber:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: v.Spelling()}
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
}
