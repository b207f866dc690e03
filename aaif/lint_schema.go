package aaif

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// metaSchemas holds the meta-schemas by their $schema. A schema without $schema uses the
// newest dialect.
var metaSchemas = sync.OnceValue(func() map[string]func() (*jsonschema.Schema, error) {
	all := map[string]func() (*jsonschema.Schema, error){}
	for _, uri := range []string{
		"http://json-schema.org/draft-04/schema", "http://json-schema.org/draft-06/schema", "http://json-schema.org/draft-07/schema",
		"https://json-schema.org/draft/2019-09/schema", newestMeta,
	} {
		all[uri] = sync.OnceValues(func() (*jsonschema.Schema, error) { return jsonschema.NewCompiler().Compile(uri) })
	}
	return all
})

const newestMeta = "https://json-schema.org/draft/2020-12/schema"

// lintSchema reports an invalid JSON Schema in a definition. It neither resolves references
// nor checks schemas of unknown dialects.
func lintSchema(v canon.Value, rule, pointer string) []*codec.ParseError {
	if v.Type() != canon.TypeObject {
		return nil
	}
	dialect := newestMeta
	if v.Has("$schema") {
		dialect = strings.TrimSuffix(v.Get("$schema").Text(), "#")
	}
	compiled, ok := metaSchemas()[dialect]
	if !ok {
		return nil
	}
	meta, err := compiled()
	if err != nil {
		return []*codec.ParseError{fault(WrongForm, rule, pointer, "the schema of schemas cannot be had: %v", err)}
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(meta.Validate(v.Plain(canon.Double)), &invalid) {
		return lintRequired(v, rule, pointer, nil)
	}
	var found []*codec.ParseError
	seen := map[string]bool{}
	for _, leaf := range leavesOf(invalid) {
		at := pointer + canon.Pointer(leaf.InstanceLocation...)
		if !seen[at] && len(found) < mostViolations {
			found = append(found, fault(WrongForm, rule, at, "not as JSON Schema has it: %s", schemaText(leaf.ErrorKind, len(found))))
		}
		seen[at] = true
	}
	return found
}

// lintRequired warns of required members that a schema's properties do not define, at any
// depth. They are most likely slips.
func lintRequired(v canon.Value, rule, pointer string, found []*codec.ParseError) []*codec.ParseError {
	if known, ok := memberNames(v); ok {
		there := map[string]bool{}
		for _, name := range known {
			there[name] = true
		}
		for i, name := range v.Get("required").Items() {
			if !there[name.Text()] && len(found) < mostViolations {
				found = append(found, warning(Unresolved, rule, item(pointer+"/required", i), "requires what properties has not, so that nobody knows what it is%s", didYouMean(name.Text(), known, len(found))))
			}
		}
	}
	for _, m := range v.Get("properties").Members() {
		found = lintRequired(m.Value, rule, pointer+"/properties"+canon.Pointer(m.Name), found)
	}
	if items := v.Get("items"); items.Type() == canon.TypeObject {
		found = lintRequired(items, rule, pointer+"/items", found)
	}
	return found
}

// leavesOf returns the innermost errors. Among alternatives it takes the deepest match.
func leavesOf(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	_, anyOf := e.ErrorKind.(*kind.AnyOf)
	var best, all []*jsonschema.ValidationError
	deepest := -1
	for _, cause := range e.Causes {
		leaves := leavesOf(cause)
		all = append(all, leaves...)
		if depth := len(leaves[0].InstanceLocation); depth > deepest {
			best, deepest = leaves, depth
		}
	}
	if anyOf {
		return best
	}
	return all
}

func schemaText(k jsonschema.ErrorKind, already int) string {
	switch k := k.(type) {
	case *kind.Enum:
		var words []string
		for _, w := range k.Want {
			words = append(words, fmt.Sprint(w))
		}
		got, _ := k.Got.(string)
		return "is none of " + strings.Join(words, ", ") + didYouMean(got, words, already)
	case *kind.Type:
		return "is of type " + k.Got + "; wanted: " + strings.Join(k.Want, " or ")
	}
	return "not what it takes there"
}
