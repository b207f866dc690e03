package memory_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/satchel-memory/satchel/memory"
)

func TestErrorSaysEachThingOnce(t *testing.T) {
	cases := []struct {
		err  memory.Error
		want string
	}{
		{memory.Error{Kind: memory.NotFound}, "not_found"},
		{memory.Error{Kind: memory.InvalidRecord, Op: "remember", Path: "/kind", Rule: "UMP-2-4", Message: "say which kind"},
			"remember: invalid_record: say which kind at /kind [UMP-2-4]"},
		{memory.Error{Kind: memory.InvalidRecord, Path: "/kind", Rule: "UMP-2-4", Message: "ump at /kind: no such kind [UMP-2-4]"},
			"invalid_record: ump at /kind: no such kind [UMP-2-4]"},
		{memory.Error{Kind: memory.Internal, Op: "get", Err: errors.New("disk")}, "get: internal: disk"},
	}
	for _, c := range cases {
		if got := c.err.Error(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestKindOf(t *testing.T) {
	refused := &memory.Error{Kind: memory.NotFound}
	for want, err := range map[memory.ErrorKind]error{
		"": nil, memory.NotFound: fmt.Errorf("get: %w", refused), memory.Internal: errors.New("disk"),
	} {
		if got := memory.KindOf(err); got != want {
			t.Errorf("KindOf(%v) is %q, want %q", err, got, want)
		}
	}
}

func TestVisibilityWidens(t *testing.T) {
	order := []memory.Visibility{"", memory.Shared, memory.Public}
	for i, v := range order {
		for j, w := range order {
			if got, want := v.WiderThan(w), i > j; got != want {
				t.Errorf("%q wider than %q: %v, want %v", v, w, got, want)
			}
		}
	}
}
