package mem0

import (
	"errors"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// The rules of the package comment.
const (
	ruleJSON     = "MEM0-1"
	ruleItem     = "MEM0-2"
	ruleName     = "MEM0-3"
	ruleDate     = "MEM0-4"
	ruleRelation = "MEM0-5"
	ruleLimit    = "MEM0-6"
	ruleDraft    = "MEM0-7"
)

var rules = codec.Rules{Format: formatName, JSON: ruleJSON, Limit: ruleLimit}

// item is one memory.
type item struct {
	value            canon.Value // without its score
	text             string
	id               string // empty: none
	user, agent, run string
	categories       []string
	created, expires time.Time // zero: unknown
}

// textMember returns the name of an item's text member; empty: it has none. The text may be
// the memory of an object data.
func textMember(v canon.Value) string {
	for _, name := range []string{"memory", "text", "data", "content"} {
		if v.Get(name).Type() == canon.TypeString {
			return name
		}
	}
	if v.Get("data").Get("memory").Type() == canon.TypeString {
		return "data"
	}
	return ""
}

// prose reads the text of an item from the member with a name.
func prose(c *codec.Checker, name string) string {
	if data, ok := c.Value.Get(name), name == "data"; !ok || data.Type() != canon.TypeObject {
		return c.Prose(ruleItem, name)
	}
	inner, ok := c.Object(ruleItem, name)
	if !ok {
		return ""
	}
	inner.Known(ruleItem, "memory")
	return inner.Prose(ruleItem, "memory")
}

// members lists the members of an item besides its text.
func members() []string {
	return []string{"id", "hash", "metadata", "score", "created_at", "updated_at", "expiration_date", "user_id", "agent_id", "run_id", "actor_id", "role",
		"app_id", "categories", "immutable", "event", "structured_attributes"}
}

// itemIn reads a memory (MEM0-2 to MEM0-4).
func itemIn(c *codec.Checker) item {
	if !c.IsObject(ruleItem) {
		return item{}
	}
	name := textMember(c.Value)
	if name == "" {
		c.Fault(ruleItem, "", errors.New(`has no text; it is wanted as "memory"`))
		return item{}
	}
	it := item{
		value: c.Value.Without("score"), text: prose(c, name), id: idIn(c),
		user: c.Name(ruleName, "user_id"), agent: c.Name(ruleName, "agent_id"), run: c.Name(ruleName, "run_id"),
		categories: c.Names(ruleName, "categories"), created: c.Instant(ruleDate, "created_at"), expires: expiry(c),
	}
	if updated := c.Instant(ruleDate, "updated_at"); it.created.IsZero() {
		it.created = updated
	}
	c.Known(ruleItem, append(members(), name)...)
	return it
}

// idIn reads an id, which may also be a number; the number keeps its spelling.
func idIn(c *codec.Checker) string {
	if v := c.Value.Get("id"); v.Type() == canon.TypeNumber && len(v.Spelling()) <= c.Options.Limits.Name {
		return v.Spelling()
	}
	return c.Name(ruleName, "id")
}

// expiry reads when a memory expires: an instant, or a day, which ends when the next
// begins.
func expiry(c *codec.Checker) time.Time {
	if day, err := time.Parse(time.DateOnly, c.Value.Get("expiration_date").Text()); err == nil {
		return day.AddDate(0, 0, 1)
	}
	return c.Instant(ruleDate, "expiration_date")
}
