package canon_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/canon"
)

func TestPlain(t *testing.T) {
	v, err := canon.Parse([]byte(`{"a":[null,true,"x",{}],"n":[1,1.0,-2,1.5,9007199254740992,9007199254740994],"none":[]}`), canon.Options{Inexact: true})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"a": []any{nil, true, "x", map[string]any{}}, "none": []any{},
		"n": []any{int64(1), int64(1), int64(-2), 1.5, int64(1 << 53), float64(1<<53 + 2)}}
	if diff := cmp.Diff(want, v.Plain(canon.Double)); diff != "" {
		t.Error(diff)
	}
	spelled := func(n canon.Value) any { return n.Spelling() }
	if got := v.Get("n").Plain(spelled).([]any)[1]; got != "1.0" {
		t.Errorf("got %v", got)
	}
	if got := (canon.Value{}).Plain(canon.Double); got != nil {
		t.Errorf("got %v", got)
	}
}
