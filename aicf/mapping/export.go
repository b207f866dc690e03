package mapping

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/memory"
)

// export adds records to a file as new entries.
type export struct {
	contents *aicf.Contents
	names    map[string]bool // ids in use
}

// tell adds entries for records, one conversation for each session, and the links between
// them.
func (x *export) tell(records []memory.Record) {
	x.names = map[string]bool{}
	index := x.contents.Index()
	for _, name := range index.Names() {
		x.names[name] = name != ""
	}
	for _, g := range groupBySession(records) {
		x.group(g)
	}
}

// group is the records of one conversation.
type group struct {
	session     string // empty: no session
	records     []memory.Record
	pieces      []piece
	first, last time.Time
}

// groupBySession groups records by session, in the order in which the sessions begin.
func groupBySession(records []memory.Record) []*group {
	var groups []*group
	by := map[string]*group{}
	for _, r := range records {
		p, ok := newPiece(r)
		if !ok {
			continue
		}
		g := by[r.Scope.Session]
		if g == nil {
			g = &group{session: r.Scope.Session, first: r.Time.Created}
			by[r.Scope.Session] = g
			groups = append(groups, g)
		}
		g.records, g.pieces = append(g.records, r), append(g.pieces, p.restated(r))
		if r.Time.Created.Before(g.first) {
			g.first = r.Time.Created
		}
		if r.Time.Created.After(g.last) {
			g.last = r.Time.Created
		}
	}
	return groups
}

// group adds the entries of a group: first its own sessions and conversations, then the
// other entries below a conversation made for them.
func (x *export) group(g *group) {
	rank := func(p piece) int {
		switch p.entry.(type) {
		case *aicf.Session:
			return 0
		case *aicf.Conversation:
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
	users := &aicf.State{Scope: aicf.ScopeUser}
	apps := &aicf.State{Scope: aicf.ScopeApp}
	for _, p := range g.pieces {
		switch {
		case p.pair == nil && rank(p) == 2:
			x.add(p.entry)
		case p.pair != nil && p.scope == aicf.ScopeUser:
			users.Pairs = append(users.Pairs, *p.pair)
		case p.pair != nil && p.scope == aicf.ScopeApp:
			apps.Pairs = append(apps.Pairs, *p.pair)
		case p.pair != nil:
			state.Pairs = append(state.Pairs, *p.pair)
		}
	}
	for _, s := range []*aicf.State{users, apps} {
		if len(s.Pairs) > 0 {
			x.contents.Entries = append(x.contents.Entries, s)
		}
	}
}

// add adds an entry unless its id is in use or the format does not allow it; the file then
// carries the record alone. Entries that were read from a file keep their oddities.
func (x *export) add(e aicf.Entry) {
	name := idIn(e)
	if x.names[name] || aicf.CheckEntry(e) != nil {
		return
	}
	x.names[name] = name != ""
	x.contents.Entries = append(x.contents.Entries, e)
}

// idIn returns the entry's own id.
func idIn(e aicf.Entry) string {
	switch e := e.(type) {
	case *aicf.Insight:
		return e.ID
	case *aicf.Decision:
		return e.ID
	}
	return new(aicf.Ordinals).Name(e)
}

// open begins the conversation of a group.
func (x *export) open(g *group) *aicf.State {
	state := &aicf.State{Scope: aicf.ScopeSession, Status: new(aicf.Word), Actions: new(string), Flow: []string{exportedFlow}}
	*state.Status, *state.Actions = "completed", exportedAction
	state.Pairs = []aicf.Pair{{Key: exportMark, Value: "true"}}
	mark := []aicf.Field{{Key: exportMark, Raw: "true"}}
	id := x.free(g)
	if agent, user := g.party(); agent != "" && user != "" {
		x.contents.Entries = append(x.contents.Entries, &aicf.Session{
			ID: x.unique(id + "_session"), AppName: agent, UserID: user, CreatedAt: aicf.Stamp{Time: g.first}, LastUpdateTime: aicf.Stamp{Time: g.last},
			Status: "completed", Extra: mark,
		})
	}
	x.contents.Entries = append(x.contents.Entries, &aicf.Conversation{
		ID: id, TimestampStart: aicf.Stamp{Time: g.first}, TimestampEnd: aicf.Stamp{Time: g.last}, Messages: new(int64), Extra: mark,
	}, state)
	return state
}

// free returns an id for the conversation of a group: the session's if possible.
func (x *export) free(g *group) string {
	id := g.session
	if !aicf.Linkable(id) || printable(id) != id || strings.ContainsAny(id, "\r\n") || strings.TrimSpace(id) != id {
		id = exportedID + g.last.UTC().Format("20060102T150405Z")
	}
	return x.unique(id)
}

// unique returns an id that is not in use.
func (x *export) unique(id string) string {
	for x.names[id] {
		id += "_ump"
	}
	x.names[id] = true
	return id
}

// party returns the agent and the user of a session's records, if all records have the
// same.
func (g *group) party() (agent, user string) {
	if g.session == "" {
		return "", ""
	}
	for i, r := range g.records {
		if i == 0 {
			agent, user = r.Scope.Agent, r.Scope.User
		}
		if agent != r.Scope.Agent || user != r.Scope.User || printable(agent+user) != agent+user {
			return "", ""
		}
	}
	return agent, user
}

// inOrder sorts records by creation, and each after the records that it supersedes.
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

// isSynthetic reports whether an export made the section because the format requires it.
func isSynthetic(extra []aicf.Field) bool {
	for _, f := range extra {
		if f.Key == exportMark && strings.TrimSpace(f.Raw) == "true" {
			return true
		}
	}
	return false
}

// isExported reports whether an export made the entry because the format requires it.
func isExported(e aicf.Entry) bool {
	switch e := e.(type) {
	case *aicf.Session:
		return isSynthetic(e.Extra)
	case *aicf.Conversation:
		return isSynthetic(e.Extra)
	}
	return false
}
