package agents

import (
	"fmt"
	"slices"

	"github.com/satchel-memory/satchel/aaif"
)

// bound refuses functions that are not registered, at the levels strict and
// regulated. At other levels they are off, and it warns of them (AAIF-4.4-5).
func (j *judgement) bound(o aaif.IntakeOptions) error {
	strict, refused := j.definition.Agent.Compliance.Safety.IsStrict(), []error(nil)
	for _, i := range j.service.unbound(j.definition) {
		text := unboundText(j.definition, i)
		if strict && !o.Keep {
			refused = append(refused, fault(aaif.ToolUnbound, "4.4-5", unboundAt(i), "%s", text))
			continue
		}
		j.warn(fault(aaif.ToolUnbound, "4.4-5", unboundAt(i), "%s: the tool is off", text).Error())
	}
	return notRunnable(refused)
}

func unboundAt(i int) string { return fmt.Sprintf("/agent/tools/%d/name", i) }

// unboundText says that nobody registered a function. A definition of a platform where models
// call subagents by a function may have one that nothing calls here.
func unboundText(d aaif.Definition, i int) string {
	text := fmt.Sprintf("no function %q is registered here", aaif.Shown(d.Agent.Tools[i].Name))
	if len(d.Agent.Orchestration.Subagents) > 0 {
		text += "; if it is for calling subagents, no run needs it: they work as orchestration says. Remove it from the definition, or register any command by this name"
	}
	return text
}

// unbound returns the tools of a definition that are unregistered functions. It returns
// none if no functions are called here at all: another message covers all of them.
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

// off names the functions that an accepted agent must do without.
func (s *Service) off(d aaif.Definition) (names []string) {
	if d.Agent.Compliance.Safety.IsStrict() {
		return nil
	}
	for _, i := range s.unbound(d) {
		names = append(names, "tool.function("+d.Agent.Tools[i].Name+")")
	}
	return names
}
