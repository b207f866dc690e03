package condition

import (
	"github.com/jmespath-community/go-jmespath/pkg/parsing"
)

// queryTerm returns the term of a query on the payload.
func queryTerm(n parsing.ASTNode) term {
	if path, ok := queryPath(n); ok {
		return reading(path)
	}
	switch n.NodeType {
	case parsing.ASTAndExpression:
		return of(allOf, queryTerms(n.Children)...)
	case parsing.ASTOrExpression:
		return of(anyOf, queryTerms(n.Children)...)
	case parsing.ASTNotExpression:
		return of(not, queryTerms(n.Children)...)
	case parsing.ASTComparator:
		if t, ok := queryEqual(n); ok {
			return t
		}
		return of(mixed, queryTerms(n.Children)...)
	case parsing.ASTFunctionExpression:
		if t, ok := queryContains(n); ok {
			return t
		}
		return of(mixed, queryTerms(n.Children)...)
	case parsing.ASTArithmeticExpression, parsing.ASTArithmeticUnaryExpression,
		parsing.ASTMultiSelectList, parsing.ASTMultiSelectHash, parsing.ASTKeyValPair:
		return of(mixed, queryTerms(n.Children)...)
	case parsing.ASTSubexpression, parsing.ASTIndexExpression, parsing.ASTPipe, parsing.ASTFlatten,
		parsing.ASTProjection, parsing.ASTFilterProjection, parsing.ASTValueProjection: // the rest is applied to the first part's result
		return of(mixed, queryTerm(n.Children[0]))
	}
	return term{}
}

func queryTerms(list []parsing.ASTNode) []term {
	terms := make([]term, 0, len(list))
	for _, n := range list {
		terms = append(terms, queryTerm(n))
	}
	return terms
}

// queryPath returns the names from the payload to a value.
func queryPath(n parsing.ASTNode) ([]string, bool) {
	switch n.NodeType {
	case parsing.ASTCurrentNode, parsing.ASTRootNode:
		return nil, true
	case parsing.ASTField:
		return []string{n.Value.(string)}, true
	case parsing.ASTSubexpression:
		path, ok := queryPath(n.Children[0])
		if !ok || n.Children[1].NodeType != parsing.ASTField {
			return nil, false
		}
		return append(path, n.Children[1].Value.(string)), true
	}
	return nil, false
}

// queryEqual returns the term of a comparison of a value with a text, in either order.
func queryEqual(n parsing.ASTNode) (term, bool) {
	for i, side := range n.Children {
		path, ok := queryPath(side)
		text, known := queryText(n.Children[1-i])
		switch {
		case !ok || !known:
		case n.Value == parsing.TOKEQ:
			return equal(path, text), true
		case n.Value == parsing.TOKNE:
			return of(not, equal(path, text)), true
		}
	}
	return term{}, false
}

func queryText(n parsing.ASTNode) (string, bool) {
	text, ok := n.Value.(string)
	return text, ok && n.NodeType == parsing.ASTLiteral
}

// queryContains returns the term of a test whether a list of texts contains a value.
func queryContains(n parsing.ASTNode) (term, bool) {
	if n.Value != "contains" || len(n.Children) != 2 {
		return term{}, false
	}
	path, ok := queryPath(n.Children[1])
	var texts []string
	switch list := n.Children[0]; list.NodeType {
	case parsing.ASTMultiSelectList:
		for _, item := range list.Children {
			text, known := queryText(item)
			texts, ok = append(texts, text), ok && known
		}
	case parsing.ASTLiteral:
		items, _ := list.Value.([]any)
		for _, item := range items {
			text, known := item.(string)
			texts, ok = append(texts, text), ok && known
		}
	}
	return oneOf(path, texts), ok && len(texts) > 0
}
