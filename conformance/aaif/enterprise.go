package aaifsuite

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/conformance"
)

// enterpriseChecks are about the duties of the level Enterprise.
func enterpriseChecks() []check {
	return []check{
		{"AAIF-4.9-4", staged(resident)},
		{"AAIF-4.9-7", staged(private)},
		{"AAIF-4.9-8", staged(audited)},
	}
}

// resident runs an agent in each region.
func resident(r stage) error {
	if err := r.runs(); err != nil {
		return blocked(err)
	}
	return r.inRegions("the model", play{props: props{script: []line{{text: "That is all."}}}})
}

// inRegions runs an agent in one region after the other. The models that are played have their
// data centre in one region at most. Where no model may be asked, nothing else may be: no tool,
// and no collector. model names the model in failures.
func (r stage) inRegions(model string, p play) error {
	regions := []string{"EU", "US", "UK", "APAC"}
	asked, edit := 0, p.edit
	for _, region := range regions {
		p.edit = func(v canon.Value) canon.Value {
			if edit != nil {
				v = edit(v)
			}
			return set(v, "/agent/compliance/data_residency", canon.String(region))
		}
		done, refused, err := r.attempt(p)
		if err != nil {
			return named(region, err)
		}
		switch {
		case len(done.models()) > 0:
			asked++
		case len(done.calls("")) > 0 || len(r.world.tracesOf(done.name)) > 0:
			return fmt.Errorf("with data_residency %s no model may be asked, and something else is", region)
		case !refused && done.failed() != "RESIDENCY_UNSATISFIED":
			return fmt.Errorf("with data_residency %s %s is not asked, and the run is %s %s", region, model, done.status(), done.failed())
		}
	}
	if asked == len(regions) {
		return fmt.Errorf("%s is asked whatever data_residency says", model)
	}
	return nil
}

// address is what identifies a person in the answer of a tool.
const address = "bob@example.com"

// private looks at what a model is told of a tool's answer that identifies a person.
func private(r stage) error {
	if err := r.tools(); err != nil {
		return blocked(err)
	}
	for _, c := range []struct {
		handling string
		arrives  bool
	}{{"none", true}, {"detect", true}, {"anonymize", false}, {"reject", false}} {
		p, err := r.perform(play{
			props: props{script: []line{{calls: []canon.Value{want(lookTool, canon.Object())}}, {text: "That is all."}}, says: "Mail " + address + " about it."},
			edit: func(v canon.Value) canon.Value {
				return set(v, "/agent/compliance/pii_handling", canon.String(c.handling))
			},
		})
		if err != nil {
			return named(c.handling, err)
		}
		told := strings.Join(p.results(), "")
		if len(p.calls(lookTool)) != 1 || strings.Contains(told, address) != c.arrives {
			return fmt.Errorf("with pii_handling %s, what a tool answered of a person arrives at the model otherwise: %.200q", c.handling, told)
		}
		if c.handling == "reject" && !strings.Contains(told, string(aaif.PIIRejected)) && p.failed() != string(aaif.PIIRejected) {
			return fmt.Errorf("with pii_handling reject, nobody is told %s", aaif.PIIRejected)
		}
		if !c.arrives && strings.Contains(string(p.state.Append(nil)), address) {
			return fmt.Errorf("with pii_handling %s, the run shows what identifies a person", c.handling)
		}
	}
	return nil
}

// audited changes copies of the audit log: the platform has to notice each change.
func audited(r stage) error {
	if err := r.tools(); err != nil {
		return blocked(err)
	}
	if r.Hands == nil {
		return conformance.Lacks("the audit log cannot be seen over HTTP, and the run has nobody at the platform")
	}
	same := func(entries [][]byte) [][]byte { return entries }
	before, _, err := r.Hands.Audit(r.ctx, same)
	if err != nil {
		return err
	}
	if _, err := r.perform(play{props: props{script: []line{{calls: []canon.Value{want(bookTool, booking())}}, {text: "That is all."}}}, edit: func(v canon.Value) canon.Value {
		return set(v, "/agent/compliance/audit_log", canon.Bool(true))
	}}); err != nil {
		return err
	}
	switch after, sound, err := r.Hands.Audit(r.ctx, same); {
	case err != nil:
		return err
	case after < before+2:
		return fmt.Errorf("a run with a call of a tool adds %d entries to the audit log", after-before)
	case !sound:
		return errors.New("the audit log is not found to be as it was written")
	}
	for what, alter := range map[string]func([][]byte) [][]byte{
		"a changed byte": func(all [][]byte) [][]byte {
			last := all[len(all)-1]
			last[len(last)/2] ^= 1
			return all
		},
		"a deleted entry":     func(all [][]byte) [][]byte { return slices.Delete(all, len(all)/2, len(all)/2+1) },
		"two swapped entries": func(all [][]byte) [][]byte { all[0], all[len(all)-1] = all[len(all)-1], all[0]; return all },
		"a shorter log":       func(all [][]byte) [][]byte { return all[:len(all)-1] },
	} {
		if _, sound, err := r.Hands.Audit(r.ctx, alter); err != nil || sound {
			return fmt.Errorf("nobody notices %s in the audit log: %v", what, err)
		}
	}
	return nil
}
