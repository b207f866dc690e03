package ump

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// capabilitiesAnswer has exactly the eight members of section 3.1, the owner if it is
// known, and audit if the service logs operations (1.0, section 9).
func capabilitiesAnswer(c *memory.Capabilities) canon.Value {
	m := members{
		{Name: "server", Value: canon.Object(
			canon.Member{Name: "name", Value: canon.String(c.Name)},
			canon.Member{Name: "version", Value: canon.String(c.Release)})},
		{Name: "ump", Value: canon.String(c.UMP)},
		{Name: "conformance", Value: canon.String(c.Conformance)},
		{Name: "kinds", Value: texts(memory.Kinds())},
		{Name: "bindings", Value: texts(c.Bindings)},
		{Name: "retrieval_signals", Value: texts(memory.SignalNames())},
		{Name: "max_recall", Value: canon.Int(int64(c.MaxRecall))},
		{Name: "writable", Value: canon.Bool(c.Writable)},
	}
	m.text("owner", string(c.Owner))
	if c.Audit {
		m = append(m, canon.Member{Name: "audit", Value: canon.Bool(true)})
	}
	return canon.Object(m...)
}

func texts[T ~string](list []T) canon.Value {
	items := make([]canon.Value, len(list))
	for i, s := range list {
		items[i] = canon.String(string(s))
	}
	return canon.Array(items...)
}

// Response is the response of an operation. The hits of a recall stay records, so that text
// copies their documents and parses none.
type Response struct {
	recalled bool         // there is a member "results"
	Hits     []memory.Hit // its items
	Rest     canon.Value  // the other members
}

// Tree returns the response as a tree. Values of the engine are only in signals and score
// (UMP-3.2-11).
func (r Response) Tree() (canon.Value, error) {
	if !r.recalled {
		return r.Rest, nil
	}
	results := make([]canon.Value, len(r.Hits))
	for i := range r.Hits {
		h := &r.Hits[i]
		record, err := formOf(&h.Record)
		if err != nil {
			return canon.Value{}, err
		}
		results[i] = canon.Object(
			canon.Member{Name: "record", Value: record},
			canon.Member{Name: "signals", Value: signalsAnswer(&h.Signals)},
			canon.Member{Name: "score", Value: finite(h.Score)})
	}
	return canon.Object(append([]canon.Member{{Name: "results", Value: canon.Array(results...)}}, r.Rest.Members()...)...), nil
}

