package ump

import (
	"fmt"
	"slices"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// capabilitiesAnswer has exactly the eight members of section 3.1, the owner where
// it is known, and audit where operations are logged (1.0, section 9).
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

// hitsAnswer has nothing of the engine's own outside signals and score
// (UMP-3.2-11).
func hitsAnswer(hits []memory.Hit) (canon.Value, error) {
	results := make([]canon.Value, len(hits))
	for i := range hits {
		record, err := formOf(&hits[i].Record)
		if err != nil {
			return canon.Value{}, err
		}
		results[i] = canon.Object(
			canon.Member{Name: "record", Value: record},
			canon.Member{Name: "signals", Value: signalsAnswer(&hits[i].Signals)},
			canon.Member{Name: "score", Value: finite(hits[i].Score)})
	}
	return canon.Object(canon.Member{Name: "results", Value: canon.Array(results...)}), nil
}

func signalsAnswer(s *memory.Signals) canon.Value {
	return canon.Object(
		canon.Member{Name: "similarity", Value: finite(s.Similarity)},
		canon.Member{Name: "recency", Value: finite(s.Recency)},
		canon.Member{Name: "salience", Value: finite(s.Salience)},
		canon.Member{Name: "scope_match", Value: finite(s.ScopeMatch)},
		canon.Member{Name: "provenance_depth", Value: canon.Int(int64(s.ProvenanceDepth))})
}

// finite writes a number; what JSON cannot say is 0, because a signal is
// always a number (UMP-3.2-3).
func finite(f float64) canon.Value {
	v := canon.Number(f)
	if v.Type() != canon.TypeNumber {
		return canon.Int(0)
	}
	return v
}

func rememberedAnswer(r memory.Remembered) canon.Value {
	return warned(canon.Object(
		canon.Member{Name: "id", Value: canon.String(string(r.ID))},
		canon.Member{Name: "result", Value: canon.String(string(r.Outcome))}), r.Warnings)
}

func revisedAnswer(r memory.Revised) canon.Value {
	return warned(canon.Object(
		canon.Member{Name: "id", Value: canon.String(string(r.ID))},
		canon.Member{Name: "supersedes", Value: texts(r.Supersedes)}), r.Warnings)
}

// warned adds warnings to an answer, behind those that it has.
func warned(answer canon.Value, warnings []memory.Warning) canon.Value {
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

// forgottenAnswer says of a record whose traces are still being cleared that it
// is erased, because it is gone for everybody.
func forgottenAnswer(f memory.Forgotten) canon.Value {
	if f == memory.ErasePending {
		return canon.Object(
			canon.Member{Name: "result", Value: canon.String(string(memory.AsErased))},
			canon.Member{Name: "pending", Value: canon.Bool(true)})
	}
	return canon.Object(canon.Member{Name: "result", Value: canon.String(string(f))})
}

func framedAnswer(f *memory.Framed) canon.Value {
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

// formOf returns the document of a record that a backend returned. A record
// without one is rendered.
func formOf(r *memory.Record) (canon.Value, error) {
	if r.Form() != nil {
		v, err := parseForm(r.Form())
		if err != nil {
			return canon.Value{}, damaged(r.ID, err)
		}
		return v, nil
	}
	v, _, err := encode(r)
	if err != nil {
		return canon.Value{}, damaged(r.ID, err)
	}
	return v, nil
}

// damaged says that a record we hold cannot be written, which is never the
// caller's fault.
func damaged(id memory.ID, err error) error {
	return &memory.Error{Kind: memory.Internal, Op: "answer", ID: id, Err: fmt.Errorf("ump: writing a record: %w", err)}
}
