package claudecode

import (
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/markdown"
)

// yamlReader turns front matter into a value, and collects violations of CLAUDE-2.
type yamlReader struct {
	file   string
	limits codec.Limits
	found  []*codec.ParseError
}

// frontMatter reads front matter that starts on line 2 of the file.
func (y *yamlReader) frontMatter(text string) canon.Value {
	front := markdown.FrontMatter(text, y.limits)
	for _, fault := range front.Faults {
		rule := ruleFront
		if fault.Limit {
			rule = ruleLimit
		}
		y.add(rule, fault.Line, fault.Err)
	}
	return front.Value
}

func (y *yamlReader) add(rule string, line int, err error) {
	y.found = append(y.found, violation(rule, y.file, line, err))
}
