package aaif

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// Validator checks documents by schemas and registries. It is safe for concurrent use.
type Validator struct {
	registries Registries
	plain      map[Kind]func() (*compiledSchema, error) // formats are annotations (decision R2)
	strict     map[Kind]func() (*compiledSchema, error) // formats are asserted
	exists     func(path string) bool                   // see [Validator.WithFiles]
}

// compiledSchema is a compiled schema with the requirement of each of its parts.
type compiledSchema struct {
	schema *jsonschema.Schema
	source canon.Value
	rules  map[string]string // by JSON Pointer
}

// NewValidator returns a validator with registries; nil means the standard ones. It fails
// if [CheckRegistry] finds an error in one.
func NewValidator(r Registries) (*Validator, error) {
	if r == nil {
		return standardValidator(), nil
	}
	for _, p := range Points() {
		if found := CheckRegistry(r[p]); HasErrors(found) {
			return nil, fmt.Errorf("registry %s: %w", p, found[0])
		}
	}
	return newValidator(r), nil
}

var standardValidator = sync.OnceValue(func() *Validator { return newValidator(StandardRegistries()) })

func newValidator(r Registries) *Validator {
	v := &Validator{registries: r, plain: map[Kind]func() (*compiledSchema, error){}, strict: map[Kind]func() (*compiledSchema, error){}}
	for _, k := range kinds() {
		v.plain[k] = sync.OnceValues(func() (*compiledSchema, error) { return compile(r.schemaOf(k), false) })
		v.strict[k] = sync.OnceValues(func() (*compiledSchema, error) { return compile(r.schemaOf(k), true) })
	}
	return v
}

func compile(source canon.Value, formats bool) (*compiledSchema, error) {
	c := jsonschema.NewCompiler()
	if formats {
		c.AssertFormat()
		for _, f := range ownFormats() {
			c.RegisterFormat(f)
		}
	}
	id := source.Get("$id").Text()
	if err := c.AddResource(id, source.Plain(canon.Double)); err != nil {
		return nil, err
	}
	schema, err := c.Compile(id)
	if err != nil {
		return nil, err
	}
	s := &compiledSchema{schema: schema, source: source, rules: map[string]string{}}
	s.note(source, "", "AAIF-4-1")
	return s, nil
}

// note records the requirement of a part of a schema: the nearest $comment.
func (s *compiledSchema) note(v canon.Value, pointer, rule string) {
	if own := v.Get("$comment").Text(); strings.HasPrefix(own, "AAIF-") {
		rule = own
	}
	s.rules[pointer] = rule
	for _, m := range v.Members() {
		s.note(m.Value, under(pointer, m.Name), rule)
	}
}

// Languages returns the condition languages that the registries of v allow (AAIF-10-4).
func (v *Validator) Languages() []string { return v.registries[Languages].ids() }

// Validate reports every violation of a document's schema, then those of registries and
// version. A document with warnings only is valid.
func (v *Validator) Validate(d Document) []*codec.ParseError {
	return v.judge(d, v.plain)
}

func (v *Validator) judge(d Document, by map[Kind]func() (*compiledSchema, error)) []*codec.ParseError {
	if by[d.Kind] == nil {
		return []*codec.ParseError{fault(UnknownType, "2-1", "", "no type of document")}
	}
	s, err := by[d.Kind]()
	if err != nil {
		return []*codec.ParseError{fault(SchemaViolation, "4-1", "", "its schema cannot be had: %v", err)}
	}
	found := s.validate(d.Value)
	found = append(found, checkHint(d)...)
	found = append(found, checkVersion(d)...)
	found = append(found, checkIntegers(d.Value)...)
	if d.Kind == AgentKind {
		found = judgeID(found, d.Value)
		definition := ReadDefinition(d.Value)
		found = append(found, v.registries.checkNames(definition)...)
		found = append(found, v.registries.fallbacks(definition)...)
	}
	return sortViolations(d.Value, found)
}

// longestID is the most bytes of an id. A UUID has 36.
const longestID = 200

// Namable returns the violation of an id that cannot stand in a path: one with separators or
// invisible characters. It is nil for other ids, also for an empty one.
func Namable(pointer, rule, id string) *codec.ParseError {
	unfit := func(r rune) bool { return r == '/' || r == '\\' || !unicode.IsPrint(r) }
	switch {
	case len(id) > longestID:
		return fault(TooLarge, rule, pointer, "longer than %d bytes", longestID)
	case id == ".", id == "..", strings.ContainsFunc(id, unfit):
		return fault(WrongForm, rule, pointer, "no id that can be asked for: it has a slash, a line break or the like")
	}
	return nil
}

// judgeID reports an agent id that is empty or cannot stand in a path. It warns of another
// id that is no UUID, with or without formats: agents that were published have such ids
// (AAIF-4.1-2).
func judgeID(found []*codec.ParseError, v canon.Value) []*codec.ParseError {
	const at = "/agent_id"
	found = slices.DeleteFunc(found, func(p *codec.ParseError) bool { return p.Path == at && CodeOf(p) == formatCode("uuid") })
	id := v.Get("agent_id")
	if id.Type() != canon.TypeString || uuidForm.MatchString(id.Text()) {
		return found
	}
	if id.Text() == "" {
		return append(found, fault(SchemaViolation, "4.1-3", at, "empty, and it does not change on import: leave it out to have one given, or write a UUID"))
	}
	if unfit := Namable(at, "4.1-2", id.Text()); unfit != nil {
		return append(found, unfit)
	}
	return append(found, warning(formatCode("uuid"), "4.1-2", at, "is no uuid"))
}