// text returns the response as JSON.
func (r Response) text() ([]byte, error) {
	if !r.recalled {
		return r.Rest.Append(nil), nil
	}
	const around = 300 // bytes of signals and score
	size := around
	for i := range r.Hits {
		size += len(r.Hits[i].Record.Form()) + around
	}
	dst := append(make([]byte, 0, size), `{"results":[`...)
	for i := range r.Hits {
		h := &r.Hits[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = appendForm(append(dst, `{"record":`...), &h.Record); err != nil {
			return nil, err
		}
		dst = signalsAnswer(&h.Signals).Append(append(dst, `,"signals":`...))
		dst = append(finite(h.Score).Append(append(dst, `,"score":`...)), '}')
	}
	dst = append(dst, ']')
	if r.Rest.Len() == 0 {
		return append(dst, '}'), nil
	}
	return append(append(dst, ','), r.Rest.Append(nil)[len("{"):]...), nil
}

func signalsAnswer(s *memory.Signals) canon.Value {
	return canon.Object(
		canon.Member{Name: "similarity", Value: finite(s.Similarity)},
		canon.Member{Name: "recency", Value: finite(s.Recency)},
		canon.Member{Name: "salience", Value: finite(s.Salience)},
		canon.Member{Name: "scope_match", Value: finite(s.ScopeMatch)},
		canon.Member{Name: "provenance_depth", Value: canon.Int(int64(s.ProvenanceDepth))})
}

// finite writes a number. It writes 0 for a value that JSON cannot express, because a
// signal is always a number (UMP-3.2-3).
func finite(f float64) canon.Value {
	v := canon.Number(f)
	if v.Type() != canon.TypeNumber {
		return canon.Int(0)
	}
	return v
}

func rememberedAnswer(r memory.RememberResult) canon.Value {
	return withWarnings(canon.Object(
		canon.Member{Name: "id", Value: canon.String(string(r.ID))},
		canon.Member{Name: "result", Value: canon.String(string(r.Outcome))}), r.Warnings)
}

func revisedAnswer(r memory.RevisionResult) canon.Value {
	return withWarnings(canon.Object(
		canon.Member{Name: "id", Value: canon.String(string(r.ID))},
		canon.Member{Name: "supersedes", Value: texts(r.Supersedes)}), r.Warnings)
}

// withWarnings adds warnings to an answer, after those that it has.
func withWarnings(answer canon.Value, warnings []memory.Warning) canon.Value {
	if len(warnings) == 0 {
		return answer
	}
	items := slices.Clone(answer.Get("warnings").Items())
	for _, w := range warnings {
		items = append(items, canon.Object(
			canon.Member{Name: "path", Value: canon.String(w.Path)},
			canon.Member{Name: "message", Value: canon.String(w.Message)}))
	}
	return answer.With("warnings", canon.Array(items...))
}

// forgottenAnswer reports a record as erased even while the store still clears its
// traces, because nobody can read it any more.
func forgottenAnswer(f memory.ForgetOutcome) canon.Value {
	if f == memory.ErasePending {
		return canon.Object(
			canon.Member{Name: "result", Value: canon.String(string(memory.AsErased))},
			canon.Member{Name: "pending", Value: canon.Bool(true)})
	}
	return canon.Object(canon.Member{Name: "result", Value: canon.String(string(f))})
}

func framedAnswer(f *memory.Frame) canon.Value {
	dropped := make([]canon.Value, len(f.Dropped))
	for i, d := range f.Dropped {
		dropped[i] = canon.Object(
			canon.Member{Name: "id", Value: canon.String(string(d.ID))},
			canon.Member{Name: "reason", Value: canon.String(d.Reason)})
	}
	return canon.Object(
		canon.Member{Name: "framed", Value: canon.String(f.Text)},
		canon.Member{Name: "injected", Value: texts(f.Injected)},
		canon.Member{Name: "dropped", Value: canon.Array(dropped...)})
}

// formOf returns the document of a record that a backend returned. It renders a record
// without one.
func formOf(r *memory.Record) (canon.Value, error) {
	if r.Form() != nil {
		v, err := parseForm(r.Form())
		if err != nil {
			return canon.Value{}, unwritableError(r.ID, err)
		}
		return v, nil
	}
	v, _, err := encode(r)
	if err != nil {
		return canon.Value{}, unwritableError(r.ID, err)
	}
	return v, nil
}

// appendForm appends the document of a record as the record holds it, if that is an
// object on one line.
func appendForm(dst []byte, r *memory.Record) ([]byte, error) {
	form := r.Form()
	if bytes.HasPrefix(form, []byte("{")) && bytes.IndexByte(form, '\n') < 0 && checkForm(form) == nil {
		return append(dst, form...), nil
	}
	v, err := formOf(r)
	return v.Append(dst), err
}

// unwritableError returns the error for a stored record that cannot be written. It is
// internal: the caller did nothing wrong.
func unwritableError(id memory.ID, err error) error {
	return &memory.Error{Kind: memory.Internal, Op: "answer", ID: id, Err: fmt.Errorf("ump: writing a record: %w", err)}
}

// EventJSON returns the data of an event for subscribers (section 3.8, decision
// UD-27): {"type","id","record"}, without record if the record no longer exists. It
// is one line.
func EventJSON(e memory.Event) ([]byte, error) {
	m := members{
		{Name: "type", Value: canon.String(string(e.Type))},
		{Name: "id", Value: canon.String(string(e.ID))},
	}
	if e.Record != nil {
		record, err := formOf(e.Record)
		if err != nil {
			return nil, err
		}
		m.value("record", record)
	}
	return canon.Object(m...).Append(nil), nil
}
