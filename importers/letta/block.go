package letta

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// kindOf returns the kind of a block by its label, which may have a number: human_2.
func kindOf(label string) memory.Kind {
	if i := strings.LastIndexByte(label, '_'); i > 0 && strings.Trim(label[i+1:], "0123456789") == "" {
		label = label[:i]
	}
	switch label {
	case "human":
		return memory.Identity
	case "persona":
		return memory.Procedural
	}
	return memory.Semantic
}

// block makes records of a block of the file, which any agents may have.
func (d *document) block(c *codec.Checker) []memory.Record {
	return d.blockOf(c, d.holders[c.Value.Get("id").Text()])
}

// blockOf makes records of a block that some agents have (LETTA-4): one record, or those of
// the list in the block.
func (d *document) blockOf(c *codec.Checker, agents []int) []memory.Record {
	if !c.IsObject(ruleBlock) {
		return nil
	}
	c.Name(ruleBlock, "id")
	label, value := c.Required(ruleBlock, "label"), c.Value.Get("value")
	if t := value.Type(); t != canon.TypeString && t != canon.TypeNull && t != canon.TypeUndefined {
		c.Fault(ruleBlock, "/value", fmt.Errorf("%s found where a string is wanted", t))
	}
	when := c.Instant(ruleDate, "created_at")
	if when.IsZero() {
		when = d.created
	}
	when = c.Date(when)
	if l, ok := listIn(c.Value); ok {
		return d.items(c, l, path(d.of(agents), label), when)
	}
	if strings.TrimSpace(value.Text()) == "" {
		c.Drop("", lossBlank)
		return nil
	}
	r := d.Draft(kindOf(label), value.Text(), formatName, d.ref(d.of(agents), label))
	r.Time.Created = when
	if changed := c.Instant(ruleDate, "updated_at"); changed.After(when) {
		r.Time.Observed = changed
	}
	if len(agents) > 0 {
		r.Scope.Agent = d.agents[agents[0]].called()
	}
	return []memory.Record{codec.WithResidue(r, formatName, d.residue(c.Value.Without("value"), agents))}
}

// residue returns a block and its agents; if apart, without their ids, which are valid in
// this file only.
func (d *document) residue(block canon.Value, agents []int) canon.Value {
	if d.Options.Apart {
		block = block.Without("id")
	}
	v := canon.Object(canon.Member{Name: "block", Value: block})
	var all []canon.Value
	for _, i := range agents {
		all = append(all, d.agents[i].residue(d.Options.Apart))
	}
	if len(all) > 0 {
		v = v.With("agents", canon.Array(all...))
	}
	return v
}

// ref names a block by its agent and its label, since ids are valid in one file only.
func (d *document) ref(agent, label string) string {
	ref := path(agent, label)
	if d.seen[ref]++; d.seen[ref] > 1 {
		ref += "/" + strconv.Itoa(d.seen[ref])
	}
	return ref
}

func path(agent, label string) string { return url.PathEscape(agent) + "/" + url.PathEscape(label) }

// items makes records of a list that Satchel wrote and others may have changed.
func (d *document) items(c *codec.Checker, l listMetadata, place string, when time.Time) (made []memory.Record) {
	texts := split(c.Value.Get("value").Text())
	for i, text := range texts {
		pointer := "/value/" + strconv.Itoa(i)
		if strings.TrimSpace(text) == "" {
			c.Drop(pointer, lossBlank)
			continue
		}
		r := d.Draft(l.kind, text, formatName, place+"#"+strconv.Itoa(i))
		r.Time.Created = when
		if len(l.dates) == len(texts) {
			r.Time.Created = l.dates[i]
		}
		made = append(made, r)
	}
	return made
}
