package trace

import (
	"context"
	"time"
)

// Kind is the name of a span.
type Kind string

// The spans of a run (section 4.7).
const (
	Run         Kind = "aaif.agent.run"
	LLMCall     Kind = "aaif.agent.llm_call"
	ToolCall    Kind = "aaif.agent.tool_call"
	MemoryRead  Kind = "aaif.agent.memory_read"
	MemoryWrite Kind = "aaif.agent.memory_write"
	Handoff     Kind = "aaif.agent.handoff"
)

// Attribute says something about a span. Value is a string, an int or a bool.
type Attribute struct {
	Name  string
	Value any
}

// Span is a span that has ended.
type Span struct {
	Kind       Kind
	Context    Context
	Parent     Context // zero: it is the root of its trace
	Begin, End time.Time
	Attributes []Attribute
	Failure    string // a code; empty: it did not fail
}

// Recorder takes spans that have ended. It is safe for concurrent use.
type Recorder interface {
	// Samples reports whether a trace that begins with this span is recorded.
	Samples(root Context) bool
	// Record takes a span. It does not wait for anybody.
	Record(Span)
}

// End ends a span. failure is a code, or empty.
type End func(failure string, more ...Attribute)

// Spans begins the spans of one run. The zero Spans records nothing. It is safe for
// concurrent use.
type Spans struct {
	To     Recorder // nil: nothing is recorded
	Origin Origin
	Header string // in which others are told of a span; empty: traceparent
	Now    func() time.Time
}

// records reports whether spans are recorded.
func (s Spans) records() bool { return s.To != nil && s.Origin.Root.Sampled }

// Within returns a context.Context within the run, where no span of it is under way. A run that
// records nothing passes on what it was told.
func (s Spans) Within(ctx context.Context) context.Context {
	c := s.Origin.Root
	if !s.records() {
		if c.Sampled = false; s.Origin.Parent.Valid() { // its own span is not recorded
			c = s.Origin.Parent
		}
	}
	return within(ctx, c, s.Header)
}

// Begin begins a span within that of ctx, or else within the root span. Whoever is called
// with the context that it returns is told of the span.
func (s Spans) Begin(ctx context.Context, kind Kind, about ...Attribute) (context.Context, End) {
	if !s.records() {
		return s.Within(ctx), func(string, ...Attribute) {}
	}
	parent := From(ctx)
	if parent.Trace != s.Origin.Root.Trace {
		parent = s.Origin.Root
	}
	c := Context{Trace: parent.Trace, Span: NewSpanID(), Sampled: true}
	began := s.Now()
	return within(ctx, c, s.Header), func(failure string, more ...Attribute) {
		s.To.Record(Span{Kind: kind, Context: c, Parent: parent, Begin: began, End: s.Now(), Attributes: append(about[:len(about):len(about)], more...), Failure: failure})
	}
}

// Whole records the root span, or what stands in its place: another whole with an id of its own.
func (s Spans) Whole(kind Kind, began, ended time.Time, failure string, about ...Attribute) {
	if s.records() {
		s.To.Record(Span{Kind: kind, Context: s.Origin.Root, Parent: s.Origin.Parent, Begin: began, End: ended, Attributes: about, Failure: failure})
	}
}
