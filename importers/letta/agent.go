package letta

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// agent is an agent while it is read.
type agent struct {
	id, name string
	kind     string   // of agent
	holds    []string // ids of its blocks in the file
	blocks   []list   // blocks inside the agent itself
	messages list
}

// agentOf is agent for one of several, which does not keep out the others.
func (d *document) agentOf(at canon.Extent, pointer string) error {
	v, _, err := d.Short(at)
	if err != nil {
		return err
	}
	return d.Part(codec.PartName("an agent, with its conversation and the blocks in it,", v), func() error { return d.agent(at, pointer) })
}

// agent reads an agent, which in older files is the file itself (LETTA-3).
func (d *document) agent(at canon.Extent, pointer string) error {
	parts, ok, err := rules.Members(d.Text, at)
	if err != nil {
		return err
	}
	if !ok {
		return rules.Violation(ruleAgent, pointer, errors.New("an object is wanted"))
	}
	if len(parts) > d.Options.Limits.Items {
		return rules.Violation(ruleLimit, pointer, fmt.Errorf("more than %d members; raise the limit", d.Options.Limits.Items))
	}
	var a agent
	rest := canon.Object()
	for _, p := range parts {
		v, err := d.ofAgent(&a, p, pointer+canon.Pointer(p.Name))
		if err != nil {
			return err
		}
		rest = rest.With(p.Name, v)
	}
	for _, id := range a.holds {
		d.holders[id] = append(d.holders[id], len(d.agents))
	}
	d.agents = append(d.agents, a)
	if !canon.Equal(rest, ownSettings()) {
		d.Lose(pointer, lossSettings)
	}
	return nil
}

// ofAgent reads a member of an agent. It returns the value of a setting, and the undefined
// value for other members.
func (d *document) ofAgent(a *agent, p canon.Part, pointer string) (setting canon.Value, err error) {
	switch p.Name {
	case "id":
		a.id, err = d.word(p.At, pointer)
	case "name":
		a.name, err = d.word(p.At, pointer)
	case "block_ids":
		a.holds, err = d.holds(p.At, pointer)
	case "memory_blocks", "core_memory":
		var ok bool
		if ok, err = d.List(ruleAgent, pointer, p.At); ok {
			a.blocks = append(a.blocks, list{pointer, p.At})
		}
	case "messages":
		var ok bool
		if ok, err = d.List(ruleAgent, pointer, p.At); ok {
			a.messages = list{pointer, p.At}
		}
	case "tool_exec_environment_variables", "secrets":
		err = d.variables(p.At, pointer)
	case "created_at":
		err = d.dated(p.At, pointer)
	case "in_context_message_ids", "in_context_message_indices", "message_ids":
	case "tools", "files_agents":
		err = d.aside(p.Name, pointer, p.At)
	default:
		var ok bool
		if setting, ok, err = d.Short(p.At); err == nil && !ok {
			setting = canon.Null() // too long to be one of ours
		}
		if p.Name == "agent_type" {
			a.kind = setting.Text()
		}
	}
	return setting, err
}

// dated reads the date of an older file, in which the agent is the file.
func (d *document) dated(at canon.Extent, pointer string) error {
	v, _, err := d.Short(at)
	if err == nil && v.Type() == canon.TypeString && len(pointer) == len("/created_at") {
		return d.made(v, pointer)
	}
	return err
}

// made takes the date of the file. One that cannot be read does not keep out the rest.
func (d *document) made(v canon.Value, pointer string) error {
	return d.Part("the date of the file", func() (err error) {
		d.created, err = instant(v, pointer)
		return err
	})
}

// instant reads a date (LETTA-5).
func instant(v canon.Value, pointer string) (time.Time, error) {
	t, ok := codec.Instant(v.Text())
	if !ok {
		return t, rules.Violation(ruleDate, pointer, errors.New("is not a date and time such as 2026-11-20T18:31:00Z"))
	}
	return t, nil
}

// word reads a name of bounded length, or null.
func (d *document) word(at canon.Extent, pointer string) (string, error) {
	v, ok, err := d.Short(at)
	switch {
	case err != nil:
		return "", err
	case !ok || len(v.Text()) > d.Options.Limits.Name:
		return "", rules.Violation(ruleLimit, pointer, fmt.Errorf("longer than %d bytes; shorten it, or raise the limit", d.Options.Limits.Name))
	case v.Type() != canon.TypeString && v.Type() != canon.TypeNull:
		return "", rules.Violation(ruleAgent, pointer, fmt.Errorf("%s found where a string is wanted", v.Type()))
	}
	return v.Text(), nil
}

// holds returns the ids of the blocks that an agent has.
func (d *document) holds(at canon.Extent, pointer string) (ids []string, err error) {
	if ok, err := d.List(ruleAgent, pointer, at); err != nil || !ok {
		return nil, err
	}
	all, err := d.extents(at, pointer)
	for i := 0; i < len(all) && err == nil; i++ {
		var id string
		id, err = d.word(all[i], pointer+"/"+strconv.Itoa(i))
		ids = append(ids, id)
	}
	return ids, err
}

// variables reads the names of an agent's variables: of a mapping, or in older files of a
// list of keys with values.
func (d *document) variables(at canon.Extent, pointer string) error {
	var names []string
	parts, ok, err := rules.Members(d.Text, at)
	for _, p := range parts {
		names = append(names, p.Name)
	}
	if c, _ := d.Text.Opening(at); err == nil && !ok && c == '[' {
		for it, err := range d.Items(at, pointer) {
			if err != nil {
				return err
			}
			names = append(names, it.Value.Get("key").Text())
		}
	}
	for _, name := range names {
		if len(name) > d.Options.Limits.Name {
			return rules.Violation(ruleLimit, pointer, fmt.Errorf("a name longer than %d bytes; raise the limit", d.Options.Limits.Name))
		}
		d.Lose(pointer, lossVariable(name))
	}
	return err
}

// called returns the agent's name.
func (a agent) called() string {
	if a.name != "" {
		return a.name
	}
	return a.id
}

// residue names the agent of a block; if apart, by name alone.
func (a agent) residue(apart bool) canon.Value {
	v := canon.Object()
	if a.id != "" && (!apart || a.name == "") {
		v = v.With("id", canon.String(a.id))
	}
	if a.name != "" {
		v = v.With("name", canon.String(a.name))
	}
	return v
}

// nobody is the agent's name in references to blocks without an agent.
const nobody = "blocks"

// of returns the name of the first of some agents.
func (d *document) of(agents []int) string {
	if len(agents) > 0 {
		if name := d.agents[agents[0]].called(); name != "" {
			return name
		}
	}
	return nobody
}
