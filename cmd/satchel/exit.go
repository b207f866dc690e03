package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/atomicfile"
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
	exitDiffers = 5 // it was done, and what was compared, or converted with --strict-losses, is not the same

	exitInterrupted = 130 // a signal ended it before it was done, as shells have it
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
	if errors.Is(err, vault.ErrMoved) || errors.Is(err, vault.ErrElsewhere) {
		return exitRefused
	}
	if f, ok := errors.AsType[*engram.Fault](err); ok {
		return statusOfFault(f.Code)
	}
	if _, ok := errors.AsType[*memory.SupersededError](err); ok {
		return exitRefused // a conflict with the version that replaced it
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
	for _, refusal := range []error{
		keys.ErrPermissions, keys.ErrSealed, keys.ErrPassphrase, fs.ErrPermission,
		atomicfile.ErrForeign, atomicfile.ErrChanged, atomicfile.ErrLink, atomicfile.ErrOutside,
	} {
		if errors.Is(err, refusal) {
			return exitRefused
		}
	}
	return exitFailed
}

// statusOfFault returns the exit status for a refusal that Engram has a code for.
func statusOfFault(c engram.Code) int {
	switch c {
	case engram.InvalidRequest, engram.InvalidScope:
		return exitUsage
	case engram.UnsupportedVersion:
		return exitInvalid
	case engram.Unauthorized, engram.TokenExpired, engram.Forbidden:
		return exitRefused
	}
	return exitFailed
}

// describe returns the message for the person at the terminal, who is the
// operator too: the cause of an internal failure is told. What was attempted and
// the kind of the refusal are for machines; see envelope.
func describe(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	return clean(hushed(inPlainWords(err)))
}

// inPlainWords returns the message of an error, with that of every refusal below
// it as people are told.
func inPlainWords(err error) string {
	switch e := err.(type) {
	case *memory.Error:
		return refusal(e)
	case *engram.Fault:
		return e.Detail + " [" + e.Rule + "]"
	case interface{ Unwrap() error }:
		return replaced(err.Error(), e.Unwrap())
	case interface{ Unwrap() []error }:
		return onceEach(replaced(err.Error(), e.Unwrap()...))
	}
	return err.Error()
}

// onceEach leaves out the lines that were there before: what several steps failed of
// is said once.
func onceEach(text string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// replaced puts the plain words of causes in the place of what they say.
func replaced(text string, causes ...error) string {
	for _, cause := range causes {
		if cause != nil {
			text = strings.Replace(text, cause.Error(), inPlainWords(cause), 1)
		}
	}
	return text
}

// refusal says what is wrong, where, and by which rule.
func refusal(e *memory.Error) string {
	text := e.Message
	switch {
	case text == "" && e.Err != nil:
		text = inPlainWords(e.Err)
	case text == "":
		text = strings.ReplaceAll(string(e.Kind), "_", " ")
	case e.Kind == memory.Internal && e.Err != nil:
		text = caused(text, inPlainWords(e.Err))
	}
	if e.Path != "" && e.Path != "/id" && !strings.Contains(text, e.Path) { // the id is an argument here; a message may name the place itself
		text += " at " + e.Path
	}
	if e.Rule != "" && !strings.Contains(text, e.Rule) {
		text += " [" + e.Rule + "]"
	}
	return text
}

// caused adds a cause to a message, unless the cause says it all.
func caused(message, cause string) string {
	if strings.HasPrefix(cause, message) {
		return cause
	}
	return message + " (" + cause + ")"
}

// envelope is an error for machines, in the shape of UMP 3.7: under its code
// there, or one of usage, invalid_record, refused and failed, by the exit status.
func envelope(err error, status int, message string) map[string]any {
	type told struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Op      string `json:"op,omitempty"`
		Path    string `json:"path,omitempty"`
		Rule    string `json:"rule,omitempty"`
	}
	t := told{Message: message, Code: map[int]string{
		exitFailed: "failed", exitUsage: "usage", exitInvalid: string(memory.InvalidRecord), exitRefused: "refused", exitDiffers: "differs",
	}[status]}
	if e, ok := errors.AsType[*memory.Error](err); ok {
		t.Op, t.Path, t.Rule = e.Op, e.Path, e.Rule
		if status != exitUsage {
			t.Code = string(e.Kind)
		}
	}
	if e, ok := errors.AsType[*codec.ParseError](err); ok && t.Path == "" {
		t.Path, t.Rule = e.Path, e.Rule
	}
	if f, ok := errors.AsType[*engram.Fault](err); ok {
		t.Code, t.Rule = string(f.Code), f.Rule
	}
	return map[string]any{"error": t}
}
