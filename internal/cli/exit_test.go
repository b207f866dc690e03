package cli

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// People are told what is wrong, where and by which rule, and nothing that is
// meant for programs.
func TestDescribe(t *testing.T) {
	disk := errors.New("disk")
	lost := &memory.Error{Kind: memory.NotFound, Op: "get", Message: "no such record"}
	for want, err := range map[string]error{
		"no such record":                       lost,
		"satchel.db: no such record":           fmt.Errorf("satchel.db: %w", lost),
		"no such record\ndisk":                 errors.Join(lost, disk),
		"first: no such record, then: disk":    fmt.Errorf("first: %w, then: %w", lost, disk),
		"say which kind at /kind [UMP-2-4]":    &memory.Error{Kind: memory.InvalidRecord, Op: "remember", Path: "/kind", Rule: "UMP-2-4", Message: "say which kind"},
		"ump at /kind: no such kind [UMP-2-4]": &memory.Error{Kind: memory.InvalidRecord, Op: "remember", Path: "/kind", Rule: "UMP-2-4", Message: "ump at /kind: no such kind [UMP-2-4]"},
		"ump at /a: disk":                      fmt.Errorf("%w", &codec.ParseError{Format: "ump", Path: "/a", Err: disk}),
		"the store failed (disk)":              &memory.Error{Kind: memory.Internal, Op: "get", Message: "the store failed", Err: disk},
		"disk":                                 &memory.Error{Kind: memory.Internal, Op: "get", Err: disk},
		"a: no such record":                    &memory.Error{Kind: memory.Internal, Err: fmt.Errorf("a: %w", lost)},
		"rate limited":                         &memory.Error{Kind: memory.RateLimited},
		"interrupted":                          fmt.Errorf("get: %w", context.Canceled),
	} {
		if got := Describe(err); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// What was replaced meanwhile is a conflict, and no fault of the input.
func TestStatusOfSuperseded(t *testing.T) {
	err := fmt.Errorf("revise: %w", &memory.Error{Kind: memory.InvalidRecord, Err: &memory.SupersededError{Current: []memory.ID{"urn:ump:a"}}})
	if got := StatusOf(err); got != ExitRefused {
		t.Errorf("got %d, want %d", got, ExitRefused)
	}
	if got := StatusOf(&memory.Error{Kind: memory.InvalidRecord}); got != ExitInvalid {
		t.Errorf("got %d, want %d", got, ExitInvalid)
	}
}
