package exchange

import "github.com/satchel-memory/satchel/canon"

// Approval takes the member that says whether a person must approve. A value other than true
// or false is listed as lost, because the operator of the agent must know (AAIF-3-4,
// AAIF-12-6).
func (p Place) Approval() bool {
	if p.Value.Type() == canon.TypeBool {
		return p.Take().True()
	}
	p.Lose("whether a person has to approve of it, in a form that is not known; whoever runs the agent has to be told [AAIF-3-4] [AAIF-12-6]")
	return false
}

// Approve requires a person's approval for every call of the given tools and of all tools of
// the given protocols, and of no others (section 4.9, decision R14).
func (d *Draft) Approve(tools []string, protocols ...string) {
	var rules []canon.Value
	if len(tools) > 0 {
		rules = append(rules, OneOf("tool.name", tools))
	}
	for _, p := range protocols {
		rules = append(rules, Equals("tool.protocol", p))
	}
	if len(rules) == 0 {
		return
	}
	whole := rules[0]
	if len(rules) > 1 {
		whole = rule("or", rules...)
	}
	at := func(v canon.Value, name string) { d.Set(v, "agent", "compliance", "human_in_the_loop", name) }
	at(canon.Bool(true), "enabled")
	at(Condition(whole, "the tool is one that asks for confirmation"), "trigger")
}

// Condition returns a condition in JsonLogic, with its meaning in words.
func Condition(expr canon.Value, meaning string) canon.Value {
	return canon.Object(
		canon.Member{Name: "lang", Value: canon.String("jsonlogic")},
		canon.Member{Name: "expr", Value: expr},
		canon.Member{Name: "nl", Value: canon.String(meaning)})
}

func rule(operator string, operands ...canon.Value) canon.Value {
	return canon.Object(canon.Member{Name: operator, Value: canon.Array(operands...)})
}

func variable(name string) canon.Value {
	return canon.Object(canon.Member{Name: "var", Value: canon.String(name)})
}

// Equals returns the rule of JsonLogic that a member of a payload is a text.
func Equals(name, text string) canon.Value { return rule("==", variable(name), canon.String(text)) }

// OneOf returns the rule that a member of a payload is one of some texts.
func OneOf(name string, texts []string) canon.Value {
	list := make([]canon.Value, len(texts))
	for i, text := range texts {
		list[i] = canon.String(text)
	}
	return rule("in", variable(name), canon.Array(list...))
}

// Not returns the opposite of a rule.
func Not(of canon.Value) canon.Value { return rule("!", of) }
