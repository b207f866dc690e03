package documents

import (
	"errors"
	"fmt"
	"io"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/codec"
)

// contextFiles is the name of the format of context files.
const contextFiles = "aicf"

// isContextFile reports whether the document is a context file.
func (d *document) isContextFile() bool { return d.Format.Name == contextFiles && d.File != nil }

// findings returns all errors and oddities of a context file.
func (c *ValidateCmd) findings(d *document) ([]violation, error) {
	o := aicf.Options{Strict: c.Strict, Partial: c.Partial, Force: c.Force}
	in, err := aicf.Expand(io.NewSectionReader(d.File, 0, d.Size), o)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(in)
	if err == nil {
		found, failed := aicf.Validate(data, o)
		if failed == nil {
			return violationsOf(found, c.Strict), nil
		}
		err = failed
	}
	if e, ok := errors.AsType[*codec.ParseError](err); ok {
		return []violation{violationOf(e)}, nil
	}
	return nil, err
}

// FindingOut is a finding for machines.
type FindingOut struct {
	Line     int    `json:"line,omitempty"` // place in the file, from 1
	Section  string `json:"section,omitempty"`
	Code     string `json:"code"`
	Severity string `json:"severity"` // error, warning or notice
	Rule     string `json:"rule"`
	Message  string `json:"message"`
}

// FindingsOut renders findings for machines.
func FindingsOut(found []aicf.Finding) []FindingOut {
	out := []FindingOut{}
	for _, f := range found {
		out = append(out, FindingOut{f.Line, f.Section, f.Code, f.Severity.String(), f.Rule, f.Message})
	}
	return out
}

func violationsOf(found []aicf.Finding, strict bool) []violation {
	var all []violation
	for _, f := range found {
		v := violation{
			Rule: f.Rule, Message: f.Message, Line: f.Line, Section: f.Section, Code: f.Code, Severity: f.Severity.String(),
			Warning: !aicf.Fatal([]aicf.Finding{f}, strict), text: f.String() + " " + f.Code,
		}
		if f.Line > 0 {
			v.Path = fmt.Sprintf("line %d", f.Line)
		}
		all = append(all, v)
	}
	return all
}
