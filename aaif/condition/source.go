package condition

import (
	"slices"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// Language is the language of a condition (section 5).
type Language = aaif.Language

// The six languages.
const (
	JSONPath  = aaif.JSONPath
	JMESPath  = aaif.JMESPath
	CEL       = aaif.CEL
	JSONLogic = aaif.JSONLogic
	Always    = aaif.Always
	Never     = aaif.Never
)

// Languages returns the languages in the order of section 5.
func Languages() []Language {
	return []Language{JSONPath, JMESPath, CEL, JSONLogic, Always, Never}
}

// Source is a condition in a document: a hint in words, or an expression in a language.
// The zero Source is no condition.
type Source struct {
	Hint string // the string form; "" in the structured form
	Lang Language
	Expr canon.Value // a string; an object or a boolean in JsonLogic
	NL   string      // the intended meaning; never decides anything
}

// IsZero reports whether there is no condition.
func (s Source) IsZero() bool { return s.Lang == "" && s.Hint == "" }

// Read reads the condition at a pointer of a document. An undefined value, or a blank
// text, is the zero Source. The error is a *codec.ParseError with an [*Error].
func Read(v canon.Value, pointer string) (Source, error) { return read(v, pointer, nil) }

// read does the same with additional languages, of which it knows only the names.
func read(v canon.Value, pointer string, more []string) (Source, error) {
	switch v.Type() {
	case canon.TypeUndefined:
		return Source{}, nil
	case canon.TypeString:
		return Source{Hint: v.Text()}, nil
	case canon.TypeObject:
		return readObject(v, pointer, more)
	}
	return Source{}, fault("5-2", pointer, failure(Shape, "", "a condition is a string or an object, not %s", article(v.Type())))
}

func readObject(v canon.Value, pointer string, more []string) (Source, error) {
	for _, m := range v.Members() {
		if !slices.Contains([]string{"lang", "expr", "nl"}, m.Name) {
			return Source{}, fault("5-2", pointer+canon.Pointer(m.Name), failure(Shape, "", "a condition has no such member"))
		}
	}
	if !v.Has("lang") {
		return Source{}, fault("5-2", pointer+"/lang", failure(Shape, "", "there is no lang, the language of expr; nl says what is meant, and decides nothing"))
	}
	for _, name := range []string{"lang", "nl"} {
		if t := v.Get(name).Type(); t != canon.TypeString && (name == "lang" || t != canon.TypeUndefined) {
			return Source{}, fault("5-2", pointer+"/"+name, failure(Shape, "", "%s is a string", name))
		}
	}
	s := Source{Lang: Language(v.Get("lang").Text()), Expr: v.Get("expr"), NL: v.Get("nl").Text()}
	if !slices.Contains(Languages(), s.Lang) {
		if slices.Contains(more, string(s.Lang)) {
			return s, nil
		}
		return Source{}, fault("5-3", pointer+"/lang", failure(Shape, "", "no language of conditions"))
	}
	return s, s.checkExpr(pointer)
}

// checkExpr checks the JSON type of the expression for its language. On success it
// returns a nil error, not a nil pointer.
func (s Source) checkExpr(pointer string) error {
	if err := s.exprFault(pointer); err != nil {
		return err
	}
	return nil
}

func (s Source) exprFault(pointer string) *codec.ParseError {
	typ := s.Expr.Type()
	switch {
	case s.Lang == Always || s.Lang == Never:
		return nil
	case typ == canon.TypeUndefined:
		return fault("5-4", pointer+"/expr", failure(Shape, s.Lang, "there is no expression"))
	case typ == canon.TypeString && s.Lang != JSONLogic:
		return nil
	case (typ == canon.TypeObject || typ == canon.TypeBool) && s.Lang == JSONLogic:
		return nil
	}
	return fault("5-4", pointer+"/expr", failure(ExprType, s.Lang, "not written as %s", article(typ)))
}

func article(t canon.Type) string {
	switch t {
	case canon.TypeArray, canon.TypeObject:
		return "an " + t.String()
	case canon.TypeNull, canon.TypeUndefined:
		return t.String()
	}
	return "a " + t.String()
}
