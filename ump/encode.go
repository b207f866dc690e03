package ump

import (
	"bytes"
	"errors"
	"reflect"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// Encode writes a record as compact JSON. If the members agree with the record's
// Form, it writes the Form byte for byte. Otherwise it writes the differences into the
// Form, keeps unknown members and spellings, and leaves out integrity that no longer
// fits. It writes a record without a Form in the order of decision UD-28.
func Encode(r memory.Record) ([]byte, error) {
	v, _, err := encode(&r)
	if err != nil {
		return nil, err
	}
	return v.Append(nil), nil
}

// encode is Encode to a tree, with the losses.
func encode(r *memory.Record) (canon.Value, []codec.Loss, error) {
	var f findings
	f.checkRecord(r, true)
	if err := f.err(); err != nil {
		return canon.Value{}, nil, err
	}
	return document(r)
}

// document is encode without the check that the record is valid.
func document(r *memory.Record) (canon.Value, []codec.Loss, error) {
	if r.Form() == nil {
		v, err := renderNew(r)
		return v, nil, err
	}
	source, err := parseForm(r.Form())
	if err != nil {
		return canon.Value{}, nil, err
	}
	v, changed, err := reconcile(source, r)
	if err != nil {
		return canon.Value{}, nil, err
	}
	losses := originLosses(r)
	if len(changed) > 0 && v.Has("integrity") && canon.Equal(v.Get("integrity"), source.Get("integrity")) {
		v = v.Without("integrity") // UMP-2.7-8: a stale signature is never emitted
		losses = append(losses, codec.Loss{
			ID: r.ID, Pointer: "/integrity",
			Reason: lossSignature,
		})
	}
	return v, losses, nil
}

// originLosses returns the loss of the author's form of a changed record: encode
// writes the present form alone.
func originLosses(r *memory.Record) []codec.Loss {
	if r.Current == nil || r.Origin == nil || string(r.Current) == string(r.Origin) {
		return nil
	}
	return []codec.Loss{{ID: r.ID, Reason: lossAuthored}}
}

// renderNew renders a record without a document.
func renderNew(r *memory.Record) (canon.Value, error) {
	if r.Integrity == nil {
		filled := *r
		if filled.Scope.Visibility == "" {
			filled.Scope.Visibility = memory.Private // every written record needs one (decision UD-2)
		}
		r = &filled
	}
	return render(r)
}

// reconcile writes the members of r into the document that r was read from.
func reconcile(source canon.Value, r *memory.Record) (canon.Value, []string, error) {
	was, now := recordOf(source), *r
	now.Origin, now.Current = nil, nil
	if reflect.DeepEqual(was, now) {
		return source, nil, nil
	}
	if bytes.Equal(was.Body.Structured, now.Body.Structured) {
		was.Body.Structured, now.Body.Structured = nil, nil // source keeps its own
	}
	before, err := render(&was)
	if err != nil {
		return canon.Value{}, nil, err
	}
	after, err := render(&now)
	if err != nil {
		return canon.Value{}, nil, err
	}
	v, changed := codec.Reconcile(source, before, after)
	return v, changed, nil
}

// parseForm reads the document of a record in memory. The limits were applied when
// it was first read, so its own size is the limit here.
func parseForm(form []byte) (canon.Value, error) {
	v, err := canon.Parse(form, formOptions(form))
	if err != nil {
		return canon.Value{}, fromCanon(err, formatName, "")
	}
	if v.Type() != canon.TypeObject {
		var f findings
		f.add("UMP-2-1", "", "is not an object; a record is a JSON object")
		return canon.Value{}, f.err()
	}
	return v, nil
}

// checkForm reports whether parseForm could read a document.
func checkForm(form []byte) error { return canon.Check(form, formOptions(form)) }

func formOptions(form []byte) canon.Options {
	return canon.Options{Bytes: int64(len(form)), Depth: maxDepth}
}

const maxDepth = 9_999

// asParseError returns the ParseError in err, or one around it.
func asParseError(err error) *codec.ParseError {
	if e, ok := errors.AsType[*codec.ParseError](err); ok {
		return e
	}
	return &codec.ParseError{Format: formatName, Kind: memory.Internal, Err: err}
}
