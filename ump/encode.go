package ump

import (
	"errors"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// Encode writes a record as compact JSON: its Form, where that still says what
// the members say, byte for byte. Where it does not, the difference is put into
// the Form, unknown members and spellings kept, and integrity that no longer
// fits is left out. A record without a Form is written in the order of
// decision UD-28.
func Encode(r memory.Record) ([]byte, error) {
	v, _, err := encode(&r)
	if err != nil {
		return nil, err
	}
	return v.Append(nil), nil
}

// encode is Encode as a tree, with what did not survive.
func encode(r *memory.Record) (canon.Value, []codec.Loss, error) {
	var f findings
	f.checkRecord(r, true)
	if err := f.err(); err != nil {
		return canon.Value{}, nil, err
	}
	return document(r)
}

// document is encode of a record that need not be valid.
func document(r *memory.Record) (canon.Value, []codec.Loss, error) {
	if r.Form() == nil {
		v, err := fresh(r)
		return v, nil, err
	}
	source, err := parseForm(r.Form())
	if err != nil {
		return canon.Value{}, nil, err
	}
	v, changed, err := edited(source, r)
	if err != nil {
		return canon.Value{}, nil, err
	}
	losses := authored(r)
	if len(changed) > 0 && v.Has("integrity") && canon.Equal(v.Get("integrity"), source.Get("integrity")) {
		v = v.Without("integrity") // UMP-2.7-8: a stale signature is never emitted
		losses = append(losses, codec.Loss{
			ID: r.ID, Pointer: "/integrity",
			Reason: lossSignature,
		})
	}
	return v, losses, nil
}

// authored reports that only the present form of a changed record is written.
func authored(r *memory.Record) []codec.Loss {
	if r.Current == nil || r.Origin == nil || string(r.Current) == string(r.Origin) {
		return nil
	}
	return []codec.Loss{{ID: r.ID, Reason: lossAuthored}}
}

// fresh renders a record that has no document yet.
func fresh(r *memory.Record) (canon.Value, error) {
	if r.Integrity == nil {
		filled := *r
		if filled.Scope.Visibility == "" {
			filled.Scope.Visibility = memory.Private // required in what is emitted (decision UD-2)
		}
		r = &filled
	}
	return render(r)
}

// edited puts what r says into the document it came from.
func edited(source canon.Value, r *memory.Record) (canon.Value, []string, error) {
	was := said(source)
	before, err := render(&was)
	if err != nil {
		return canon.Value{}, nil, err
	}
	after, err := render(r)
	if err != nil {
		return canon.Value{}, nil, err
	}
	v, changed := codec.Reconcile(source, before, after)
	return v, changed, nil
}

// parseForm reads the document of a record in hand. It was bounded when it was
// read, so only its own size bounds it here.
func parseForm(form []byte) (canon.Value, error) {
	v, err := canon.Parse(form, canon.Options{Bytes: int64(len(form)), Depth: maxDepth})
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

const maxDepth = 9_999

// asParseError returns the ParseError in err, or one around it.
func asParseError(err error) *codec.ParseError {
	if e, ok := errors.AsType[*codec.ParseError](err); ok {
		return e
	}
	return &codec.ParseError{Format: formatName, Kind: memory.Internal, Err: err}
}
