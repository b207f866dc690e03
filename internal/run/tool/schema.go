package tool

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/satchel-memory/satchel/canon"
)

// The limits of schemas and of what they judge.
const (
	mostSchema    = 128 << 10 // bytes of a schema
	mostArguments = 1 << 20   // bytes of arguments
	mostFindings  = 5         // violations that are told
	mostText      = 400       // bytes of a text that is told
)

// schema judges arguments or results.
type schema struct {
	source   canon.Value
	compiled *jsonschema.Schema
	refers   bool // the schema has references
}

// compile compiles a schema. The undefined schema is nil, which accepts everything. It
// reads nothing that the schema refers to elsewhere.
func compile(v canon.Value) (*schema, error) {
	if v.Type() == canon.TypeUndefined {
		return nil, nil
	}
	raw := v.Append(nil)
	if len(raw) > mostSchema {
		return nil, fail(SchemaUnusable, "the schema has more than %d bytes", mostSchema)
	}
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, fail(SchemaUnusable, "the schema is no JSON")
	}
	const name = "tool:schema"
	c := jsonschema.NewCompiler()
	c.UseLoader(nowhere{})
	if err := c.AddResource(name, tree); err != nil {
		return nil, fail(SchemaUnusable, "the schema cannot be used: %s", plainText(err))
	}
	compiled, err := c.Compile(name)
	if err != nil {
		return nil, fail(SchemaUnusable, "the schema cannot be used: %s", plainText(err))
	}
	return &schema{v, compiled, bytes.Contains(raw, []byte(`Ref"`)) || bytes.Contains(raw, []byte(`"$ref"`))}, nil
}

// nowhere loads no schema.
type nowhere struct{}

// Load fails.
func (nowhere) Load(string) (any, error) { return nil, errors.New("schemas elsewhere are not read") }

// judge returns what in a value violates the schema; "": nothing.
func (s *schema) judge(v canon.Value) string {
	if s == nil {
		return ""
	}
	if !s.affordable(v) {
		return "cannot be checked: the schema takes too many steps for it"
	}
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(v.Append(nil)))
	if err != nil {
		return "is no JSON"
	}
	var invalid *jsonschema.ValidationError
	if err := s.compiled.Validate(tree); err == nil {
		return ""
	} else if !errors.As(err, &invalid) {
		return plainText(err)
	}
	var told []string
	for _, leaf := range leavesOf(invalid) {
		if len(told) == mostFindings {
			told = append(told, "and more")
			break
		}
		at := canon.Pointer(leaf.InstanceLocation...)
		if at == "" {
			at = "the whole"
		}
		text := shorten(at + ": " + violationText(leaf))
		if !slices.Contains(told, text) {
			told = append(told, text)
		}
	}
	return strings.Join(told, "; ")
}

// violationText returns the text of one violation, without its places.
func violationText(e *jsonschema.ValidationError) string {
	alone := *e
	alone.Causes = nil
	text := alone.Error()
	if _, after, ok := strings.Cut(text, "\n- at "); ok {
		if _, after, ok = strings.Cut(after, "': "); ok {
			text = after
		}
	}
	return text
}

// leavesOf returns the innermost violations.
func leavesOf(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	var all []*jsonschema.ValidationError
	for _, cause := range e.Causes {
		if len(all) > mostFindings {
			break
		}
		all = append(all, leavesOf(cause)...)
	}
	return all
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
		if wrong := s.judge(args); wrong != "" {
			return fail(ArgsInvalid, "%s", wrong)
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
		wrong = t.output.judge(r.Value)
	}
	if wrong == "" {
		return nil
	}
	if strict {
		return &Error{Code: OutputInvalid, Outcome: Answered, Text: wrong}
	}
	r.Warnings = append(r.Warnings, string(OutputInvalid)+": "+wrong)
	return nil
}

// shorten cuts a text for people and models, and takes out control characters.
func shorten(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == utf8.RuneError {
			return ' '
		}
		return r
	}, text)
	if len(text) <= mostText {
		return text
	}
	cut := mostText
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return fmt.Sprintf("%s… (%d bytes)", text[:cut], len(text))
}
