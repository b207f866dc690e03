package aaifsuite

import (
	"errors"
	"fmt"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// enterpriseChecks are about the duties of the level Enterprise.
func enterpriseChecks() []check {
	return []check{
		{"AAIF-4.9-4", staged(resident)},
		{"AAIF-4.9-7", staged(private)},
	}
}

// resident runs an agent in one region after the other. The model that is played has its data
// centre in one place at most.
func resident(r stage) error {
	if err := r.runs(); err != nil {
		return blocked(err)
	}
	regions := []string{"EU", "US", "UK", "APAC"}
	asked := 0
	for _, region := range regions {
		p, refused, err := r.attempt(play{props: props{script: []line{{text: "That is all."}}}, edit: func(v canon.Value) canon.Value {
			return set(v, "/agent/compliance/data_residency", canon.String(region))
		}})
		if err != nil {
			return named(region, err)
		}
		switch {
		case len(p.requests()) > 0:
			asked++
		case !refused && p.failed() != "RESIDENCY_UNSATISFIED":
			return fmt.Errorf("with data_residency %s no model is asked, and the run is %s %s", region, p.status(), p.failed())
		}
	}
	if asked == len(regions) {
		return errors.New("the same model is asked whatever data_residency says")
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
