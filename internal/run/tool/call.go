package tool

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// Check judges the arguments of a call by the schema of the tool, and contacts nobody. It
// fails with an [*Error]: [ArgsInvalid], or the reason why the tool is not offered.
func (s *Set) Check(name string, args canon.Value) error {
	t, err := s.find(name)
	if err != nil {
		return err
	}
	return named(t.checkArguments(arguments(args)), name)
}

// find returns an offered tool.
func (s *Set) find(name string) (*offer, error) {
	t := s.byName[name]
	if t == nil {
		e := fail(aaif.ToolUnbound, "there is no such tool")
		e.Tool = name
		return nil, e
	}
	if t.Missing != nil {
		return nil, t.Missing
	}
	return t, nil
}

// Await waits until the limits of a tool let a call through, and returns the call with its
// place: [Set.Call] then does not wait. A call whose answer is cached needs no place.
func (s *Set) Await(ctx context.Context, c Call) (Call, error) {
	t, err := s.find(c.Name)
	if err != nil {
		return c, err
	}
	c.Arguments = arguments(c.Arguments)
	if _, ok := s.cached(t, c); ok || c.admitted || t.checkArguments(c.Arguments) != nil {
		return c, nil // Call says what is wrong
	}
	err = s.admit(ctx, t.Of, tokensOf(len(c.Arguments.Append(nil))), callTime(ctx, t.Of))
	c.admitted = err == nil
	return c, named(err, c.Name)
}

// cached returns the answer of an earlier call that still holds.
func (s *Set) cached(t *offer, c Call) (Result, bool) {
	if !t.cacheable() {
		return Result{}, false
	}
	return s.shared.recall(s.cacheKey(t, c.Arguments), s.o.Now())
}

// cacheable reports whether answers of a tool are kept.
func (t *offer) cacheable() bool { return t.Nature.ReadOnly && t.Of.CacheTTL > 0 }

// Call calls a tool, at most once. It fails with an [*Error], whose Outcome says whether
// the tool may have acted.
func (s *Set) Call(ctx context.Context, c Call) (Result, error) {
	t, err := s.find(c.Name)
	if err != nil {
		return Result{}, err
	}
	c.Arguments = arguments(c.Arguments)
	if err := t.checkArguments(c.Arguments); err != nil {
		return Result{}, named(err, c.Name)
	}
	if r, ok := s.cached(t, c); ok {
		return r, nil
	}
	r, err := s.issue(ctx, t, c)
	if err != nil {
		return Result{}, named(t.judgeError(err), c.Name)
	}
	if t.cacheable() && !r.IsError && len(r.Warnings) == 0 {
		now := s.o.Now()
		s.shared.remember(s.cacheKey(t, c.Arguments), r, now, now.Add(seconds(t.Of.CacheTTL)))
	}
	return r, nil
}

// issue waits for a place within the limits of the tool, and calls it.
func (s *Set) issue(ctx context.Context, t *offer, c Call) (Result, error) {
	most := callTime(ctx, t.Of)
	if !c.admitted {
		if err := s.admit(ctx, t.Of, tokensOf(len(c.Arguments.Append(nil))), most); err != nil {
			return Result{}, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	r, err := t.call(ctx, c)
	if t.Of.RateLimit.Tokens > 0 {
		s.shared.charge(s.limitKey(t.Of), tokensOf(len(r.Text)), s.o.Now())
	}
	if err != nil {
		return Result{}, err
	}
	return r, t.checkResult(&r, s.o.Strict)
}

// judgeError returns the error of a call. A tool that is proven to be read-only has not
// acted, whatever became of the call.
func (t *offer) judgeError(err error) error {
	known := asError(err, OutcomeUnknown, Unknown)
	if known.Code == OutcomeUnknown && t.Nature.ReadOnly {
		known.Code = Unreachable
	}
	return known
}

// named says of an error which tool it is about.
func named(err error, name string) error {
	if known, ok := errors.AsType[*Error](err); ok && known.Tool == "" {
		known.Tool = name
	}
	return err
}

// arguments returns the arguments of a call, or an empty object.
func arguments(v canon.Value) canon.Value {
	if v.Type() == canon.TypeUndefined {
		return canon.Object()
	}
	return v
}

func tokensOf(bytes int) int { return (bytes + bytesPerToken - 1) / bytesPerToken }
