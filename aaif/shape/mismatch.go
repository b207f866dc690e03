package shape

import (
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// Mismatch is a place where a value is not as its schema says.
type Mismatch struct {
	Pointer string // into the value
	Text    string // for people and models; never repeats the value
}

// String returns the mismatch with its place.
func (m Mismatch) String() string {
	if m.Pointer == "" {
		return m.Text
	}
	return m.Pointer + ": " + m.Text
}

// mismatches returns the innermost errors.
func mismatches(e *jsonschema.ValidationError) []Mismatch { return collect(e, nil) }

func collect(e *jsonschema.ValidationError, found []Mismatch) []Mismatch {
	if len(found) >= mostFound {
		return found
	}
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf, *kind.Contains, *kind.Not: // which of several was meant is not known
		return append(found, Mismatch{canon.Pointer(e.InstanceLocation...), textOf(e.ErrorKind)})
	}
	for _, cause := range e.Causes {
		found = collect(cause, found)
	}
	if len(e.Causes) > 0 {
		return found
	}
	return append(found, Mismatch{canon.Pointer(e.InstanceLocation...), textOf(e.ErrorKind)})
}

// textOf describes an error in words, with the keywords of the schema and without the value.
func textOf(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		return "is of type " + k.Got + "; wanted: " + strings.Join(k.Want, " or ")
	case *kind.Required:
		return "lacks " + quoted(k.Missing)
	case *kind.AdditionalProperties:
		return fmt.Sprintf("has %d members that the schema does not know", len(k.Properties))
	case *kind.Enum:
		return "is none of the values that are allowed: " + allowed(k.Want)
	case *kind.Const:
		return "is not the one value that is allowed: " + allowed([]any{k.Want})
	case *kind.Pattern:
		return "does not have the form " + k.Want
	case *kind.Format:
		return "is no " + k.Want
	case *kind.Minimum, *kind.ExclusiveMinimum, *kind.MinLength, *kind.MinItems, *kind.MinProperties, *kind.MinContains:
		return "is less than what " + keyword(k) + " allows"
	case *kind.Maximum, *kind.ExclusiveMaximum, *kind.MaxLength, *kind.MaxItems, *kind.MaxProperties, *kind.MaxContains:
		return "is more than what " + keyword(k) + " allows"
	case *kind.AnyOf, *kind.OneOf:
		return "fits none, or more than one, of the alternatives of " + keyword(k)
	case *kind.FalseSchema:
		return "must not be there"
	}
	return "is not as " + keyword(k) + " says"
}

// keyword returns the keyword of a schema that an error is about.
func keyword(k jsonschema.ErrorKind) string {
	path := k.KeywordPath()
	if len(path) == 0 {
		return "the schema"
	}
	return path[0]
}

// quoted lists the first names of some.
func quoted(names []string) string {
	const most = 5
	list := slices.Clone(names[:min(len(names), most)])
	for i, name := range list {
		list[i] = fmt.Sprintf("%q", short(name))
	}
	return strings.Join(list, ", ")
}

// allowed lists the first values of a schema.
func allowed(values []any) string {
	const most = 8
	var list []string
	for _, v := range values[:min(len(values), most)] {
		switch v := v.(type) {
		case map[string]any, []any:
			list = append(list, "…")
		case string:
			list = append(list, fmt.Sprintf("%q", short(v)))
		default:
			list = append(list, short(fmt.Sprint(v)))
		}
	}
	if len(values) > most {
		list = append(list, "…")
	}
	return strings.Join(list, ", ")
}

// short cuts a word of a schema.
func short(word string) string { return codec.Shorten(word, 60) }
