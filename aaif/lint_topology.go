package aaif

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/pattern"
)

// lintTopology reports broken references between agents (section 4.3).
func lintTopology(d Definition) []*codec.ParseError {
	const at = "/agent/orchestration"
	o := d.Agent.Orchestration
	var found []*codec.ParseError
	add := func(p *codec.ParseError) { found = append(found, p) }
	known, names := map[string]bool{}, []string{}
	for i, s := range o.Subagents {
		if s.Value.Has("ref") && s.Ref == "" {
			add(fault(Empty, "3-5", item(at+"/subagents", i)+"/ref", "names no definition"))
		}
		if s.Alias != "" && known[s.Alias] {
			add(fault(Duplicated, "4.3-3", item(at+"/subagents", i)+"/alias", "there is such an alias already"))
		}
		known[s.Alias], known[s.Ref] = true, true
		names = append(names, s.Alias, s.Ref)
	}
	for i, step := range o.Pipeline {
		if step == "" || !known[step] {
			add(fault(PipelineUnresolved, "4.3-5", item(at+"/pipeline", i), "no alias or ref of a subagent%s", didYouMean(step, names, len(found))))
		}
	}
	for i, h := range o.Handoffs {
		if h.Target != "" && !known[h.Target] && !refers(h.Target) {
			add(warning(Unresolved, "4.3-17", item(at+"/handoff", i)+"/target_agent", "neither a subagent nor the id or address of a definition%s", didYouMean(h.Target, names, len(found))))
		}
	}
	switch c := o.Consensus; {
	case c.Strategy == "referee" && c.Referee == "":
		add(fault(ConsensusConfig, "4.3-13", at+"/consensus/referee_agent", "a referee is wanted"))
	case c.Strategy == "best_of_n" && !slices.ContainsFunc(o.Subagents, func(s Subagent) bool { return s.Role == Evaluator }):
		add(fault(ConsensusConfig, "4.3-12", at+"/consensus/strategy", "no subagent has the role of an evaluator"))
	}
	return found
}

// uuidForm is the form of agent ids.
var uuidForm = pattern.New(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// refers reports whether a text may name a definition elsewhere: by id, address or path.
func refers(text string) bool { return uuidForm.MatchString(text) || strings.ContainsAny(text, ":/") }

// lintConditions reports expressions that do not have the form of their language
// (AAIF-5-4).
func lintConditions(d Definition) []*codec.ParseError {
	var found []*codec.ParseError
	for _, g := range d.Conditions() {
		typ := g.Condition.Expr.Type()
		var ok bool
		switch g.Condition.Lang {
		case JSONPath, JMESPath, CEL:
			ok = typ == canon.TypeString
		case JSONLogic:
			ok = typ == canon.TypeObject || typ == canon.TypeBool
		case Always, Never:
			if typ != canon.TypeUndefined {
				found = append(found, warning(ExprType, "5-4", g.Pointer+"/expr", "not looked at"))
			}
			continue
		default: // not a language, which another check reports
			continue
		}
		if !ok && typ != canon.TypeUndefined {
			found = append(found, fault(ExprType, "5-4", g.Pointer+"/expr", "%s is not written as %s", g.Condition.Lang, article(typ)))
		}
	}
	for _, g := range d.gates() {
		if v := g.Condition.Value; v.Type() == canon.TypeString && v.Text() == "" {
			found = append(found, warning(Empty, "5-12", g.Pointer, "a condition in words that says nothing, which is as if it were left out"))
		}
	}
	return found
}

func article(t canon.Type) string {
	if t == canon.TypeObject {
		return "an object"
	}
	return "a " + t.String()
}

// hints warns of conditions in words, which each runtime understands differently
// (AAIF-5-13).
func hints(d Definition) []*codec.ParseError {
	var found []*codec.ParseError
	for _, g := range d.Conditions() {
		if g.Condition.Hint != "" {
			found = append(found, warning(StringCondition, "5-13", g.Pointer, "a condition in words; other runtimes will understand it differently: write it in a language"))
		}
	}
	return found
}
