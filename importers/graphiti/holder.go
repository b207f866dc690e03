package graphiti

import (
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// isResult reports whether an item is a hit of a search of sessions, which holds what was
// found in it.
func isResult(v canon.Value) bool {
	for _, name := range []string{"fact", "message", "summary"} {
		if v.Get(name).Type() == canon.TypeObject {
			return true
		}
	}
	return false
}

// isHolder reports whether an item is a session, a thread or a user, or holds lists.
func isHolder(v canon.Value) bool {
	for _, m := range v.Members() {
		if _, ok := listOf(m.Name); ok && m.Value.Type() == canon.TypeArray {
			return true
		}
	}
	return v.Has("session_id") || v.Has("thread_id") || v.Has("user_id")
}

// spread yields the items of a list, and the items within them, each as an item of its own.
// An object that holds others comes after them, and without them. at becomes the place of
// the item that it yields.
func spread(items iter.Seq2[codec.Item, error], in place, at *place) iter.Seq2[codec.Item, error] {
	return func(yield func(codec.Item, error) bool) {
		for it, err := range items {
			if err != nil && !yield(it, err) || err == nil && !spreadItem(it, in, at, yield) {
				return
			}
		}
	}
}

func spreadItem(it codec.Item, in place, at *place, yield func(codec.Item, error) bool) bool {
	if it.Value.Type() != canon.TypeObject || shape(it.Value) != aHolder {
		*at = in
		return yield(it, nil)
	}
	inner, rest := in.in(it.Value), it.Value
	for _, m := range it.Value.Members() {
		pointer := it.Pointer + canon.Pointer(m.Name)
		inner.community, _ = listOf(m.Name)
		_, isList := listOf(m.Name)
		inner.facts = isFacts(m.Name)
		switch {
		case m.Value.Type() == canon.TypeObject && (m.Name == "fact" || m.Name == "message" || m.Name == "summary"):
			if !spreadItem(codec.Item{Pointer: pointer, Value: m.Value}, inner, at, yield) {
				return false
			}
		case isList && m.Value.Type() == canon.TypeArray:
			for i, v := range m.Value.Items() {
				if !spreadItem(codec.Item{Pointer: pointer + "/" + strconv.Itoa(i), Value: v}, inner, at, yield) {
					return false
				}
			}
		default:
			continue
		}
		rest = rest.Without(m.Name)
	}
	*at = in
	if !tells(rest) && rest.Len() < it.Value.Len() {
		return true // it only holds the others
	}
	return yield(codec.Item{Pointer: it.Pointer, Value: rest}, nil)
}

// isFacts reports whether a list may hold facts as bare strings.
func isFacts(name string) bool { return name == "facts" || name == "relevant_facts" }

// tells reports whether what is left of an object that held others says more than whose it
// is.
func tells(rest canon.Value) bool {
	for _, m := range rest.Members() {
		switch m.Name {
		case "session_id", "thread_id", "user_id":
		default:
			return true
		}
	}
	return false
}

// text makes a record of a fact that is a string alone. Its words are its name.
func (d *document) text(c *codec.Checker) (memory.Record, bool) {
	fact := c.Value.Text()
	sum := sha256.Sum256([]byte(fact))
	r := d.Draft(memory.Semantic, fact, d.Rules.Format, "fact/"+hex.EncodeToString(sum[:12]))
	r.Time.Created = c.Date(c.Instant(ruleDate, "created_at"))
	if blank(fact) {
		c.Drop("", lossBlank)
	}
	return r, !blank(fact)
}

// holder makes a record of what is said of a session or a user.
func (d *document) holder(c *codec.Checker) (memory.Record, bool) {
	member, what := "user_id", "User"
	for _, name := range []string{"thread_id", "session_id"} {
		if c.Value.Get(name).Text() != "" {
			member, what = name, "Session"
		}
	}
	id := c.Name(ruleItem, member)
	name := strings.TrimSpace(c.Name(ruleItem, "first_name") + " " + c.Name(ruleItem, "last_name"))
	var said []string
	for _, text := range []string{name, c.Name(ruleItem, "email")} {
		if !blank(text) {
			said = append(said, text)
		}
	}
	for _, list := range []string{"metadata", "classifications"} {
		for _, m := range c.Value.Get(list).Members() {
			said = append(said, m.Name+": "+spelled(m.Value))
		}
	}
	summary := c.Prose(ruleItem, "summary")
	if !blank(summary) {
		said = append(said, summary)
	}
	if c.Value.Get("score").Type() == canon.TypeNumber {
		c.Drop("/score", lossScore)
	}
	if len(said) == 0 {
		if !c.Value.Has("score") {
			c.Drop("", lossIDs)
		}
		return memory.Record{}, false
	}
	if id == "" {
		id = c.Required(ruleItem, member)
	}
	ref := strings.ToLower(what) + "/" + id
	if uuid := c.Name(ruleItem, uuidMember(c.Value)); uuid != "" && !blank(summary) {
		ref = "summary/" + uuid // one of several things that are said of the session
	}
	r := d.Draft(memory.Semantic, what+" "+id+": "+strings.Join(said, ", "), d.Rules.Format, ref)
	r.Time.Created = c.Date(c.Instant(ruleDate, "created_at"))
	codec.About(&r, name)
	return r, true
}

// spelled returns a value as people read it.
func spelled(v canon.Value) string {
	if v.Type() == canon.TypeString {
		return v.Text()
	}
	return string(v.Append(nil))
}
