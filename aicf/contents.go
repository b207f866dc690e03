package aicf

import "fmt"

// Index knows where each entry of a context file belongs, and by which id it is called.
// It holds for the Contents as they were when it was made.
type Index struct {
	contents *Contents
	at       map[Entry]int // place among the entries
	belongs  []belonging   // of each entry
	names    []string      // of each entry; empty: it has none
	named    map[string][]int
	strange  map[string][]int // the same for sections that the format does not know
	embedded map[string]bool  // entities that have a vector
}

// belonging is what an entry stands behind: places among the entries; -1: nothing.
type belonging struct{ session, conversation int }

// Index finds out where entries belong. Insights and decisions without an id of their own
// are called insight_001 and so on, in the order of the file.
func (c *Contents) Index() *Index {
	x := &Index{contents: c, at: make(map[Entry]int, len(c.Entries)), named: map[string][]int{}, strange: map[string][]int{}, embedded: map[string]bool{}}
	near, ordinals := belonging{-1, -1}, ordinal{}
	for i, e := range c.Entries {
		x.at[e] = i
		switch e := e.(type) {
		case *Session:
			near.session = i
		case *Conversation:
			near.conversation = i
		case *Embedding:
			x.embedded[e.Entity] = true
		}
		x.belongs = append(x.belongs, x.owner(e, near))
		x.names = append(x.names, ordinals.name(e))
		x.call(x.names[i], i, e)
	}
	return x
}

// call makes an entry known by its name.
func (x *Index) call(name string, i int, e Entry) {
	if name == "" {
		return
	}
	known := x.named
	if _, unknown := e.(*Unknown); unknown {
		known = x.strange
	}
	known[name] = append(known[name], i)
}

// all returns the places of what has an id. A section that is unknown hides none that is.
func (x *Index) all(id string) []int {
	if named := x.named[id]; len(named) > 0 {
		return named
	}
	return x.strange[id]
}

// has reports whether an entry has an id, or where vectors count, whether there is one of
// what has it.
func (x *Index) has(id string, vectors bool) bool {
	return len(x.all(id)) > 0 || vectors && x.embedded[id]
}

// owner returns what an entry belongs to, given what is nearest before it. A conversation
// belongs to a session; what stands in a conversation belongs to that one's session.
func (x *Index) owner(e Entry, near belonging) belonging {
	switch e.(type) {
	case *Session:
		return belonging{-1, -1}
	case *Conversation:
		return belonging{near.session, -1}
	case *Link, *Declaration, *Embedding, *Consolidation, *Carried, *Gap:
		return belonging{-1, -1}
	}
	if near.conversation >= 0 {
		near.session = x.belongs[near.conversation].session
	}
	return near
}

// ordinal counts what has no id of its own.
type ordinal struct{ insights, decisions int }

func (o *ordinal) name(e Entry) string {
	switch e := e.(type) {
	case *Session:
		return e.ID
	case *Conversation:
		return e.ID
	case *Consolidation:
		return e.ID
	case *Unknown:
		return e.ID
	case *Insight:
		o.insights++
		return orOrdinal(e.ID, "insight", o.insights)
	case *Decision:
		o.decisions++
		return orOrdinal(e.ID, "decision", o.decisions)
	}
	return ""
}

func orOrdinal(id, kind string, n int) string {
	if id != "" {
		return id
	}
	return fmt.Sprintf("%s_%03d", kind, n)
}

// Name returns the id by which links call an entry; empty: they cannot.
func (x *Index) Name(e Entry) string {
	if i, ok := x.at[e]; ok {
		return x.names[i]
	}
	return ""
}

// Resolve returns the entry with an id, of several the last one, which is the newest
// revision.
func (x *Index) Resolve(id string) (Entry, bool) {
	all := x.all(id)
	if len(all) == 0 {
		return nil, false
	}
	return x.contents.Entries[all[len(all)-1]], true
}

// Revisions returns all entries with an id, in the order of the file.
func (x *Index) Revisions(id string) []Entry {
	var all []Entry
	for _, i := range x.all(id) {
		all = append(all, x.contents.Entries[i])
	}
	return all
}

// Conversation returns the conversation that an entry belongs to.
func (x *Index) Conversation(e Entry) (*Conversation, bool) {
	i, ok := x.at[e]
	if !ok || x.belongs[i].conversation < 0 {
		return nil, false
	}
	c, ok := x.contents.Entries[x.belongs[i].conversation].(*Conversation)
	return c, ok
}

// Session returns the session that an entry belongs to.
func (x *Index) Session(e Entry) (*Session, bool) {
	i, ok := x.at[e]
	if !ok || x.belongs[i].session < 0 {
		return nil, false
	}
	s, ok := x.contents.Entries[x.belongs[i].session].(*Session)
	return s, ok
}

// Heading returns the name of the section that an entry stands in and the identifier
// behind it: of a state its scope, of an entry of one line its own id. A [Gap] has neither.
func Heading(e Entry) (section, id string) {
	switch e := e.(type) {
	case *Declaration:
		return declarationName, ""
	case *Session:
		return "SESSION", e.ID
	case *Conversation:
		return "CONVERSATION", e.ID
	case *State:
		return "STATE", string(e.Scope)
	case *Insight:
		return "INSIGHTS", e.ID
	case *Decision:
		return "DECISIONS", e.ID
	case *Link:
		return "LINKS", ""
	case *Embedding:
		return "EMBEDDING", e.Entity
	case *Consolidation:
		return "CONSOLIDATION", e.ID
	case *Carried:
		return carriedName, e.ID
	case *Unknown:
		return e.Name, e.ID
	}
	return "", ""
}
