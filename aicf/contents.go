package aicf

import (
	"fmt"
	"slices"
)

// Index finds the conversation and the id of each entry. It describes the Contents at the
// time of its creation.
type Index struct {
	contents *Contents
	at       map[Entry]int // index of each entry
	parents  []parents     // for each entry
	names    []string      // for each entry; empty: none
	named    map[string][]int
	strange  map[string][]int // the same for unknown sections
	embedded map[string]bool  // entities with a vector
}

// parents are the session and conversation of an entry, as indexes of entries; -1:
// none.
type parents struct{ session, conversation int }

// Index indexes the entries. Insights and decisions without an id are called insight_001
// and so on, in the order of the file.
func (c *Contents) Index() *Index {
	x := &Index{contents: c, at: make(map[Entry]int, len(c.Entries)), named: map[string][]int{}, strange: map[string][]int{}, embedded: map[string]bool{}}
	near, ordinals := parents{-1, -1}, Ordinals{}
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
		x.parents = append(x.parents, x.owner(e, near))
		x.names = append(x.names, ordinals.Name(e))
		x.call(x.names[i], i, e)
	}
	return x
}

// call registers an entry by its name.
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

// all returns the indexes of the entries with an id. An unknown section never hides a known
// entry.
func (x *Index) all(id string) []int {
	if named := x.named[id]; len(named) > 0 {
		return named
	}
	return x.strange[id]
}

// has reports whether an id has an entry, or with vectors whether the entity has a vector.
func (x *Index) has(id string, vectors bool) bool {
	return len(x.all(id)) > 0 || vectors && x.embedded[id]
}

// owner returns the parents of an entry, given the nearest ones before it. A conversation
// belongs to a session; an entry in a conversation belongs to the conversation's session.
func (x *Index) owner(e Entry, near parents) parents {
	switch e.(type) {
	case *Session:
		return parents{-1, -1}
	case *Conversation:
		return parents{near.session, -1}
	case *Link, *Declaration, *Embedding, *Consolidation, *Carried, *Gap:
		return parents{-1, -1}
	}
	if near.conversation >= 0 {
		near.session = x.parents[near.conversation].session
	}
	return near
}

// Ordinals names the entries of a file in their order. It counts insights and decisions,
// since one without an id goes by its place.
type Ordinals struct{ insights, decisions int }

// Name returns the id by which links call the next entry of a file; empty: they cannot.
func (o *Ordinals) Name(e Entry) string {
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

// Names returns, for each entry of the contents, the id by which links call it; empty:
// they cannot.
func (x *Index) Names() []string { return slices.Clone(x.names) }

// Name returns the id by which links call an entry; empty: they cannot.
func (x *Index) Name(e Entry) string {
	if i, ok := x.at[e]; ok {
		return x.names[i]
	}
	return ""
}

// Resolve returns the entry with an id; of several the last, which is the newest revision
//
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
	if !ok || x.parents[i].conversation < 0 {
		return nil, false
	}
	c, ok := x.contents.Entries[x.parents[i].conversation].(*Conversation)
	return c, ok
}

// Session returns the session that an entry belongs to.
func (x *Index) Session(e Entry) (*Session, bool) {
	i, ok := x.at[e]
	if !ok || x.parents[i].session < 0 {
		return nil, false
	}
	s, ok := x.contents.Entries[x.parents[i].session].(*Session)
	return s, ok
}

// Heading returns the name of an entry's section and the identifier after it: a state's
// scope, or the own id of an entry in one line. A [Gap] has neither.
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

// MergeState joins the states of several files for the user or for the app (AICF-STATE-9),
// oldest file first. Each name has its last value, in the place of the first. The keys have
// their prefix.
func MergeState(scope Word, files ...*Contents) []Pair {
	at := map[string]int{}
	var merged []Pair
	for _, c := range files {
		for _, e := range c.Entries {
			if s, ok := e.(*State); ok {
				merged = s.mergeInto(merged, at, scope)
			}
		}
	}
	return merged
}

func (s *State) mergeInto(merged []Pair, at map[string]int, scope Word) []Pair {
	for _, p := range s.Pairs {
		if p.Scope(s.Scope) != scope {
			continue
		}
		name := p.Name()
		p.Key = string(scope) + ":" + name
		if i, ok := at[name]; ok {
			merged[i] = p
			continue
		}
		at[name] = len(merged)
		merged = append(merged, p)
	}
	return merged
}
