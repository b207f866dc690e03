// Package shape holds values to the JSON Schemas of AAIF (SC-006, version 3.4, section 4):
// io.input_schema, io.output_schema, parameters_schema and output_schema of tools. Schemas
// and values come from strangers. A schema refers to nothing outside of itself, but for the
// documents that [Whole] is given, and every check is bounded in steps.
package shape

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// MostBytes is how long a schema may be, with the documents that it refers to.
const MostBytes = 128 << 10

// The most of a schema, and of one check.
const (
	mostNested = 64         // arrays and objects within each other
	mostSteps  = 1_000_000  // parts of schemas that are put to parts of values, weighed
	mostValue  = 4 << 20    // bytes of a value
	mostFound  = 20         // mismatches that are reported
	ownID      = "satchel:" // stands for the address that a schema does not have
)

// Schema is a compiled JSON Schema: of the dialect that its $schema names, 2020-12 if it
// names none. It is safe for concurrent use; one value is checked at a time.
type Schema struct {
	mu     sync.Mutex
	schema *jsonschema.Schema
	meter  *meter
}

// errRefused is the error of every reference that leads out of a schema.
var errRefused = errors.New("a schema may refer to its own parts alone")

// noLoader loads nothing.
type noLoader struct{}

// Load refuses.
func (noLoader) Load(string) (any, error) { return nil, errRefused }

// leadsOut says where a schema refers to, and what to do about it.
func leadsOut(address string) error {
	shown := func(text string) string { return codec.ExcerptOf(text, 200) }
	if file := Path(address); file != "" {
		return fmt.Errorf("it refers to %s: that document has to lie at run/copies/%s in the folder of the store, as JSON of at most %d KiB", shown(address), shown(file), MostBytes>>10)
	}
	return fmt.Errorf("it refers to %s: a schema may refer to its own parts, and to documents at https addresses without port and query", shown(strings.TrimPrefix(address, ownID)))
}

// Compile compiles a schema: an object, true or false. It refuses one that is no JSON
// Schema, is too large, or refers to another document.
func Compile(v canon.Value) (*Schema, error) {
	switch t := v.Type(); {
	case t != canon.TypeObject && t != canon.TypeBool:
		return nil, errors.New("a JSON Schema is an object, or true or false")
	case len(v.Append(nil)) > MostBytes:
		return nil, fmt.Errorf("the schema has more than %d bytes", MostBytes)
	case depth(v) > mostNested:
		return nil, fmt.Errorf("the schema is nested deeper than %d", mostNested)
	}
	s := &Schema{meter: &meter{}}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(s.meter.expression)
	c.RegisterVocabulary(s.meter.vocabulary())
	c.AssertVocabs()
	if err := s.compile(c, v); err != nil {
		return nil, err
	}
	return s, nil
}

// compile compiles within the steps of a check: a schema is checked by its own schema.
func (s *Schema) compile(c *jsonschema.Compiler, v canon.Value) (err error) {
	defer s.meter.stop(&err)
	s.meter.left = mostSteps
	if err := c.AddResource(ownID, v.Plain(canon.Double)); err != nil {
		return fmt.Errorf("no usable JSON Schema: %w", err)
	}
	s.schema, err = c.Compile(ownID)
	out, leads := errors.AsType[*jsonschema.LoadURLError](err)
	switch dialect := v.Get("$schema").Text(); {
	case leads && dialect != "" && strings.HasPrefix(dialect, out.URL):
		return errors.New("its $schema is no dialect that is known here")
	case leads:
		return leadsOut(out.URL)
	case err != nil:
		return errors.New("no usable JSON Schema: " + compileText(err))
	}
	return nil
}

// compileText describes why a schema cannot be compiled.
func compileText(err error) string {
	if invalid, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok {
		if of, ok := errors.AsType[*jsonschema.ValidationError](invalid.Err); ok {
			if found := mismatches(of); len(found) > 0 {
				return found[0].String()
			}
		}
	}
	text := strings.ReplaceAll(err.Error(), ownID, "")
	first, _, _ := strings.Cut(text, "\n")
	return first
}

// Check holds a value to the schema, and returns where it is otherwise; nil: it fits. A
// value that is too large, or takes too many steps, does not fit.
func (s *Schema) Check(v canon.Value) (found []Mismatch) {
	if len(v.Append(nil)) > mostValue || depth(v) > 4*mostNested {
		return []Mismatch{{"", "is too large to be checked"}}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	func() {
		defer s.meter.stop(&err)
		s.meter.left = mostSteps
		err = s.schema.Validate(v.Plain(canon.Double))
	}()
	if err == nil {
		return nil
	}
	if of, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		return mismatches(of)
	}
	return []Mismatch{{"", err.Error()}}
}

// depth returns how deep a value nests.
func depth(v canon.Value) int {
	most := 0
	for _, item := range v.Items() {
		most = max(most, 1+depth(item))
	}
	for _, m := range v.Members() {
		most = max(most, 1+depth(m.Value))
	}
	return most
}

// Text joins mismatches in one line, the first five of them.
func Text(found []Mismatch) string {
	const most = 5
	var list []string
	for _, m := range found[:min(len(found), most)] {
		list = append(list, m.String())
	}
	if len(found) > most {
		list = append(list, fmt.Sprintf("and %d more", len(found)-most))
	}
	return strings.Join(slices.Compact(list), "; ")
}
