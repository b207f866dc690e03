package aaifsuite

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/condition"
	"github.com/satchel-memory/satchel/aaif/handoff"
	"github.com/satchel-memory/satchel/aaif/privacy"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/conformance"
)

// HandoffKind is the kind of a stream of section 8.3, kept as a file.
const HandoffKind aaif.Kind = "handoff"

// DocumentOptions say what is asked of a document.
type DocumentOptions struct {
	// Level is one that a definition has to have; empty: none in particular.
	Level aaif.Level
	// Strict makes what only [aaif.Validator.Lint] finds count; otherwise it is warned of.
	Strict bool
	Now    time.Time // to tell what has expired; zero: nothing has
}

// Examined is a document, and what became of the rows about it.
type Examined struct {
	Kind   aaif.Kind    // empty: none that is known
	Levels []aaif.Level // that a definition has, the highest of each branch
	Rows   []Result
}

// OK reports whether every row that counts is kept.
func (e Examined) OK() bool {
	return !slices.ContainsFunc(e.Rows, func(r Result) bool { return r.Outcome == conformance.Fail })
}

// examination is a document that is being looked at.
type examination struct {
	DocumentOptions
	validator *aaif.Validator
	Examined
}

// Examine puts the rows about documents to one: a definition, a state, a manifest, a
// report, a registry, in JSON or CBOR, or a handoff as it was sent. Every violation is
// in the row of its requirement. The error is for the program's own failures.
func Examine(raw []byte, o DocumentOptions) (Examined, error) {
	v, err := aaif.NewValidator(nil)
	if err != nil {
		return Examined{}, err
	}
	e := &examination{DocumentOptions: o, validator: v}
	if isStream(raw) {
		e.stream(raw)
		return e.Examined, nil
	}
	d, err := aaif.Read(raw, aaif.ReadOptions{})
	e.Kind = d.Kind
	if err != nil {
		e.broken(err, "AAIF-2-1")
		return e.Examined, nil
	}
	e.keep("AAIF-2-1")
	e.document(d)
	return e.Examined, nil
}

// isStream reports whether a file is a handoff: its first line is a frame.
func isStream(raw []byte) bool {
	line, _, _ := bytes.Cut(raw, []byte("\n"))
	v, err := canon.Parse(line, canon.Options{Inexact: true})
	if err != nil {
		return false
	}
	kind := handoff.Type(v.Get("type").Text())
	return slices.Contains([]handoff.Type{handoff.Init, handoff.ContextChunk, handoff.MemoryItem, handoff.PipelineState, handoff.PendingTool,
		handoff.SubagentRef, handoff.Complete, handoff.Error}, kind)
}

// document looks at a document that could be read.
func (e *examination) document(d aaif.Document) {
	found := e.validator.Validate(d)
	e.violations(found)
	for _, p := range e.validator.Lint(d) {
		if !slices.ContainsFunc(found, func(q *codec.ParseError) bool { return q.Path == p.Path && q.Rule == p.Rule }) {
			e.remark(p)
		}
	}
	switch d.Kind {
	case aaif.AgentKind:
		e.violations(privacy.Secrets(d, privacy.SecretOptions{}))
		e.conditions(d)
		e.levels(d)
	case aaif.StateKind:
		e.violations(privacy.Secrets(d, privacy.SecretOptions{}))
		e.checksum(d.Value)
		e.token(d.Value)
	case aaif.ManifestKind:
		e.violations(privacy.Secrets(d, privacy.SecretOptions{}))
		e.manifest(d.Value)
	}
	for _, id := range kept(d.Kind) {
		e.keep(id)
	}
}

// kept are the rows that a document of a kind keeps unless it was found to break them.
func kept(k aaif.Kind) []string {
	switch k {
	case aaif.AgentKind:
		return []string{"AAIF-4-1", "AAIF-4-2", "AAIF-4-3", "AAIF-5-19", "AAIF-10-5", "AAIF-12-3", "AAIF-12-4", "AAIF-U.D-1"}
	case aaif.StateKind:
		return []string{"AAIF-8.1-1", "AAIF-8.1-24", "AAIF-12-3", "AAIF-12-12", "AAIF-U.D-1"}
	case aaif.ManifestKind:
		return []string{"AAIF-6-1", "AAIF-7-13", "AAIF-7-14", "AAIF-7-15", "AAIF-12-3"}
	case aaif.ReportKind:
		return []string{"AAIF-6-13", "AAIF-6-18", "AAIF-6-20"}
	case aaif.RegistryKind:
		return []string{"AAIF-10-2"}
	case HandoffKind:
		return []string{"AAIF-8.3-1", "AAIF-8.3-2", "AAIF-8.3-3", "AAIF-8.3-4", "AAIF-8.3-9", "AAIF-8.3-11", "AAIF-8.3-12"}
	}
	return nil
}

