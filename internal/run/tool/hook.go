package tool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/canon"
)

// Hook is a command of the operator that is told of what a run does (AAIF-4-20).
type Hook struct {
	Name string
	Program
}

// hookTime is how long a hook may take.
const hookTime = 30 * time.Second

// mostHookOutput is the most bytes that a hook may write.
const mostHookOutput = 64 << 10

// HasHook reports whether a hook of a name is registered.
func (o Operator) HasHook(name string) bool {
	return slices.ContainsFunc(o.Hooks, func(h Hook) bool { return h.Name == name })
}

// CallHook runs a hook with an object as JSON on standard input. env reads a variable of the
// environment; nil: there is none. denied says why the hook denies what is about to be done,
// empty: it does not. A hook denies by an exit code other than 0, or by an object with the member
// deny, a text, on standard output. CallHook fails if the hook cannot be run, or takes too long.
func (o Operator) CallHook(ctx context.Context, name string, env func(string) (string, bool), about canon.Value) (denied string, err error) {
	i := slices.IndexFunc(o.Hooks, func(h Hook) bool { return h.Name == name })
	if i < 0 {
		return "", fmt.Errorf("no hook %s is registered", name)
	}
	h := o.Hooks[i]
	timed, cancel := context.WithTimeout(ctx, hookTime)
	defer cancel()
	out, err := execute(timed, h.Program, environment(env, h.Env), about.Append(nil), mostHookOutput)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return "", fmt.Errorf("the hook %s took longer than %s", name, hookTime)
	case err != nil:
		return "", fmt.Errorf("the hook %s cannot be run: %w", name, err)
	}
	said, _ := canon.Parse(out.stdout, canon.Options{}) // what is no JSON says nothing
	denied = shorten(said.Get("deny").Text())
	if denied == "" && (out.code != 0 || said.Get("deny").True()) {
		denied = fmt.Sprintf("the hook ends with %d", out.code)
	}
	return denied, nil
}
