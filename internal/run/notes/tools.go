package notes

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/shape"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/tool"
	"github.com/satchel-memory/satchel/internal/vault/notestore"
)

// The tools with which a model uses memory. Where an agent has memory, no other tool may have
// their names.
const (
	readTool  = "satchel_memory_read"
	writeTool = "satchel_memory_write"
)

// withMemory are the tools of an agent, and those of its memory.
type withMemory struct {
	run.Tools
	memory *Memory
	own    []tool.Offered
	args   map[string]*shape.Schema
}

// Tools returns the tools of an agent with those of its memory.
func (m *Memory) Tools(inner run.Tools) (run.Tools, error) {
	t := &withMemory{Tools: inner, memory: m, args: map[string]*shape.Schema{}}
	offer := func(name, description string, parameters canon.Value) error {
		args, err := shape.Compile(parameters)
		if err != nil {
			return err
		}
		// To the gate before writes, neither tool writes: a note changes nothing outside of the
		// agent's own memory, and the owner decides on it there.
		t.own = append(t.own, tool.Offered{Name: name, Description: description, Parameters: parameters, Nature: aaif.ToolNature{Bound: true, ReadOnly: true},
			Of: aaif.Tool{Name: name, Protocol: aaif.FunctionTool}})
		t.args[name] = args
		return nil
	}
	text := func(description string, most int) canon.Value {
		return canon.Object(canon.Member{Name: "type", Value: canon.String("string")}, canon.Member{Name: "description", Value: canon.String(description)},
			canon.Member{Name: "maxLength", Value: canon.Int(int64(most))})
	}
	query, key := text("What to look for, in words. Left out: the latest notes.", mostSaid), text("The key of a note.", mostKey)
	err := offer(readTool, "Looks up notes from earlier turns and runs: by words, or one by its key.",
		object(nil, canon.Member{Name: "query", Value: query}, canon.Member{Name: "key", Value: key}, canon.Member{Name: "scope", Value: enum(m.readable())}))
	if err == nil && len(m.scopes) > 0 {
		err = offer(writeTool, "Writes a note for later turns and runs, instead of an earlier one with the same scope and key. "+lasting(m.scopes),
			object([]string{"scope", "key", "content"}, canon.Member{Name: "scope", Value: enum(m.scopes)},
				canon.Member{Name: "key", Value: key}, canon.Member{Name: "content", Value: text("What to remember.", mostText)}))
	}
	return t, err
}

// lasting says how long notes of scopes last.
func lasting(scopes []aaif.Scope) string {
	var all []string
	for _, s := range scopes {
		all = append(all, map[aaif.Scope]string{
			aaif.UserScope: "user: about this person, for later runs", aaif.SessionScope: "session: until this session ends",
			aaif.TaskScope: "task: until this run ends", aaif.LongTermScope: "long_term: for all later runs, whoever asks",
		}[s])
	}
	return "Scopes: " + strings.Join(all, "; ") + "."
}

func enum(scopes []aaif.Scope) canon.Value {
	var all []canon.Value
	for _, s := range scopes {
		all = append(all, canon.String(string(s)))
	}
	return canon.Object(canon.Member{Name: "type", Value: canon.String("string")}, canon.Member{Name: "enum", Value: canon.Array(all...)})
}

// object returns the schema of an object.
func object(required []string, members ...canon.Member) canon.Value {
	v := canon.Object(canon.Member{Name: "type", Value: canon.String("object")}, canon.Member{Name: "properties", Value: canon.Object(members...)},
		canon.Member{Name: "additionalProperties", Value: canon.Bool(false)})
	if len(required) > 0 {
		var all []canon.Value
		for _, r := range required {
			all = append(all, canon.String(r))
		}
		v = v.With("required", canon.Array(all...))
	}
	return v
}

// Offered implements [run.Tools].
func (t *withMemory) Offered() []tool.Offered {
	all := slices.Clone(t.own)
	for _, o := range t.Tools.Offered() {
		if t.isOwn(o.Name) {
			o.Missing = &tool.Error{Code: aaif.Duplicated, Tool: o.Name, Outcome: tool.NotSent, Text: "the memory of the agent has a tool of this name"}
		}
		all = append(all, o)
	}
	return all
}

func (t *withMemory) isOwn(name string) bool {
	return slices.ContainsFunc(t.own, func(o tool.Offered) bool { return o.Name == name })
}

// Check implements [run.Tools].
func (t *withMemory) Check(name string, arguments canon.Value) error {
	args := t.args[name]
	if args == nil {
		return t.Tools.Check(name, arguments)
	}
	if found := args.Check(arguments); len(found) > 0 {
		return &tool.Error{Code: tool.ArgsInvalid, Tool: name, Outcome: tool.NotSent, Text: found[0].String()}
	}
	return nil
}

// Await implements [run.Tools]: notes wait for nobody.
func (t *withMemory) Await(ctx context.Context, c tool.Call) (tool.Call, error) {
	if t.isOwn(c.Name) {
		return c, nil
	}
	return t.Tools.Await(ctx, c)
}

// Call implements [run.Tools].
func (t *withMemory) Call(ctx context.Context, c tool.Call) (tool.Result, error) {
	switch {
	case !t.isOwn(c.Name):
		return t.Tools.Call(ctx, c)
	case c.Name == readTool:
		return t.memory.look(ctx, c.Arguments)
	}
	scope := aaif.Scope(c.Arguments.Get("scope").Text())
	n, err := t.memory.write(ctx, draft{scope: scope, key: c.Arguments.Get("key").Text(), text: c.Arguments.Get("content").Text(), once: c.Key})
	if err != nil {
		return tool.Result{}, err
	}
	v := canon.Object(canon.Member{Name: "noted", Value: canon.Bool(true)}, canon.Member{Name: "scope", Value: canon.String(n.Scope)}, canon.Member{Name: "key", Value: canon.String(n.Key)})
	if n.Record != "" {
		v = v.With("record", canon.String(string(n.Record)))
	}
	return tool.Result{Text: string(v.Append(nil)), Value: v}, nil
}

// look answers a call of readTool with the names of notes. What they say is filled in when a model
// is asked.
func (m *Memory) look(ctx context.Context, args canon.Value) (tool.Result, error) {
	all, err := m.list(ctx)
	if err != nil {
		return tool.Result{}, err
	}
	if key := args.Get("key").Text(); key != "" {
		all = slices.DeleteFunc(all, func(n notestore.Note) bool { return n.Key != key })
	}
	var found []notestore.Note
	var warnings []string
	for _, s := range m.readable() {
		if of := args.Get("scope").Text(); of != "" && of != string(s) {
			continue
		}
		items, notes, err := m.read(ctx, s, args.Get("query").Text(), all)
		if err != nil {
			return tool.Result{}, err
		}
		found = append(found, items...)
		for _, n := range notes {
			warnings = append(warnings, fmt.Sprintf("%s: %s", n.Code, n.Text))
		}
	}
	v := refs(found)
	return tool.Result{Text: string(v.Append(nil)), Value: v, Warnings: warnings}, nil
}
