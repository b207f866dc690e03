package agents

import (
	"fmt"
	"slices"

	"github.com/satchel-memory/satchel/aaif"
)

// bound refuses functions that nobody has registered, at the levels strict and regulated;
// elsewhere they are off, and warned of (AAIF-4.4-5).
func (j *judgement) bound(o aaif.IntakeOptions) error {
	strict := j.definition.Agent.Compliance.Safety.IsStrict()
	for _, i := range j.service.unbound(j.definition) {
		p := fault(aaif.ToolUnbound, "4.4-5", unboundAt(i), "no function %q is registered here: the tool is off", aaif.Shown(j.definition.Agent.Tools[i].Name))
		if strict && !o.Keep {
			return &aaif.NotRunnableError{Err: p}
		}
		j.warn(p.Error())
	}
	return nil
}

func unboundAt(i int) string { return fmt.Sprintf("/agent/tools/%d/name", i) }

// unbound returns which tools of a definition are functions that nobody has registered.
// Where no functions are called at all, that is said of all of them at once.
func (s *Service) unbound(d aaif.Definition) (tools []int) {
	if !s.manifest.Platform.Capabilities.Tool.Function {
		return nil
	}
	for i, t := range d.Agent.Tools {
		if t.Protocol == aaif.FunctionTool && !slices.Contains(s.opt.Functions, t.Name) {
			tools = append(tools, i)
		}
	}
	return tools
}

// off names what an agent that is taken in does without for want of functions.
func (s *Service) off(d aaif.Definition) (names []string) {
	if d.Agent.Compliance.Safety.IsStrict() {
		return nil
	}
	for _, i := range s.unbound(d) {
		names = append(names, "tool.function("+d.Agent.Tools[i].Name+")")
	}
	return names
}