// violations notes what is found, errors and warnings alike.
func (e *examination) violations(found []*codec.ParseError) {
	for _, p := range found {
		outcome := conformance.Fail
		if p.Warning {
			outcome = conformance.Warn
		}
		e.note(p, outcome)
	}
}

// remark notes what is wrong for those who write, and does not keep others from reading.
func (e *examination) remark(p *codec.ParseError) {
	outcome := conformance.Warn
	if e.Strict && !p.Warning {
		outcome = conformance.Fail
	}
	e.note(p, outcome)
}

// broken notes an error, under a row unless it names one itself.
func (e *examination) broken(err error, id string) {
	if p, ok := errors.AsType[*codec.ParseError](err); ok {
		q := *p
		q.Rule = cmp.Or(q.Rule, id)
		e.note(&q, conformance.Fail)
		return
	}
	e.add(id, conformance.Fail, err.Error())
}

func (e *examination) note(p *codec.ParseError, outcome Outcome) {
	e.add(p.Rule, outcome, fmt.Sprintf("%s: %v", cmp.Or(p.Path, "the document"), p.Err))
}

// keep notes that a row is kept, unless something else was noted of it.
func (e *examination) keep(id string) {
	if !slices.ContainsFunc(e.Rows, func(r Result) bool { return r.ID == id }) {
		e.add(id, conformance.Pass, "")
	}
}

// mostSaid bounds the messages of a row.
const mostSaid = 2000

// add notes what became of a row; of two that are noted of one, the graver counts.
func (e *examination) add(id string, outcome Outcome, message string) {
	i := slices.IndexFunc(e.Rows, func(r Result) bool { return r.ID == id })
	if i < 0 {
		w := titled(id)
		w.Outcome, w.Message = outcome, message
		e.Rows = append(e.Rows, w)
		return
	}
	r := &e.Rows[i]
	if r.Outcome == conformance.Pass || r.Outcome == conformance.NotApplicable || outcome == conformance.Fail && r.Outcome == conformance.Warn {
		r.Outcome, r.Message = outcome, message
	} else if outcome == r.Outcome && len(r.Message) < mostSaid {
		r.Message += "; " + message
	}
}

// titled is a row without an outcome. Of those that are about documents alone there is
// no list: their messages say what is wrong.
func titled(id string) Result {
	for _, w := range documentRows() {
		if w.ID == id {
			return w
		}
	}
	for _, f := range fields() {
		if f[0] == id {
			return worded(id, f[1])
		}
	}
	section := conformance.Section(id)
	return Result{ID: id, Keyword: "IMPLIED", Level: string(aaif.Core), Section: section, Title: "What section " + section + " asks of documents."}
}

// stream looks at a handoff, and at the state that it makes.
func (e *examination) stream(raw []byte) {
	e.Kind = HandoffKind
	admit := func(aaif.Binding, string) error { return nil } // whose token it is cannot be told here
	state, err := handoff.Receive(context.Background(), bytes.NewReader(raw), handoff.Options{Admit: admit})
	if p, ok := errors.AsType[*handoff.PeerError](err); ok {
		e.add("AAIF-8.3-7", conformance.Warn, fmt.Sprintf("the sender gave up with %s, and there is no state", aaif.CodeOf(p)))
		return
	}
	if aaif.CodeOf(err) == aaif.ChecksumMismatch {
		e.add("AAIF-8.3-9", conformance.Fail, "handoff_complete: not the checksum of the state that the frames make")
		return
	}
	if err != nil {
		e.broken(err, "AAIF-8.3-3")
		return
	}
	for _, id := range kept(HandoffKind) {
		e.keep(id)
	}
	e.document(aaif.Document{Kind: aaif.StateKind, Value: state})
}

// conditions reads every condition (section 5).
func (e *examination) conditions(d aaif.Document) {
	compiler := condition.NewCompiler(condition.Options{})
	for _, p := range compiler.Check(aaif.ReadDefinition(d.Value), condition.CheckOptions{}) {
		e.broken(p, "AAIF-5-19")
	}
}
