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

// HandoffKind is the kind of a file with a stream of section 8.3.
const HandoffKind aaif.Kind = "handoff"

// DocumentOptions say what the caller demands of a document.
type DocumentOptions struct {
	// Level is the level that a definition must reach; empty: any.
	Level aaif.Level
	// Strict makes the findings of [aaif.Validator.Lint] count; otherwise they are warnings.
	Strict bool
	Now    time.Time // for expiry; zero: nothing has expired
}

// Examined is a document with the outcomes of its rows.
type Examined struct {
	Kind   aaif.Kind    // empty: unknown
	Levels []aaif.Level // the definition's levels, the highest of each branch
	Rows   []conformance.Result
}

// OK reports whether every row that counts passed.
func (e Examined) OK() bool {
	return !slices.ContainsFunc(e.Rows, func(r conformance.Result) bool { return r.Outcome == conformance.Fail })
}

// examination is an examination of one document in progress.
type examination struct {
	DocumentOptions
	validator *aaif.Validator
	Examined
}

// Examine tests one document against the rows about documents. It may be a definition, a
// state, a manifest, a report or a registry, in JSON or CBOR, or a handoff as sent. Each
// violation appears in the row of its requirement. The error is for the program's own
// failures.
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

// document examines a readable document.
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

// kept returns the rows that a document of a kind keeps, unless the examination finds a
// violation.
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

// violations notes the findings, errors and warnings alike.
func (e *examination) violations(found []*codec.ParseError) {
	for _, p := range found {
		outcome := conformance.Fail
		if p.Warning {
			outcome = conformance.Warn
		}
		e.note(p, outcome)
	}
}

// remark notes a fault that concerns writers and does not stop readers.
func (e *examination) remark(p *codec.ParseError) {
	outcome := conformance.Warn
	if e.Strict && !p.Warning {
		outcome = conformance.Fail
	}
	e.note(p, outcome)
}

// broken notes an error, under the given row unless the error names its own.
func (e *examination) broken(err error, id string) {
	if p, ok := errors.AsType[*codec.ParseError](err); ok {
		q := *p
		q.Rule = cmp.Or(q.Rule, id)
		e.note(&q, conformance.Fail)
		return
	}
	e.add(id, conformance.Fail, err.Error())
}

func (e *examination) note(p *codec.ParseError, outcome conformance.Outcome) {
	e.add(p.Rule, outcome, fmt.Sprintf("%s: %v", cmp.Or(p.Path, "the document"), p.Err))
}

// keep notes that a row passed, unless the row already has an outcome.
func (e *examination) keep(id string) {
	if !slices.ContainsFunc(e.Rows, func(r conformance.Result) bool { return r.ID == id }) {
		e.add(id, conformance.Pass, "")
	}
}

// mostSaid bounds a row's messages, in bytes.
const mostSaid = 2000

// add notes the outcome of a row. If a row has two outcomes, the graver counts.
func (e *examination) add(id string, outcome conformance.Outcome, message string) {
	i := slices.IndexFunc(e.Rows, func(r conformance.Result) bool { return r.ID == id })
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

// titled returns a row without an outcome. Rows about documents alone have no list: their
// messages say what is wrong.
func titled(id string) conformance.Result {
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
	return conformance.Result{ID: id, Keyword: "IMPLIED", Level: string(aaif.Core), Section: section, Title: "What section " + section + " asks of documents."}
}

// stream examines a handoff and the state that it builds.
func (e *examination) stream(raw []byte) {
	e.Kind = HandoffKind
	admit := func(aaif.Binding, string) error { return nil } // the suite cannot tell whose token it is
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
