package agentspec

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/exchange"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/text/pattern"
)

// Limits of documents beyond the given ones.
const (
	mostBytes = 4 << 20
	mostDepth = 64
)

// Read reads a document in JSON or YAML, told apart by the first byte. Errors are of type
// [codec.ParseError].
func Read(raw []byte, opt aaif.ReadOptions) (canon.Value, error) {
	if opt.Bytes == 0 {
		opt.Bytes = mostBytes
	}
	if opt.Depth == 0 {
		opt.Depth = mostDepth
	}
	if int64(len(raw)) > opt.Bytes {
		return canon.Value{}, wrong(0, aaif.TooLarge, "longer than may be read")
	}
	text := bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	if start := bytes.TrimLeft(text, " \t\r\n"); len(start) > 0 && start[0] == '{' {
		return aaif.FromJSON(text, opt)
	}
	v, err := parsed(text, opt.Depth)
	if err != nil {
		return canon.Value{}, err
	}
	return aaif.FromJSON(v.Append(nil), opt)
}

// wrong returns an error about a line of YAML.
func wrong(line int, code aaif.Code, what string) error {
	where := ""
	if line > 0 {
		where = "line " + strconv.Itoa(line)
	}
	return exchange.Refuse(format, "4-1", where, code, "%s", what)
}

func parsed(text []byte, depth int) (canon.Value, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var doc yaml.Node
	if err := decoder.Decode(&doc); err != nil {
		return canon.Value{}, wrong(0, aaif.NotJSON, "neither JSON nor YAML that can be read") // the library's text may repeat the content
	}
	if err := decoder.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return canon.Value{}, wrong(0, aaif.NotJSON, "several YAML documents; keep one")
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return canon.Value{}, wrong(0, aaif.NotJSON, "no mapping; an agent is one")
	}
	return value(doc.Content[0], depth)
}

func value(n *yaml.Node, depth int) (canon.Value, error) {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		return canon.Value{}, wrong(n.Line, aaif.NotJSON, "anchors and aliases are not followed; write the values out, or use $component_ref")
	case n.Style&yaml.TaggedStyle != 0:
		return canon.Value{}, wrong(n.Line, aaif.NotJSON, "tags are not read; leave them out")
	case depth == 0:
		return canon.Value{}, wrong(n.Line, aaif.TooLarge, "nested too deep")
	}
	switch n.Kind {
	case yaml.MappingNode:
		return mapping(n, depth)
	case yaml.SequenceNode:
		items := make([]canon.Value, len(n.Content))
		for i, inner := range n.Content {
			var err error
			if items[i], err = value(inner, depth-1); err != nil {
				return canon.Value{}, err
			}
		}
		return canon.Array(items...), nil
	}
	return scalar(n)
}

func mapping(n *yaml.Node, depth int) (canon.Value, error) {
	var members []canon.Member
	names := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := n.Content[i]
		switch {
		case name.Kind != yaml.ScalarNode || name.Anchor != "" || name.Style&yaml.TaggedStyle != 0 || name.Tag == "!!merge":
			return canon.Value{}, wrong(name.Line, aaif.NotJSON, "the name of a member is no plain word")
		case names[name.Value]:
			return canon.Value{}, wrong(name.Line, aaif.DuplicateKey, "a member is there twice")
		}
		names[name.Value] = true
		v, err := value(n.Content[i+1], depth-1)
		if err != nil {
			return canon.Value{}, err
		}
		members = append(members, canon.Member{Name: name.Value, Value: v})
	}
	return canon.Object(members...), nil
}

// jsonNumber is a number as JSON writes it.
var jsonNumber = pattern.New(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// scalar reads a value by the core schema. Numbers and times of YAML alone stay texts.
func scalar(n *yaml.Node) (canon.Value, error) {
	switch n.ShortTag() {
	case "!!null":
		return canon.Null(), nil
	case "!!bool":
		var b bool
		err := n.Decode(&b)
		return canon.Bool(b), err
	case "!!int", "!!float":
		if jsonNumber.MatchString(n.Value) {
			v, err := canon.Parse([]byte(n.Value), canon.Options{Inexact: true})
			if err != nil {
				return canon.Value{}, wrong(n.Line, aaif.NotJSON, "a number that no double holds")
			}
			return v, nil
		}
		var f float64
		if n.ShortTag() == "!!float" && n.Decode(&f) == nil && !math.IsNaN(f) && !math.IsInf(f, 0) {
			return canon.Number(f), nil
		}
	}
	return canon.String(n.Value), nil
}
