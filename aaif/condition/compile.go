package condition

import (
	"fmt"
	"slices"
	"sync"

	"cel.dev/cel-go/cel"

	"github.com/satchel-memory/satchel/canon"
)

// Options say which conditions to decide. The zero Options decide all six languages
// within the default limits.
type Options struct {
	Limits    Limits
	Languages []Language // nil: all; always and never cannot be switched off

	// ExtraLanguages are languages that a registry has as standard besides the six. The
	// compiler reads their conditions and never decides them, as if they were switched
	// off (AAIF-5-18, AAIF-10-4).
	ExtraLanguages []string
}

// Compiler compiles conditions. It is safe for concurrent use.
type Compiler struct {
	limits    Limits
	languages []Language
	more      []string
	cel       func() (*cel.Env, error)
}

// NewCompiler returns a compiler.
func NewCompiler(opt Options) *Compiler {
	limits := opt.Limits.filled()
	if opt.Languages == nil {
		opt.Languages = Languages()
	}
	return &Compiler{limits: limits, languages: opt.Languages, more: opt.ExtraLanguages, cel: sync.OnceValues(func() (*cel.Env, error) { return newCEL(limits) })}
}

// Condition is a compiled condition. It is safe for concurrent use.
type Condition struct {
	Source
	program program // nil: no condition, a hint in words, or a language that is switched off
	limits  Limits
}

// program is an expression in one of the languages.
type program interface {
	// eval decides within the steps of m. Its error is an *Error, which need not be
	// [Limit] when the meter is spent.
	eval(p Payload, m *meter) (bool, error)
	// reads says which parts of the payload the expression looks at.
	reads() scope
	// asks says, for linting, what the expression asks.
	asks() term
}

// Compile compiles the condition at a pointer of a document. An invalid condition or
// expression gives a *codec.ParseError with an [*Error]. A language that is switched off
// is no error here; [Condition.Eval] reports it.
func (c *Compiler) Compile(v canon.Value, pointer string) (*Condition, error) {
	source, err := read(v, pointer, c.more)
	if err != nil {
		return nil, err
	}
	if source.Lang == "" || !c.supports(source.Lang) {
		return &Condition{Source: source, limits: c.limits}, nil
	}
	if n := size(source.Expr); n > c.limits.Expression {
		return nil, fault("5-20", pointer+"/expr", failure(Limit, source.Lang, "the expression has %d bytes, %d are allowed", n, c.limits.Expression))
	}
	p, failed := c.program(source)
	if failed != nil {
		failed.Lang, failed.Text = source.Lang, printable(failed.Text)
		return nil, fault(ruleOf(failed.Code), pointer+"/expr", failed)
	}
	return &Condition{Source: source, program: p, limits: c.limits}, nil
}

func (c *Compiler) supports(l Language) bool {
	return l == Always || l == Never || slices.Contains(c.languages, l)
}

// ruleOf returns the requirement that a code breaks.
func ruleOf(code Code) string {
	switch code {
	case Limit:
		return "5-20"
	case Type:
		return "5-8"
	}
	return "5-19"
}

// size returns the length of an expression in bytes.
func size(expr canon.Value) int {
	if expr.Type() == canon.TypeString || expr.Type() == canon.TypeUndefined {
		return len(expr.Text())
	}
	return len(expr.AppendCanonical(nil))
}

// program compiles an expression. If the library panics, the expression is refused.
func (c *Compiler) program(s Source) (p program, err *Error) {
	defer func() {
		if recover() != nil {
			p, err = nil, failure(Parse, s.Lang, "the expression cannot be read")
		}
	}()
	switch s.Lang {
	case Always, Never:
		return constant(s.Lang == Always), nil
	case JSONPath:
		return compileJSONPath(s.Expr.Text(), c.limits)
	case JMESPath:
		return compileJMESPath(s.Expr.Text(), c.limits)
	case CEL:
		return c.compileCEL(s.Expr.Text())
	}
	return compileLogic(s.Expr, c.limits)
}

// Eval decides the condition. An error is an [*Error], and the result is then false
// (section 5, AAIF-5-19). Conditions in words, and in languages that are switched off,
// give such errors; [Condition.Decide] handles them.
func (c *Condition) Eval(p Payload) (bool, error) {
	return c.eval(p, &meter{left: c.limits.Steps})
}

func (c *Condition) eval(p Payload, m *meter) (yes bool, err error) {
	if c.program == nil {
		return false, c.undecided()
	}
	defer func() {
		if recover() != nil { // the library met an unexpected value
			yes, err = false, failure(Failed, c.Lang, "the expression failed on this payload")
		}
		if m.spent() {
			yes, err = false, failure(Limit, c.Lang, "more than %d steps", c.limits.Steps)
		}
	}()
	yes, err = c.program.eval(p, m)
	return yes && err == nil, err
}

func (c *Condition) undecided() error {
	switch {
	case c.Lang != "":
		return failure(Unsupported, c.Lang, "this language is not supported here")
	case c.Hint != "":
		return failure(Unsupported, "", "a condition in words")
	}
	return failure(Shape, "", "there is no condition")
}

// Capability returns the capability that a platform needs to decide the condition, such
// as "condition.cel"; "" if it needs none.
func (c *Condition) Capability() string {
	if c.Lang == "" || c.Lang == Always || c.Lang == Never {
		return ""
	}
	return "condition." + string(c.Lang)
}

// Supported reports whether the condition can be decided here. Conditions in words
// cannot.
func (c *Condition) Supported() bool { return c.program != nil }

// String describes the condition for people.
func (s Source) String() string {
	switch {
	case s.NL != "":
		return s.NL
	case s.Hint != "":
		return s.Hint
	case s.Expr.Type() == canon.TypeUndefined:
		return string(s.Lang)
	}
	return fmt.Sprintf("%s %s", s.Lang, s.Expr.AppendCanonical(nil))
}

// constant is the program of always and never.
type constant bool

func (c constant) eval(Payload, *meter) (bool, error) { return bool(c), nil }
func (c constant) reads() scope                       { return scope{} }
func (c constant) asks() term                         { return term{} }
