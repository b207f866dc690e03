package condition

import (
	"slices"

	"github.com/jmespath-community/go-jmespath/pkg/parsing"
)

// Functions that no query can name. They stand in the tree where a value would grow, and
// charge for it beforehand.
const (
	callEach   = "#each"   // (list, n): n steps per item
	callFlat   = "#flat"   // (list): a step per item of each item
	callTree   = "#tree"   // (value): a step per value inside
	callCut    = "#cut"    // (value): the steps of splitting a string
	callStep   = "#step"   // (value, n): n steps
	callValues = "#values" // (object): the values of its members in the order of their names
)

// withMeters returns the tree with such functions in it, and its number of nodes before.
// The expression keeps its value, but the values of an object come in the order of their
// names.
func withMeters(n parsing.ASTNode) (tree parsing.ASTNode, size int) {
	if len(n.Children) == 0 {
		return n, 1
	}
	cost := 0
	n.Children = slices.Clone(n.Children)
	for i := range n.Children {
		n.Children[i], size = withMeters(n.Children[i])
		cost += size
	}
	meterChildren(&n, cost)
	return n, 1 + cost
}

// meterChildren puts functions around the children of a node. cost is the number of nodes
// in them.
func meterChildren(n *parsing.ASTNode, cost int) {
	switch n.NodeType {
	case parsing.ASTProjection:
		meterProjection(&n.Children[0], cost)
	case parsing.ASTFilterProjection:
		n.Children[0] = call(callEach, n.Children[0], cost)
	case parsing.ASTValueProjection:
		n.NodeType = parsing.ASTProjection
		n.Children[0] = call(callEach, call(callValues, n.Children[0], 0), cost)
	case parsing.ASTFlatten:
		n.Children[0] = call(callFlat, n.Children[0], 0)
	case parsing.ASTExpRef:
		n.Children[0] = call(callStep, n.Children[0], cost)
	case parsing.ASTComparator:
		if !literal(n.Children[0]) && !literal(n.Children[1]) {
			n.Children[0], n.Children[1] = call(callTree, n.Children[0], 0), call(callTree, n.Children[1], 0)
		}
	}
}

// meterProjection puts a call around the input of a projection. Inside a slice it puts
// the call further in: the library recognises slices of strings by the shape of the tree.
func meterProjection(left *parsing.ASTNode, cost int) {
	if left.NodeType == parsing.ASTIndexExpression && left.Children[1].NodeType == parsing.ASTSlice {
		left.Children[0] = call(callCut, call(callEach, left.Children[0], cost), 0)
		return
	}
	*left = call(callEach, *left, cost)
}

func call(name string, arg parsing.ASTNode, n int) parsing.ASTNode {
	count := parsing.ASTNode{NodeType: parsing.ASTLiteral, Value: n}
	return parsing.ASTNode{NodeType: parsing.ASTFunctionExpression, Value: name, Children: []parsing.ASTNode{arg, count}}
}

// literal reports whether a node is a literal without items.
func literal(n parsing.ASTNode) bool {
	if n.NodeType != parsing.ASTLiteral {
		return false
	}
	switch n.Value.(type) {
	case []any, map[string]any:
		return false
	}
	return true
}
