package tool

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/aaif/shape"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/size"
)

// The limits of arguments, and of what is told about them.
const (
	mostArguments = 1 << 20 // bytes of arguments
	mostText      = 400     // bytes of a text that is told
)

// compile compiles a schema. The undefined schema is nil, which accepts everything.
func compile(v canon.Value) (*shape.Schema, error) {
	if v.Type() == canon.TypeUndefined {
		return nil, nil
	}
	s, err := shape.Compile(v)
	if err != nil {
		return nil, fail(schemaUnusable, "%s", shorten(err.Error()))
	}
	return s, nil
}

// checkArguments judges arguments before anything is sent (AAIF-4.4-28).
func (t *offer) checkArguments(args canon.Value) error {
	if args.Type() != canon.TypeObject {
		return fail(ArgsInvalid, "the arguments are no JSON object")
	}
	if len(args.Append(nil)) > mostArguments {
		return fail(ArgsInvalid, "the arguments have more than %d bytes", mostArguments)
	}
	for _, m := range args.Members() {
		if t.only != nil && !slices.Contains(t.only, m.Name) {
			return fail(ArgsInvalid, "%s: the tool takes no such argument", shorten(canon.Pointer(m.Name)))
		}
	}
	for _, s := range t.args {
		if found := s.Check(args); len(found) > 0 {
			return fail(ArgsInvalid, "%s", shorten(shape.Text(found)))
		}
	}
	return nil
}

// checkResult judges a result. A violation is an error if the options are strict, else a
// warning.
func (t *offer) checkResult(r *Result, strict bool) error {
	if t.output == nil || r.IsError {
		return nil
	}
	wrong := "the result is no JSON"
	if r.Value.Type() != canon.TypeUndefined {
		wrong = shorten(shape.Text(t.output.Check(r.Value)))
	}
	if wrong == "" {
		return nil
	}
	if strict {
		return &Error{Code: outputInvalid, Outcome: Answered, Text: wrong}
	}
	r.Warnings = append(r.Warnings, string(outputInvalid)+": "+wrong)
	return nil
}

// shorten puts a text for people and models on one line, and cuts it.
func shorten(text string) string {
	text = strings.Map(func(r rune) rune {
		if isHidden(r) {
			return ' '
		}
		return r
	}, text)
	if short := size.Cut(text, mostText); short != text {
		return fmt.Sprintf("%s… (%d bytes)", short, len(text))
	}
	return text
}

// isHidden reports whether a stranger's text must not have a character.
func isHidden(r rune) bool { return codec.IsInvisible(r) || r == utf8.RuneError }
