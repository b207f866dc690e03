package mapping

import (
	"strings"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/memory"
)

// because separates a decision and its rationale in the text of a record.
const because = " Rationale: "

func (s context) decisionRecord(r memory.Record, e *aicf.Decision) (memory.Record, object) {
	r = datedBy(r, s.ended())
	r.Kind, r.Body.Text = kindOf(e.MemoryType), orExtra(decisionText(e), e.Extra)
	r.Lifecycle.Salience = onScale(salienceOf, e.Impact)
	r.Lifecycle.Confidence = onScale(confidenceOf, e.Confidence)
	r.Provenance.Method = "decision"
	var o object
	o.text("decision", e.Text)
	o.text("rationale", e.Rationale)
	if s.told != "" {
		r.Relations = relate(r.Relations, memory.Relation{Type: memory.DerivedFrom, Target: string(s.told)})
	}
	return r, o
}

func decisionText(e *aicf.Decision) string {
	if e.Rationale == "" {
		return e.Text
	}
	return e.Text + because + e.Rationale
}

func (s context) consolidationRecord(r memory.Record, e *aicf.Consolidation) (memory.Record, object) {
	r = datedBy(r, e.ConsolidatedAt)
	facts := strings.Join(e.KeyFacts, "; ")
	switch {
	case e.SemanticTheme != nil && *e.SemanticTheme != "" && facts != "":
		r.Body.Text = *e.SemanticTheme + ": " + facts
	case e.SemanticTheme != nil && *e.SemanticTheme != "":
		r.Body.Text = *e.SemanticTheme
	case facts != "":
		r.Body.Text = facts
	default:
		r.Body.Text = "Consolidation " + e.ID
	}
	if e.Method != "" {
		r.Provenance.Method = string(e.Method)
	}
	var o object
	o.optional("semantic_theme", e.SemanticTheme)
	o.list("key_facts", e.KeyFacts)
	o.text("information_preserved", e.InformationPreserved)
	o.text("compression_ratio", e.CompressionRatio)
	return r, o
}
