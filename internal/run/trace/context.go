package trace

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
)

// ID identifies a trace.
type ID [16]byte

// SpanID identifies a span within a trace.
type SpanID [8]byte

// Context names a span of a trace (W3C Trace Context). The zero Context names none.
type Context struct {
	Trace   ID
	Span    SpanID
	Sampled bool // whoever began the trace wants its spans to be recorded
}

// Valid reports whether the context names a span.
func (c Context) Valid() bool { return c.Trace != ID{} && c.Span != SpanID{} }

// String returns the context as the value of a header traceparent; "" if it names no span.
func (c Context) String() string {
	if !c.Valid() {
		return ""
	}
	flags := "-00"
	if c.Sampled {
		flags = "-01"
	}
	return "00-" + hex.EncodeToString(c.Trace[:]) + "-" + hex.EncodeToString(c.Span[:]) + flags
}

// The places in a traceparent: 00-TRACE-SPAN-FLAGS.
const (
	traceAt   = 3
	spanAt    = traceAt + 33
	flagsAt   = spanAt + 17
	wholeText = flagsAt + 2
)

// Parse reads the value of a header traceparent. A value that is none, and one that names no
// span, is the zero Context. Later versions may add to the value.
func Parse(value string) Context {
	longer := len(value) > wholeText
	if len(value) < wholeText || value[2] != '-' || value[spanAt-1] != '-' || value[flagsAt-1] != '-' || longer && (value[:2] == "00" || value[wholeText] != '-') {
		return Context{}
	}
	var c Context
	var version, flags [1]byte
	if !decode(version[:], value[:2]) || version[0] == 0xff || !decode(c.Trace[:], value[traceAt:spanAt-1]) || !decode(c.Span[:], value[spanAt:flagsAt-1]) ||
		!decode(flags[:], value[flagsAt:wholeText]) || !c.Valid() {
		return Context{}
	}
	c.Sampled = flags[0]&1 == 1
	return c
}

// decode reads hexadecimal digits in lower case.
func decode(into []byte, text string) bool {
	for i := range len(text) {
		if text[i] >= 'A' && text[i] <= 'F' {
			return false
		}
	}
	_, err := hex.Decode(into, []byte(text))
	return err == nil
}

// MarshalText implements [encoding.TextMarshaler].
func (c Context) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (c *Context) UnmarshalText(text []byte) error {
	if *c = Parse(string(text)); !c.Valid() && len(text) > 0 {
		return errors.New("this is no traceparent")
	}
	return nil
}

// Origin is where a run stands in a trace. It is fixed when the run starts, and is the same
// in every process that executes the run.
type Origin struct {
	Root   Context `json:"root,omitzero"`   // the span of the run as a whole
	Parent Context `json:"parent,omitzero"` // what started the run; zero: the run begins the trace
}

// NewOrigin returns the origin of a new run that parent started; zero: nobody did. sampled
// says whether a trace that begins here is recorded.
func NewOrigin(parent Context, sampled func(Context) bool) Origin {
	o := Origin{Root: Context{Trace: parent.Trace, Span: NewSpanID(), Sampled: parent.Sampled}}
	if parent.Valid() {
		o.Parent = parent
		return o
	}
	o.Parent = Context{}
	_, _ = rand.Read(o.Root.Trace[:]) // it never fails
	o.Root.Sampled = sampled(o.Root)
	return o
}

// NewSpanID returns a random id.
func NewSpanID() (id SpanID) {
	_, _ = rand.Read(id[:]) // it never fails
	return id
}

type contextKey struct{}

// place is what a context.Context says: a span, and the header that others are told of it in.
type place struct {
	of     Context
	header string
}

// With returns a context.Context within a span. Calls of tools and of other agents tell them
// of it ([Tell]).
func With(ctx context.Context, c Context) context.Context { return within(ctx, c, "") }

func within(ctx context.Context, c Context, header string) context.Context {
	return context.WithValue(ctx, contextKey{}, place{c, header})
}

// From returns the span that ctx is within; the zero Context if it is within none.
func From(ctx context.Context) Context {
	p, _ := ctx.Value(contextKey{}).(place)
	return p.of
}

// Sub returns the context of a part of what the span c is about, by the name of the part. It is
// the same in every process.
func (c Context) Sub(name string) Context {
	sum := sha256.Sum256(append(c.Span[:], name...))
	c.Span = SpanID(sum[:])
	return c
}
