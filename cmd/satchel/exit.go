package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/alecthomas/kong"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// The exit statuses.
const (
	exitDone    = 0
	exitFailed  = 1 // it did not work
	exitUsage   = 2 // the command line makes no sense
	exitInvalid = 3 // the input document breaks a rule
	exitRefused = 4 // conflict, consent, signature, permission
)

// errSilent ends a command that has already said what is wrong.
var errSilent = errors.New("already reported")

// failure is an error that knows its exit status.
type failure struct {
	status int
	err    error
}

// Error returns the message of the cause.
func (f *failure) Error() string { return f.err.Error() }

// Unwrap returns the cause.
func (f *failure) Unwrap() error { return f.err }

func usagef(format string, args ...any) error {
	return &failure{exitUsage, fmt.Errorf(format, args...)}
}

func refusedf(format string, args ...any) error {
	return &failure{exitRefused, fmt.Errorf(format, args...)}
}

func invalidf(format string, args ...any) error {
	return &failure{exitInvalid, fmt.Errorf(format, args...)}
}

// as gives an error an exit status.
func as(status int, err error) error {
	if err == nil {
		return nil
	}
	return &failure{status, err}
}

// silent returns the end of a command whose output says it all.
func silent(status int) error { return &failure{status, errSilent} }

// statusOf returns the exit status for an error; it is the only table of them.
func statusOf(err error) int {
	if err == nil {
		return exitDone
	}
	if f, ok := errors.AsType[*failure](err); ok {
		return f.status
	}
	if _, ok := errors.AsType[*kong.ParseError](err); ok {
		return exitUsage
	}
	if errors.Is(err, vault.ErrMoved) {
		return exitRefused
	}
	_, document := errors.AsType[*codec.ParseError](err)
	if e, ok := errors.AsType[*memory.Error](err); ok && e.Kind == memory.Internal {
		document = false // what is damaged is ours, not the input
	}
	switch memory.KindOf(err) {
	case memory.Unauthorized, memory.ForbiddenScope, memory.ConsentViolation, memory.SignatureInvalid:
		return exitRefused
	case memory.InvalidRecord, memory.Unsupported: // a document of an edition that nobody knows here
		return exitInvalid
	}
	if document {
		return exitInvalid
	}
	for _, refusal := range []error{keys.ErrPermissions, keys.ErrSealed, keys.ErrPassphrase, fs.ErrPermission} {
		if errors.Is(err, refusal) {
			return exitRefused
		}
	}
	return exitFailed
}

// describe returns the message for the person at the terminal, who is the
// operator too: the cause of an internal failure is told.
func describe(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	e, ok := errors.AsType[*memory.Error](err)
	if ok && e.Kind == memory.Internal && e.Err != nil && e.Message != "" {
		return clean(fmt.Sprintf("%v (%v)", err, e.Err))
	}
	if e, ok := errors.AsType[*codec.ParseError](err); ok {
		return clean(e.Error())
	}
	return clean(err.Error())
}

// envelope is an error for machines, in the shape of UMP 3.7: under its code
// there, or one of usage, invalid_record, refused and failed, by the exit status.
func envelope(err error, status int, message string) any {
	type told struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Path    string `json:"path,omitempty"`
		Rule    string `json:"rule,omitempty"`
	}
	t := told{Message: message, Code: map[int]string{
		exitFailed: "failed", exitUsage: "usage", exitInvalid: string(memory.InvalidRecord), exitRefused: "refused",
	}[status]}
	if e, ok := errors.AsType[*memory.Error](err); ok {
		t.Path, t.Rule = e.Path, e.Rule
		if status != exitUsage {
			t.Code = string(e.Kind)
		}
	}
	if e, ok := errors.AsType[*codec.ParseError](err); ok && t.Path == "" {
		t.Path, t.Rule = e.Path, e.Rule
	}
	return map[string]any{"error": t}
}
