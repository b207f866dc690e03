package aicf

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// export tells records that no file has yet.
type export struct {
	contents *Contents
	names    map[string]bool // ids that are taken
}

// tell adds entries for records, one conversation for each session, and the links
// between them.
func (x *export) tell(records []memory.Record) {
	x.names = map[string]bool{}
	index := x.contents.Index()
	for _, name := range index.names {
		x.names[name] = true
	}
	for _, g := range grouped(records) {
		x.group(g)
	}
}

// group is what is told below one conversation.
type group struct {
	session     string // empty: none
	records     []memory.Record
	pieces      []piece
	first, last time.Time
}

// grouped parts records by session, in the order in which each begins.
func grouped(records []memory.Record) []*group {
	var groups []*group
	by := map[string]*group{}
	for _, r := range records {
		p, ok := telling(r)
		if !ok {
			continue
		}
		g := by[r.Scope.Session]
		if g == nil {
			g = &group{session: r.Scope.Session, first: r.Time.Created}
			by[r.Scope.Session] = g
			groups = append(groups, g)
		}
		g.records, g.pieces = append(g.records, r), append(g.pieces, p)
		if r.Time.Created.Before(g.first) {
			g.first = r.Time.Created
		}
		if r.Time.Created.After(g.last) {
			g.last = r.Time.Created
		}
	}
	return groups
}

// group adds the entries of a group: sessions and conversations that it tells of itself
// first, then what it says in a conversation that is there for its sake.
func (x *export) group(g *group) {
	rank := func(p piece) int {
		switch p.entry.(type) {
		case *Session:
			return 0
		case *Conversation:
			return 1
		}
		return 2
	}
	for _, wanted := range []int{0, 1} {
		for _, p := range g.pieces {
			if rank(p) == wanted {
				x.add(p.entry)
			}
		}
	}
	state := x.open(g)
	users := &State{Scope: ScopeUser}
	apps := &State{Scope: ScopeApp}
	for _, p := range g.pieces {
		switch {
		case p.pair == nil && rank(p) == 2:
			x.add(p.entry)
		case p.pair != nil && p.scope == ScopeUser:
			users.Pairs = append(users.Pairs, *p.pair)
		case p.pair != nil && p.scope == ScopeApp:
			apps.Pairs = append(apps.Pairs, *p.pair)
		case p.pair != nil:
			state.Pairs = append(state.Pairs, *p.pair)
		}
	}
	for _, s := range []*State{users, apps} {
		if len(s.Pairs) > 0 {
			x.contents.Entries = append(x.contents.Entries, s)
		}
	}
}

// add adds an entry, unless its id is taken, or the format does not allow it: then the
// record rides along alone. What was read from a file keeps its oddities.
func (x *export) add(e Entry) {
	name := idIn(e)
	if x.names[name] || !writable(e) {
		return
	}
	x.names[name] = name != ""
	x.contents.Entries = append(x.contents.Entries, e)
}

// idIn returns the id that an entry has by itself.
func idIn(e Entry) string {
	if id, has := ownID(e); has {
		return *id
	}
	return (&ordinal{}).name(e)
}

// writable reports whether the format allows an entry.
func writable(e Entry) bool {
	s := &sheet{}
	if state, ok := e.(*State); ok {
		s.state(state, state.Scope, state.Pairs)
	} else {
		s.entry(e)
	}
	s.prove(e)
	return s.err == nil
}

// open begins the conversation of a group.
func (x *export) open(g *group) *State {
	state := &State{Scope: ScopeSession, Status: new(Word), Actions: new(string), Flow: []string{exportedFlow}}
	*state.Status, *state.Actions = "completed", exportedAction
	state.Pairs = []Pair{{Key: exportMark, Value: "true"}}
	mark := []Field{{Key: exportMark, Raw: "true"}}
	id := x.free(g)
	if agent, user := g.party(); agent != "" && user != "" {
		x.contents.Entries = append(x.contents.Entries, &Session{
			ID: x.unique(id + "_session"), AppName: agent, UserID: user, CreatedAt: Stamp{Time: g.first}, LastUpdateTime: Stamp{Time: g.last},
			Status: "completed", Extra: mark,
		})
	}
	x.contents.Entries = append(x.contents.Entries, &Conversation{
		ID: id, TimestampStart: Stamp{Time: g.first}, TimestampEnd: Stamp{Time: g.last}, Messages: new(int64), Extra: mark,
	}, state)
	return state
}

// free returns an id for the conversation of a group: the session's, if it can be one.
func (x *export) free(g *group) string {
	id := g.session
	if id == "" || sayable(id) != id || strings.ContainsAny(id, "\r\n") || strings.Contains(id, arrow) || strings.TrimSpace(id) != id {
		id = exportedID + g.last.UTC().Format("20060102T150405Z")
	}
	return x.unique(id)
}

// unique returns an id that nothing else has.
func (x *export) unique(id string) string {
	for x.names[id] {
		id += "_ump"
	}
	x.names[id] = true
	return id
}

// party returns the agent and the user of a session's records, where they are the same in
// all of them.
func (g *group) party() (agent, user string) {
	if g.session == "" {
		return "", ""
	}
	for i, r := range g.records {
		if i == 0 {
			agent, user = r.Scope.Agent, r.Scope.User
		}
		if agent != r.Scope.Agent || user != r.Scope.User || sayable(agent+user) != agent+user {
			return "", ""
		}
	}
	return agent, user
}

// inOrder sorts records by creation, and each behind those that it replaces.
func inOrder(records []memory.Record) []memory.Record {
	sorted := slices.Clone(records)
	slices.SortStableFunc(sorted, func(a, b memory.Record) int {
		return cmp.Or(a.Time.Created.Compare(b.Time.Created), strings.Compare(string(a.ID), string(b.ID)))
	})
	at := make(map[memory.ID]int, len(sorted))
	for i, r := range sorted {
		at[r.ID] = i
	}
	out, begun := make([]memory.Record, 0, len(sorted)), make([]bool, len(sorted))
	var place func(i int)
	place = func(i int) {
		if begun[i] {
			return
		}
		begun[i] = true
		for _, old := range sorted[i].Supersedes {
			if j, ok := at[old]; ok {
				place(j)
			}
		}
		out = append(out, sorted[i])
	}
	for i := range sorted {
		place(i)
	}
	return out
}

// synthetic reports whether an export made a section for the sake of the format.
func synthetic(extra []Field) bool {
	for _, f := range extra {
		if f.Key == exportMark && strings.TrimSpace(f.Raw) == "true" {
			return true
		}
	}
	return false
}

// exported reports whether an entry was made so.
func exported(e Entry) bool {
	switch e := e.(type) {
	case *Session:
		return synthetic(e.Extra)
	case *Conversation:
		return synthetic(e.Extra)
	}
	return false
}
