package tool

import (
	"context"
	"slices"

	"github.com/satchel-memory/satchel/aaif"
)

// Stub answers in place of a tool, such as in a test of an agent. It contacts nobody.
type Stub func(of Offered, c Call) (Result, error)

// bindStub binds an entry to the stub, whoever may use its tool: nobody is contacted, so the
// tools of an MCP server or an OpenAPI description are the entry alone.
func (s *Set) bindStub(t aaif.Tool) []*offer {
	o := s.offerTo(true, t, fitName(t.Name), t.Description, t.Parameters)
	if o.Missing == nil {
		i := slices.IndexFunc(s.o.Operator.Functions, func(f Function) bool { return f.Name == t.Name })
		isFunction := i >= 0 && (t.Protocol == "" || t.Protocol == aaif.FunctionTool)
		o.Nature.ReadOnly = o.Nature.ReadOnly || isFunction && s.o.Operator.Functions[i].ReadOnly
	}
	s.stubbed(o)
	return []*offer{o}
}

// stubbed lets the stub answer calls of a tool.
func (s *Set) stubbed(o *offer) {
	o.call = func(_ context.Context, c Call) (Result, error) { return s.o.Stub(o.Offered, c) }
}

// bindTested binds an entry for a test. If the owner lets tools be called that only read, it is
// bound as in a run, and the stub answers for its other tools. What cannot be bound is a stub.
func (s *Set) bindTested(ctx context.Context, t aaif.Tool) []*offer {
	if !s.o.StubReads {
		if bound := s.bindReal(ctx, t); slices.ContainsFunc(bound, func(o *offer) bool { return o.Missing == nil }) {
			for _, o := range bound {
				if !o.Nature.ReadOnly {
					s.stubbed(o)
				}
			}
			return bound
		}
	}
	return s.bindStub(t)
}
