package aaif

import (
	"strings"

	"github.com/satchel-memory/satchel/codec"
)

// The codes that [Validator.Lint] adds.
const (
	Circular          Code = "CYCLE"          // subagents refer back
	Duplicated        Code = "DUPLICATE"      // must be unique
	Unresolved        Code = "UNRESOLVED"     // refers to something missing
	NotNamespaced     Code = "NOT_NAMESPACED" // capability-not-namespaced
	Incomplete        Code = "INCOMPLETE"     // needs another member
	Empty             Code = "EMPTY"          // has no content
	ExprType          Code = "EXPR_TYPE"      // not in the form of the language
	StringCondition   Code = "PORTABILITY_STRING_CONDITION"
	NoEmbedding       Code = "VECTOR_NO_EMBEDDING"
	DraftInProduction Code = "DRAFT_IN_PRODUCTION"
	WrongState        Code = "STATE"
	WrongForm         Code = "FORM"
	ExtendedCollision Code = "EXTENDED_COLLISION" // a parameter that the runtime sets
	NobodyAsked       Code = "NOBODY_ASKED"       // approval is on, but nobody is ever asked
)

// Lint reports to an author what is wrong with a document. It does what
// [Validator.Validate] does, asserts formats (decision R2), and checks what a schema
// cannot express.
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
		if !HasErrors(found) {
			found = append(found, CheckRegistry(ReadRegistry(d.Value))...)
		}
	}
	return sortViolations(d.Value, found)
}

// The codes of findings that make a definition impossible to run, so that intake refuses
// it.
const (
	PipelineUnresolved Code = "PIPELINE_UNRESOLVED"
	ConsensusConfig    Code = "CONSENSUS_CONFIG"
)

// BlocksIntake reports whether a finding of [Validator.Lint], which [Validator.Validate]
// does not report, keeps a definition from intake (AAIF-4.3-5, AAIF-4.3-12).
func BlocksIntake(p *codec.ParseError) bool {
	code := CodeOf(p)
	return !p.Warning && (code == PipelineUnresolved || code == ConsensusConfig)
}

// namespaced reports whether a capability has the form category.capability (AAIF-2-3).
func namespaced(id string) bool {
	category, capability, ok := strings.Cut(id, ".")
	return ok && category != "" && capability != "" && !strings.ContainsAny(id, " \t\n")
}
