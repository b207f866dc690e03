package aaif

import (
	"strings"

	"github.com/satchel-memory/satchel/codec"
)

// The codes of what [Validator.Lint] finds besides.
const (
	Circular          Code = "CYCLE"          // subagents that lead back
	Duplicated        Code = "DUPLICATE"      // of what has to be told apart
	Unresolved        Code = "UNRESOLVED"     // names what is not there
	NotNamespaced     Code = "NOT_NAMESPACED" // capability-not-namespaced
	Incomplete        Code = "INCOMPLETE"     // something else is needed with it
	Empty             Code = "EMPTY"          // says nothing
	ExprType          Code = "EXPR_TYPE"      // not how the language is written
	StringCondition   Code = "PORTABILITY_STRING_CONDITION"
	NoEmbedding       Code = "VECTOR_NO_EMBEDDING"
	DraftInProduction Code = "DRAFT_IN_PRODUCTION"
	WrongState        Code = "STATE"
	WrongForm         Code = "FORM"
	ExtendedCollision Code = "EXTENDED_COLLISION" // a parameter that whoever runs the agent sets
	NobodyAsked       Code = "NOBODY_ASKED"       // people are to approve, and are never asked
)

// Lint reports what is wrong with a document for those who write: what
// [Validator.Validate] does, with formats asserted (decision R2), and what no schema can
// say.
func (v *Validator) Lint(d Document) []*codec.ParseError {
	found := v.judge(d, v.strict)
	switch d.Kind {
	case AgentKind:
		found = append(found, v.lintAgent(d)...)
	case StateKind:
		found = append(found, v.registries.lintState(d.Value)...)
	case ManifestKind:
		found = append(found, lintManifest(d.Value)...)
	case ReportKind:
		found = append(found, lintReport(d.Value)...)
	case RegistryKind:
		if !Refused(found) {
			found = append(found, CheckRegistry(ReadRegistry(d.Value))...)
		}
	}
	return ordered(d.Value, found)
}

// The codes of what Lint finds and nobody could run: definitions with it are not taken in.
const (
	PipelineUnresolved Code = "PIPELINE_UNRESOLVED"
	ConsensusConfig    Code = "CONSENSUS_CONFIG"
)

// BarsIntake reports whether a violation that [Validator.Lint] finds, and
// [Validator.Validate] does not, keeps a definition from being taken in (AAIF-4.3-5,
// AAIF-4.3-12).
func BarsIntake(p *codec.ParseError) bool {
	code := CodeOf(p)
	return !p.Warning && (code == PipelineUnresolved || code == ConsensusConfig)
}

// namespaced reports whether a capability is of the form category.capability (AAIF-2-3).
func namespaced(id string) bool {
	category, capability, ok := strings.Cut(id, ".")
	return ok && category != "" && capability != "" && !strings.ContainsAny(id, " \t\n")
}
