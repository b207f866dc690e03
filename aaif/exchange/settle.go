package exchange

import (
	"cmp"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// Finish returns the definition of a draft, and all losses by pointers into the document
// that was read. Members that AAIF does not accept are left out, and listed by their
// pointers into the definition. The error is a [codec.ParseError]: no valid definition
// remains.
func (s *Source) Finish(d *Draft) (aaif.Definition, []codec.Loss, error) {
	v, secrets, err := withoutSecrets(s.format, d.Document(), s.options)
	if err != nil {
		return aaif.Definition{}, nil, err
	}
	v, refused, err := s.dropInvalid(v)
	if err != nil {
		return aaif.Definition{}, nil, err
	}
	lost := append(s.losses(), secrets...)
	return aaif.ReadDefinition(inOrder(v)), sorted(append(lost, refused...)), nil
}

// dropInvalid removes members from a definition until AAIF accepts it.
func (s *Source) dropInvalid(v canon.Value) (canon.Value, []codec.Loss, error) {
	validator, err := aaif.NewValidator(nil)
	if err != nil {
		return canon.Value{}, nil, err
	}
	var lost []codec.Loss
	for range mostRounds {
		refusals := aaif.Errors(validator.Lint(aaif.Document{Kind: aaif.AgentKind, Value: v}))
		if len(refusals) == 0 {
			return v, lost, nil
		}
		targets, needed := removalsFor(v, refusals)
		if needed != nil || len(targets) == 0 {
			r := *cmp.Or(needed, refusals[0])
			r.Format = s.format
			return canon.Value{}, nil, &r
		}
		gone := map[string]func(canon.Value) canon.Value{}
		for _, t := range targets {
			gone[t.at] = func(canon.Value) canon.Value { return canon.Value{} }
			lost = append(lost, codec.Loss{Pointer: t.at, Reason: "left out of the definition: " + t.why.Err.Error() + requirement(t.at, t.why.Rule)})
		}
		v = withChanges(v, "", gone, canon.Value{})
	}
	return canon.Value{}, nil, Refuse(s.format, "4-1", "", aaif.SchemaViolation, "more in it that no definition holds than can be left out")
}

// removal is a member to remove, and the reason.
type removal struct {
	at  string
	why *codec.ParseError
}

// removalsFor returns the members whose removal settles refusals. A refusal of a required
// member is returned as needed.
func removalsFor(v canon.Value, refusals []*codec.ParseError) (list []removal, needed *codec.ParseError) {
	known := map[string]bool{}
	for _, r := range refusals {
		switch at := removalFor(v, r.Path); at {
		case "": // of the whole document, such as "%d more"
		case "/agent", "/agent/name", "/agent/goal", "/sc_standard":
			return nil, r
		default:
			if !known[at] {
				list = append(list, removal{at, r})
			}
			known[at] = true
		}
	}
	return list, nil
}

// parent returns a pointer without its last step.
func parent(pointer string) string { return pointer[:strings.LastIndexByte(pointer, '/')] }

// removalFor returns the member whose removal settles a refusal: the value itself, or the
// object that lacks something.
func removalFor(v canon.Value, pointer string) string {
	for pointer != "" {
		if _, ok := v.At(pointer); ok {
			return pointer
		}
		pointer = parent(pointer)
	}
	return ""
}

// inOrder returns a definition with its members in the order of the documentation.
func inOrder(v canon.Value) canon.Value {
	agent := first(v.Get("agent"), "name", "goal", "version", "description", "instructions", "skills", "required_capabilities", "model", "orchestration",
		"context", "tools", "memory", "constraints", "io", "events", "runtime", "telemetry", "evaluation", "compliance")
	return first(v.With("agent", agent), "sc_standard", "sc_version", "agent_id", "status", "tags", "agent", "provenance")
}

// first returns an object with some members first.
func first(v canon.Value, names ...string) canon.Value {
	var members []canon.Member
	for _, name := range names {
		members = append(members, canon.Member{Name: name, Value: v.Get(name)})
	}
	return canon.Object(append(members, v.Members()...)...)
}
