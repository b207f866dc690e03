package engram

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// lastChanges returns when each belief was last changed, confirmed or deleted.
func lastChanges(m Memory) map[string]time.Time {
	last := make(map[string]time.Time, len(m.Beliefs))
	later := func(id string, at time.Time) {
		if at.After(last[id]) {
			last[id] = at
		}
	}
	for _, b := range m.Beliefs {
		later(b.ID, b.CreatedAt)
		later(b.ID, b.LastConfirmed)
		later(b.ID, b.DeletedAt)
	}
	for _, c := range m.Evolution {
		later(c.Belief, c.ChangedAt)
	}
	for _, c := range m.Corrections {
		if c.Status == "" || c.Status == Confirmed {
			later(c.Belief, c.CorrectedAt)
		}
	}
	return last
}

// about is what beliefs of several stores share if they are about the same.
type about struct {
	category Category
	key      string
}

// about returns what a belief is about. Most tombstones do not say.
func (b Belief) about() (about, bool) {
	key := strings.ToLower(strings.Join(strings.Fields(b.Key), " "))
	return about{b.Category, key}, key != "" && (b.Status != Deleted || key != string(Deleted))
}

// sameText compares values without case and white space.
func sameText(a, b string) bool {
	return strings.EqualFold(strings.Join(strings.Fields(a), " "), strings.Join(strings.Fields(b), " "))
}

// groups returns the ids of beliefs that are about the same, where there are several.
func (m *merger) groups(wanted ...Status) [][]string {
	by := map[about][]string{}
	var order []about
	for _, id := range m.order {
		key, ok := m.beliefs[id].about()
		if !ok || !slices.Contains(wanted, m.beliefs[id].Status) {
			continue
		}
		if by[key] == nil {
			order = append(order, key)
		}
		by[key] = append(by[key], id)
	}
	var all [][]string
	for _, key := range order {
		if len(by[key]) > 1 {
			all = append(all, by[key])
		}
	}
	return all
}

// spreadTombstones deletes copies of a belief that another store deleted after their last
// change (ENGRAM-12.2-4). A store's further belief beside its tombstone is another belief.
func (m *merger) spreadTombstones() {
	for _, group := range m.groups(Active, Archived, Deleted) {
		for _, id := range group {
			if stone := m.beliefs[id]; stone.Status == Deleted && len(stone.gone) > 0 {
				m.spread(stone, group)
			}
		}
	}
}

func (m *merger) spread(stone *mergedBelief, group []string) {
	for _, id := range group {
		x := m.beliefs[id]
		beside := slices.ContainsFunc(x.in, func(doc int) bool { return slices.Contains(stone.gone, doc) })
		if x.Status == Deleted || beside || x.last.After(stone.DeletedAt) {
			continue
		}
		m.note(x, Decision{Outcome: Buried, Because: "deleted in another store", Over: []string{stone.ID}})
		x.Belief = x.Bare()
		x.Status, x.DeletedAt, x.last, x.touch = Deleted, stone.DeletedAt, stone.DeletedAt, true
	}
}

// settleConflicts lets one of several stores' active beliefs about the same key win
// (ENGRAM-12.2-3).
func (m *merger) settleConflicts() {
	for _, group := range m.groups(Active) {
		slices.SortFunc(group, func(a, b string) int { order, _ := m.rank(m.beliefs[a], m.beliefs[b]); return order })
		winner := m.beliefs[group[0]]
		for _, id := range group[1:] {
			loser := m.beliefs[id]
			beside := slices.ContainsFunc(loser.in, func(doc int) bool { return slices.Contains(winner.in, doc) })
			if !beside {
				m.settle(winner, loser)
			}
		}
	}
}

// rank orders two beliefs, the winner first, and says what decided.
func (m *merger) rank(a, b *mergedBelief) (order int, because string) {
	said := func(x *mergedBelief) int {
		if x.Source == Inferred {
			return 0
		}
		return 1
	}
	first := func(x *mergedBelief) string { return x.stores[0] + " " + x.ID }
	for _, rule := range []struct {
		order   int
		because string
	}{
		{-cmp.Compare(said(a), said(b)), bySource}, {-a.last.Compare(b.last), byTime},
		{-cmp.Compare(a.Confidence, b.Confidence), byConfidence}, {cmp.Compare(first(a), first(b)), byName},
	} {
		if rule.order != 0 {
			return rule.order, rule.because
		}
	}
	return 0, byName
}

// What decides between two beliefs.
const (
	bySource     = "stated by the person"
	byTime       = "changed later"
	byConfidence = "more certain"
	byName       = "first by name"
)

// settle archives the loser.
func (m *merger) settle(winner, loser *mergedBelief) {
	_, because := m.rank(winner, loser)
	at := winner.last
	if loser.last.After(at) {
		at = loser.last
	}
	from := strings.Join(loser.stores, ", ")
	d := Decision{Outcome: GaveWay, Because: because, Over: []string{winner.ID}, Value: loser.Text, Holds: winner.Text}
	switch {
	case sameText(winner.Text, loser.Text):
		d.Because = "says the same"
	case because == bySource || because == byTime:
		m.evolve(winner, loser.Text, at, "merged: "+from+" had another value", loser.ID)
	default:
		d.Outcome = Waits
		m.propose(winner, loser, at, from)
	}
	m.note(loser, d)
	loser.Status, loser.touch = Archived, true
	winner.touch = true
}

// propose leaves the choice between two values to the person.
func (m *merger) propose(winner, loser *mergedBelief, at time.Time, from string) {
	c := Correction{
		ID: IDFrom("engram-merge", "ask", loser.ID, winner.ID, loser.Text, winner.Text), Belief: winner.ID, By: BySystem, CorrectedAt: at,
		Old: winner.Text, New: loser.Text, Method: Implicit, Note: "merged: " + from + " has this value", Status: Pending,
	}
	if _, ok := m.fixes[c.ID]; !ok { // the person may have resolved it since an earlier merge
		m.fixes[c.ID] = c
	}
}

// note records a decision.
func (m *merger) note(x *mergedBelief, d Decision) {
	d.ID, d.Category, d.Key, d.Stores = x.ID, x.Category, x.Key, x.stores
	m.report.Decisions = append(m.report.Decisions, d)
}
