package condition

import (
	"github.com/jmespath-community/go-jmespath/pkg/functions"
	"github.com/jmespath-community/go-jmespath/pkg/interpreter"
	"github.com/jmespath-community/go-jmespath/pkg/parsing"
	"github.com/jmespath-community/go-jmespath/pkg/util"
)

// queryProgram is a JMESPath query. It is true if its result is neither false nor null
// nor empty (AAIF-5-7).
type queryProgram struct {
	tree    parsing.ASTNode // as [withMeters] rewrote it
	size    int             // nodes of the parsed tree
	library interpreter.FunctionCaller
	scope   scope
	plain   parsing.ASTNode // as parsed
}

func compileJMESPath(text string, limits Limits) (program, *Error) {
	if nesting(text, "'\"`") > limits.Nesting {
		return nil, failure(Limit, JMESPath, "brackets lie more than %d deep", limits.Nesting)
	}
	tree, err := parsing.NewParser().Parse(text)
	if err != nil {
		return nil, failure(Parse, JMESPath, "%v", err)
	}
	known := functions.GetDefaultFunctions()
	if name := unknownFunction(tree, known); name != "" {
		return nil, failure(Parse, JMESPath, "there is no function %s", name)
	}
	if bindings(tree) > mostBindings {
		return nil, failure(Limit, JMESPath, "more than %d variables", mostBindings)
	}
	s := scope{fixed: true}
	names(tree, &s)
	plan, size := withMeters(tree)
	return queryProgram{plan, size, interpreter.NewFunctionCaller(known...), s, tree}, nil
}

func (q queryProgram) eval(p Payload, m *meter) (bool, error) {
	if !m.spend(q.size) {
		return false, nil
	}
	data := p.object()
	caller := caller{q.library, m}
	result, err := interpreter.NewInterpreter(data, caller, nil).Execute(q.tree, data)
	if err != nil { // the library's text may repeat the payload
		return false, failure(Failed, JMESPath, "a function was called with what it does not take, or a variable is not defined")
	}
	return !util.IsFalse(result), nil
}

func (q queryProgram) reads() scope { return q.scope }
func (q queryProgram) asks() term   { return queryTerm(q.plain) }

// mostBindings is the most variables of a query. The library copies all of them for each
// one, each time.
const mostBindings = 16

// bindings counts the variables of a query.
func bindings(n parsing.ASTNode) int {
	sum := 0
	if n.NodeType == parsing.ASTBinding {
		sum++
	}
	for _, child := range n.Children {
		sum += bindings(child)
	}
	return sum
}

// unknownFunction returns the name of a function that does not exist, or "".
func unknownFunction(n parsing.ASTNode, known []functions.FunctionEntry) string {
	if n.NodeType == parsing.ASTFunctionExpression {
		name := n.Value.(string)
		found := false
		for _, f := range known {
			found = found || f.Name == name
		}
		if !found {
			return name
		}
	}
	for _, child := range n.Children {
		if name := unknownFunction(child, known); name != "" {
			return name
		}
	}
	return ""
}

// names collects the fields that a query reads from the payload itself.
func names(n parsing.ASTNode, s *scope) {
	if n.NodeType == parsing.ASTIndexExpression && n.Children[0].NodeType == parsing.ASTIdentity {
		s.listed, s.fixed = true, false
		return
	}
	switch n.NodeType {
	case parsing.ASTField:
		s.names, s.fixed = append(s.names, n.Value.(string)), false
	case parsing.ASTLiteral:
	case parsing.ASTComparator, parsing.ASTAndExpression, parsing.ASTOrExpression, parsing.ASTNotExpression,
		parsing.ASTArithmeticExpression, parsing.ASTArithmeticUnaryExpression, parsing.ASTFunctionExpression,
		parsing.ASTMultiSelectList, parsing.ASTMultiSelectHash, parsing.ASTKeyValPair:
		for _, child := range n.Children {
			names(child, s)
		}
	case parsing.ASTSubexpression, parsing.ASTIndexExpression, parsing.ASTPipe, parsing.ASTFlatten,
		parsing.ASTProjection, parsing.ASTFilterProjection, parsing.ASTValueProjection:
		names(n.Children[0], s)
	case parsing.ASTExpRef:
	default:
		s.open, s.fixed = true, false
	}
}
