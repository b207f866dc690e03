package tool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/run/trace"
)

// keyVariable is the variable of the environment that holds the idempotency key.
const keyVariable = "SATCHEL_IDEMPOTENCY_KEY"

// traceVariable is the variable of the environment that holds the traceparent of a call.
const traceVariable = "TRACEPARENT"

// bindFunction binds a tool of protocol function to a command of the operator
// (AAIF-4.4-5).
func (s *Set) bindFunction(t aaif.Tool) []*offer {
	i := slices.IndexFunc(s.o.Operator.Functions, func(f Function) bool { return f.Name == t.Name })
	if i < 0 {
		return s.missing(t, fail(aaif.ToolUnbound, "the owner has set up no function of this name: functions in %s", toolsTable))
	}
	f := s.o.Operator.Functions[i]
	o := s.offer(t, t.Name, t.Description, t.Parameters)
	if o.Missing == nil {
		o.Nature.ReadOnly, o.Nature.Idempotent = o.Nature.ReadOnly || f.ReadOnly, o.Nature.Idempotent || f.Idempotent
	}
	if !none(t.Auth) {
		o.warn(envDenied, "a function gets no secret of the definition; the operator names its variables")
	}
	o.call = func(ctx context.Context, c Call) (Result, error) { return s.callFunction(ctx, f, c) }
	return []*offer{o}
}

// callFunction runs the command with the arguments as JSON on standard input.
func (s *Set) callFunction(ctx context.Context, f Function, c Call) (Result, error) {
	var more []string
	if c.Key != "" {
		more = append(more, keyVariable+"="+c.Key)
	}
	if of := trace.From(ctx); of.Valid() {
		more = append(more, traceVariable+"="+of.String())
	}
	if ctx.Err() != nil {
		return Result{}, broken(ctx, ctx.Err(), false)
	}
	out, err := execute(ctx, f.Program, environment(s.o.Env, f.Env, more...), c.Arguments.Append(nil), mostOutput)
	switch {
	case errors.Is(err, errOutput):
		return Result{}, &Error{Code: outputInvalid, Outcome: Unknown, Text: fmt.Sprintf("the command writes more than %d bytes", mostOutput)}
	case err != nil:
		return Result{}, broken(ctx, err, out.started)
	case out.code < 0:
		return Result{}, &Error{Code: OutcomeUnknown, Outcome: Unknown, Text: "a signal ended the command"}
	case !utf8.Valid(out.stdout):
		text := fmt.Sprintf("%d bytes that are no text", len(out.stdout))
		return Result{Text: text, IsError: out.code != 0, Warnings: []string{text}}, nil
	}
	r := textResult(out.stdout)
	if r.IsError = out.code != 0; r.IsError && r.Text == "" {
		r = Result{Text: fmt.Sprintf("the command ends with %d: %s", out.code, shorten(string(out.stderr))), IsError: true}
	}
	return r, nil
}
