package policy

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/satchel-memory/satchel/canon"
)

// Rule is what an operator says that a constraint means, so that no model has to be asked
// (decision R36). A Rule without patterns and tools says nothing, and no table has one.
type Rule struct {
	Constraint string // the constraint's text, or its index in the agent's own constraints, as "0"

	ForbidTool      []string // these tools are never called
	RequireApproval []string // calls of these tools wait for a person
	Forbid          *regexp.Regexp
	Require         *regexp.Regexp
	In              Where // where the patterns hold; empty: Forbid in both, Require in the output
}

// Where says what is held to constraints.
type Where string

// The two places.
const (
	Output    Where = "output"    // what the model says
	Arguments Where = "arguments" // the arguments of its calls
)

// mostRules and longestTable bound a table of rules.
const (
	mostRules    = 1000
	longestTable = 1 << 20
)

// ReadRules reads an operator's table of rules: an object whose names are constraints, or
// indexes of constraints, and whose values are a rule or a list of rules.
//
//	{"Never output the word banana": {"forbid_pattern": "(?i)banana", "in": "output"},
//	 "1": [{"forbid_tool": ["send_email"]}, {"require_approval": "pay"}]}
//
// forbid_tool and require_approval are names of tools, or lists of them; forbid_pattern and
// require_pattern are expressions of RE2; in is output or arguments. Without it, what is
// forbidden is forbidden in both, and what is required is required of the output. Unknown
// members are refused, and rules that say nothing.
func ReadRules(raw []byte) ([]Rule, error) {
	table, err := canon.Parse(raw, canon.Options{Bytes: longestTable})
	if err != nil {
		return nil, fmt.Errorf("the table of rules: %w", err)
	}
	if table.Type() != canon.TypeObject {
		return nil, fmt.Errorf("the table of rules is no object")
	}
	var rules []Rule
	for _, m := range table.Members() {
		list := []canon.Value{m.Value}
		if m.Value.Type() == canon.TypeArray {
			list = m.Value.Items()
		}
		for i, v := range list {
			r, err := readRule(m.Name, v)
			if err != nil {
				return nil, fmt.Errorf("the table of rules, rule %d of %q: %w", i, shown(m.Name), err)
			}
			if rules = append(rules, r); len(rules) > mostRules {
				return nil, fmt.Errorf("the table has more than %d rules", mostRules)
			}
		}
	}
	return rules, nil
}

func readRule(constraint string, v canon.Value) (Rule, error) {
	r := Rule{Constraint: constraint}
	if v.Type() != canon.TypeObject {
		return r, fmt.Errorf("no object")
	}
	for _, m := range v.Members() {
		if err := r.set(m.Name, m.Value); err != nil {
			return r, fmt.Errorf("%s: %w", shown(m.Name), err)
		}
	}
	if len(r.ForbidTool)+len(r.RequireApproval) == 0 && r.Forbid == nil && r.Require == nil {
		return r, fmt.Errorf("it says nothing")
	}
	if r.In != "" && r.Forbid == nil && r.Require == nil {
		return r, fmt.Errorf("in says where patterns hold, and there is none")
	}
	return r, nil
}

func (r *Rule) set(name string, v canon.Value) (err error) {
	switch name {
	case "forbid_tool":
		r.ForbidTool, err = names(v)
	case "require_approval":
		r.RequireApproval, err = names(v)
	case "forbid_pattern":
		r.Forbid, err = expression(v)
	case "require_pattern":
		r.Require, err = expression(v)
	case "in":
		r.In = Where(v.Text())
		if r.In != Output && r.In != Arguments {
			err = fmt.Errorf("neither output nor arguments")
		}
	default:
		err = fmt.Errorf("no member of a rule")
	}
	return err
}

// names reads a name, or a list of names.
func names(v canon.Value) ([]string, error) {
	list := []canon.Value{v}
	if v.Type() == canon.TypeArray {
		list = v.Items()
	}
	var all []string
	for _, item := range list {
		if item.Text() == "" {
			return nil, fmt.Errorf("no name of a tool")
		}
		all = append(all, item.Text())
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("names no tool")
	}
	return all, nil
}

func expression(v canon.Value) (*regexp.Regexp, error) {
	if v.Text() == "" {
		return nil, fmt.Errorf("no expression")
	}
	return regexp.Compile(v.Text())
}

// holds reports whether the rule's patterns hold at a place.
func (r Rule) holds(where Where) bool { return r.In == "" || r.In == where }

// covers reports whether the rule decides about a place, so that no judge is asked.
func (r Rule) covers(where Where) bool {
	patterns := r.Forbid != nil || r.Require != nil
	return patterns && r.holds(where) || where == Arguments && len(r.ForbidTool)+len(r.RequireApproval) > 0
}

// rulesAbout returns the rules about a constraint. index is its place in the agent's own
// constraints, -1 if it is another's.
func rulesAbout(rules []Rule, constraint string, index int) []Rule {
	var own []Rule
	for _, r := range rules {
		if r.Constraint == constraint || index >= 0 && r.Constraint == strconv.Itoa(index) {
			own = append(own, r)
		}
	}
	return own
}

// unused returns the constraints that rules are about and that an agent does not have.
func unused(rules []Rule, constraints, own []string) []string {
	var left []string
	for _, r := range rules {
		i, err := strconv.Atoi(r.Constraint)
		indexed := err == nil && i >= 0 && i < len(own)
		if !indexed && !slices.Contains(constraints, r.Constraint) && !slices.Contains(left, r.Constraint) {
			left = append(left, r.Constraint)
		}
	}
	return left
}
