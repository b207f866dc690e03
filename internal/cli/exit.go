package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	ExitDone    = 0
	ExitFailed  = 1 // the command failed
	ExitUsage   = 2 // the command line is wrong
	ExitInvalid = 3 // the input document breaks a rule
	ExitRefused = 4 // conflict, consent, signature, permission
	ExitDiffers = 5 // the command succeeded, but a comparison, or a conversion with --strict-losses, found differences; or a run of an agent waits for a person

	ExitInterrupted = 130 // a signal ended the command early, as in shells
)

// ErrSilent ends a command that has already reported its error.
var ErrSilent = errors.New("already reported")

// Failure is an error with an exit status.
type Failure struct {
	Status int
	Err    error
}

// Error returns the message of the cause.
func (f *Failure) Error() string { return f.Err.Error() }

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// Usagef returns an error about the command line: exit status [ExitUsage].
func Usagef(format string, args ...any) error {
	return &Failure{ExitUsage, fmt.Errorf(format, args...)}
}

// Refusedf returns an error about a forbidden action: exit status [ExitRefused].
func Refusedf(format string, args ...any) error {
	return &Failure{ExitRefused, fmt.Errorf(format, args...)}
}

// Invalidf returns an error about a document that breaks a rule: exit status [ExitInvalid].
func Invalidf(format string, args ...any) error {
	return &Failure{ExitInvalid, fmt.Errorf(format, args...)}
}

// WithStatus gives an error an exit status.
func WithStatus(status int, err error) error {
	if err == nil {
		return nil
	}
	return &Failure{status, err}
}

// Silent returns the end of a command whose output says everything.
func Silent(status int) error { return &Failure{status, ErrSilent} }

// StatusOf returns the exit status for an error; it is the only table of them.
func StatusOf(err error) int {
	if err == nil {
		return ExitDone
	}
	if f, ok := errors.AsType[*Failure](err); ok {
		return f.Status
	}
	if _, ok := errors.AsType[*kong.ParseError](err); ok {
		return ExitUsage
	}
	if errors.Is(err, vault.ErrMoved) || errors.Is(err, vault.ErrElsewhere) {
		return ExitRefused
	}
	if f, ok := errors.AsType[*engram.Fault](err); ok {
		return statusOfFault(f.Code)
	}
	if _, ok := errors.AsType[*memory.SupersededError](err); ok {
		return ExitRefused // a conflict with the current version
	}
	_, document := errors.AsType[*codec.ParseError](err)
	if e, ok := errors.AsType[*memory.Error](err); ok && e.Kind == memory.Internal {
		document = false // the damage is in the store, not in the input
	}
	switch memory.KindOf(err) {
	case memory.Unauthorized, memory.ForbiddenScope, memory.ConsentViolation, memory.SignatureInvalid:
		return ExitRefused
	case memory.InvalidRecord, memory.Unsupported: // a document of an unknown edition
		return ExitInvalid
	}
	if document {
		return ExitInvalid
	}
	for _, refusal := range []error{
		keys.ErrPermissions, keys.ErrSealed, keys.ErrPassphrase, fs.ErrPermission,
		atomicfile.ErrForeign, atomicfile.ErrChanged, atomicfile.ErrLink, atomicfile.ErrOutside,
	} {
		if errors.Is(err, refusal) {
			return ExitRefused
		}
	}
	return ExitFailed
}

// statusOfFault returns the exit status for a refusal with a code of Engram.
func statusOfFault(c engram.Code) int {
	switch c {
	case engram.InvalidRequest, engram.InvalidScope:
		return ExitUsage
	case engram.UnsupportedVersion:
		return ExitInvalid
	case engram.Unauthorized, engram.TokenExpired, engram.Forbidden:
		return ExitRefused
	}
	return ExitFailed
}

// Describe returns the message for the person at the terminal. This person is the operator
// too, so the message includes the cause of an internal failure. Operation and kind are for
// machines; see [Envelope].
func Describe(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	return Clean(HidePasswords(inPlainWords(err)))
}

// inPlainWords returns the message of an error, with every refusal inside it as people read
// it.
func inPlainWords(err error) string {
	switch e := err.(type) {
	case *memory.Error:
		return refusal(e)
	case *engram.Fault:
		return e.Detail + " [" + e.Rule + "]"
	case interface{ Unwrap() error }:
		return replaceCauses(err.Error(), e.Unwrap())
	case interface{ Unwrap() []error }:
		return uniqueLines(replaceCauses(err.Error(), e.Unwrap()...))
	}
	return err.Error()
}

// uniqueLines drops repeated lines, so that a fault of several steps appears once.
func uniqueLines(text string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// replaceCauses replaces the texts of causes with their plain words.
func replaceCauses(text string, causes ...error) string {
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
		text = withCause(text, inPlainWords(e.Err))
	}
	if e.Path != "" && e.Path != "/id" && !strings.Contains(text, e.Path) { // the id is an argument here, and a message may already name the place
		text += " at " + e.Path
	}
	if e.Rule != "" && !strings.Contains(text, e.Rule) {
		text += " [" + e.Rule + "]"
	}
	return text
}

// withCause adds a cause to a message, unless the cause contains the message.
func withCause(message, cause string) string {
	if strings.HasPrefix(cause, message) {
		return cause
	}
	return message + " (" + cause + ")"
}

// Envelope is an error for machines, in the form of UMP 3.7: with its code there, or by
// exit status one of usage, invalid_record, refused and failed.
func Envelope(err error, status int, message string) map[string]any {
	type told struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Op      string `json:"op,omitempty"`
		Path    string `json:"path,omitempty"`
		Rule    string `json:"rule,omitempty"`
	}
	t := told{Message: message, Code: map[int]string{
		ExitFailed: "failed", ExitUsage: "usage", ExitInvalid: string(memory.InvalidRecord), ExitRefused: "refused", ExitDiffers: "differs",
	}[status]}
	if e, ok := errors.AsType[*memory.Error](err); ok {
		t.Op, t.Path, t.Rule = e.Op, e.Path, e.Rule
		if status != ExitUsage {
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

// Defaults sets the flags of a command to their defaults, for a command that runs another.
func Defaults(command any) error { return kong.ApplyDefaults(command) }

// Flags sets the flags of a command from its arguments, for a command that runs another one
// later.
func Flags(command any, args []string) error {
	parser, err := kong.New(command, kong.Exit(func(int) {}), kong.Writers(io.Discard, io.Discard), kong.NoDefaultHelp())
	if err != nil {
		return err
	}
	if _, err = parser.Parse(args); err != nil {
		return Usagef("%w", err)
	}
	return nil
}
