package tool

import (
	"errors"
	"fmt"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// The codes of calls that fail, and of tools that are not offered.
const (
	ArgsInvalid      aaif.Code = "TOOL_ARGS_INVALID"
	outputInvalid    aaif.Code = "TOOL_OUTPUT_INVALID"
	Timeout          aaif.Code = "TOOL_TIMEOUT"
	OutcomeUnknown   aaif.Code = "TOOL_OUTCOME_UNKNOWN" // the connection broke after the request was sent
	Unreachable      aaif.Code = "TOOL_UNREACHABLE"
	NotGranted       aaif.Code = "TOOL_NOT_GRANTED"
	secretUnresolved aaif.Code = "TOOL_SECRET_UNRESOLVED"
	envDenied        aaif.Code = "ENV_DENIED"
	egressDenied     aaif.Code = "EGRESS_DENIED"
	commandDenied    aaif.Code = "COMMAND_DENIED"
	serverUnknown    aaif.Code = "MCP_SERVER_UNKNOWN"
	rateLimited      aaif.Code = "RATE_LIMITED"
	schemaDrift      aaif.Code = "SCHEMA_DRIFT" // an MCP server has another schema than the definition declares
	schemaUnusable   aaif.Code = "TOOL_SCHEMA_UNUSABLE"
)

// Outcome says what is known about the effect of a failed call.
type Outcome string

// The outcomes. The zero Outcome is that of no call.
const (
	NotSent  Outcome = "not_sent" // no byte of the call has reached the tool
	Answered Outcome = "answered" // the tool acted and answered; the answer cannot be used
	Unknown  Outcome = "unknown"  // the call may have taken effect
)

// Error is a failed call, or the reason why a tool is not offered.
type Error struct {
	Code    aaif.Code
	Tool    string
	Outcome Outcome
	Text    string // for people and models; holds no secret
	Err     error  // the cause; nil: none
}

// Error says what failed.
func (e *Error) Error() string {
	if e.Tool == "" {
		return fmt.Sprintf("%s: %s", e.Code, e.Text)
	}
	return fmt.Sprintf("%s: %s: %s", aaif.Shown(e.Tool), e.Code, e.Text)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ForModel returns the error as the content of a tool message: a JSON object.
func (e *Error) ForModel() string {
	return string(canon.Object(
		canon.Member{Name: "error", Value: canon.String(string(e.Code))},
		canon.Member{Name: "message", Value: canon.String(e.Text)},
		canon.Member{Name: "outcome", Value: canon.String(string(e.Outcome))},
	).Append(nil))
}

// fail returns an error of a call that was not sent.
func fail(code aaif.Code, text string, args ...any) *Error {
	return &Error{Code: code, Outcome: NotSent, Text: fmt.Sprintf(text, args...)}
}

// asError returns err as an [*Error]. Any other error gets the code and the outcome.
func asError(err error, code aaif.Code, outcome Outcome) *Error {
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	return &Error{Code: code, Outcome: outcome, Text: plainText(err), Err: err}
}
