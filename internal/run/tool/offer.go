package tool

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/shape"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/sleep"
)

// defaultTime is how long a call may take that has no limit of its own.
const defaultTime = 60 * time.Second

// mostName is the longest name of a tool that models take.
const mostName = 64

// Set holds the tools of a run. It is safe for concurrent use.
type Set struct {
	o       Options
	guard   guard
	shared  *Shared
	offers  []*offer
	byName  map[string]*offer
	lock    sync.Mutex
	servers []*mcpServer // to be closed
}

// offer is a tool with what it takes to call it.
type offer struct {
	Offered
	only   []string        // the arguments that the definition lets through; nil: all
	args   []*shape.Schema // all of them hold
	output *shape.Schema
	call   func(context.Context, Call) (Result, error)
}

// Open binds tools. It contacts those whose tools only they can tell (MCP servers,
// descriptions of OpenAPI), and only if the operator grants them. A tool that cannot be
// bound is in [Set.Offered] with its reason. The error is that of ctx. The caller has to
// close the Set.
func Open(ctx context.Context, tools []aaif.Tool, o Options) (*Set, error) {
	s := newSet(o)
	bound := make([][]*offer, len(tools))
	var all sync.WaitGroup
	for i, t := range tools {
		all.Go(func() { bound[i] = s.bind(ctx, t) })
	}
	all.Wait()
	if err := ctx.Err(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	for _, o := range slices.Concat(bound...) {
		if s.byName[o.Name] != nil && o.Missing == nil {
			o.miss(fail(aaif.Duplicated, "another tool has this name"))
		}
		if s.byName[o.Name] == nil {
			s.byName[o.Name] = o
		}
		s.offers = append(s.offers, o)
	}
	return s, nil
}

func newSet(o Options) *Set {
	s := &Set{o: o, shared: o.Shared, byName: map[string]*offer{}}
	if s.shared == nil {
		s.shared = &Shared{}
	}
	if s.o.Now == nil {
		s.o.Now = time.Now
	}
	if s.o.Wait == nil {
		s.o.Wait = sleep.For
	}
	s.guard = guard{hosts: o.Operator.Egress, lookup: o.Lookup, roots: o.Roots}
	if s.guard.lookup == nil {
		s.guard.lookup = net.DefaultResolver.LookupNetIP
	}
	return s
}

// Close ends the connections to MCP servers, and the processes that were started.
func (s *Set) Close() error {
	s.lock.Lock()
	servers := s.servers
	s.servers = nil
	s.lock.Unlock()
	var all sync.WaitGroup
	for _, m := range servers {
		all.Go(m.close)
	}
	all.Wait()
	return nil
}

// bind binds an entry of a definition.
func (s *Set) bind(ctx context.Context, t aaif.Tool) []*offer {
	if s.o.Stub != nil {
		return s.bindTested(ctx, t)
	}
	return s.bindReal(ctx, t)
}

// bindReal binds an entry to its tools. Nothing is contacted before it is granted
// (AAIF-12-2).
func (s *Set) bindReal(ctx context.Context, t aaif.Tool) []*offer {
	if !slices.ContainsFunc(s.o.Operator.Grants, func(g Grant) bool { return g.Lets(s.o.Agent, t) }) {
		o := s.offer(t, t.Name, t.Description, t.Parameters)
		o.miss(fail(NotGranted, "the owner has not granted the tool to the agent"))
		return []*offer{o}
	}
	ctx, cancel := context.WithTimeout(ctx, callTime(ctx, t))
	defer cancel()
	switch t.Protocol {
	case "", aaif.FunctionTool:
		return s.bindFunction(t)
	case aaif.HTTPTool:
		return s.bindHTTP(t)
	case aaif.OpenAPITool:
		return s.bindOpenAPI(ctx, t)
	case aaif.MCPTool:
		return s.bindMCP(ctx, t)
	}
	return s.missing(t, fail(aaif.ToolUnbound, "no tools of protocol %s are called here", aaif.Shown(string(t.Protocol))))
}

// missing returns an entry that cannot be bound.
func (s *Set) missing(t aaif.Tool, why *Error) []*offer {
	o := s.offer(t, t.Name, t.Description, t.Parameters)
	o.miss(why)
	return []*offer{o}
}

// offer returns a tool of an entry, with its schema and with what the operator says of it.
func (s *Set) offer(t aaif.Tool, name, description string, parameters canon.Value) *offer {
	granted := s.o.Operator.granted(s.o.Agent, t.Name, t) || s.o.Operator.granted(s.o.Agent, name, t)
	return s.offerTo(granted, t, name, description, parameters)
}

// offerTo is offer for an agent that may use the tool, or may not.
func (s *Set) offerTo(granted bool, t aaif.Tool, name, description string, parameters canon.Value) *offer {
	said := s.o.Operator.binding(s.o.Agent, name)
	o := &offer{Offered: Offered{Name: name, Description: description, Parameters: parameters, Output: t.Output, Of: t,
		Nature: aaif.ToolNature{Bound: true, ReadOnly: said.ReadOnly, Idempotent: said.Idempotent}}}
	if parameters.Type() == canon.TypeUndefined {
		o.Parameters = objectSchema()
	}
	if !granted {
		o.miss(fail(NotGranted, "the operator does not grant the tool to the agent"))
	}
	o.judgeBy(o.Parameters)
	var err error
	if o.output, err = compile(t.Output); err != nil && s.o.Strict {
		o.miss(asError(err, schemaUnusable, NotSent))
	} else if err != nil {
		o.warn(schemaUnusable, "what it answers is not held to output_schema: "+asError(err, schemaUnusable, NotSent).Text)
		o.Output = canon.Value{}
	}
	return o
}

// judgeBy adds a schema that arguments have to meet.
func (t *offer) judgeBy(v canon.Value) {
	s, err := compile(v)
	if err != nil {
		t.miss(asError(err, schemaUnusable, NotSent))
	}
	if s != nil {
		t.args = append(t.args, s)
	}
}

// miss says why a tool is not offered. The first reason stays.
func (t *offer) miss(why *Error) {
	if why != nil && t.Missing == nil {
		why.Tool = t.Name
		t.Missing, t.Nature = why, aaif.ToolNature{}
	}
}

func (t *offer) warn(code aaif.Code, text string) {
	t.Warnings = append(t.Warnings, string(code)+": "+text)
}

// fitName returns a name that models take: one that is too long is cut, and ends in a hash.
func fitName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name)
	if len(name) <= mostName {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return name[:mostName-9] + "_" + hex.EncodeToString(sum[:4])
}

// callTime returns how long a call may take: what its definition says, else what is left of
// the caller's time, else defaultTime.
func callTime(ctx context.Context, t aaif.Tool) time.Duration {
	if t.Timeout > 0 {
		return seconds(t.Timeout)
	}
	if end, ok := ctx.Deadline(); ok {
		return time.Until(end)
	}
	return defaultTime
}

// Offered returns the tools in the order of the definition, with those that are missing.
func (s *Set) Offered() []Offered {
	list := make([]Offered, len(s.offers))
	for i, o := range s.offers {
		list[i] = o.Offered
	}
	return list
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }
