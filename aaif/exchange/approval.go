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

// Approve requires a person's approval for every call of the given tools, and of no others
// (section 4.9, decision R14).
func (d *Draft) Approve(tools []string) {
	if len(tools) == 0 {
		return
	}
	names := make([]canon.Value, len(tools))
	for i, name := range tools {
		names[i] = canon.String(name)
	}
	tool := canon.Object(canon.Member{Name: "var", Value: canon.String("tool.name")})
	rule := canon.Object(canon.Member{Name: "in", Value: canon.Array(tool, canon.Array(names...))})
	at := func(v canon.Value, name string) { d.Set(v, "agent", "compliance", "human_in_the_loop", name) }
	at(canon.Bool(true), "enabled")
	at(canon.Object(
		canon.Member{Name: "lang", Value: canon.String("jsonlogic")},
		canon.Member{Name: "expr", Value: rule},
		canon.Member{Name: "nl", Value: canon.String("the tool is one that asks for confirmation")}), "trigger")
}
