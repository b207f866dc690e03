package recall

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Topic is a part of a brief.
type Topic string

// The topics of a brief, in the order they are told.
const (
	WhoTheOwnerIs Topic = "identity" // who the user and the agent are
	StandingRules Topic = "rules"    // how to do things, here and everywhere
	ThisProject   Topic = "project"  // what is known of the project at hand
	Lately        Topic = "lately"   // what was learnt in the last two weeks
)

// lately is how long what was learnt counts as a change.
const lately = 14 * 24 * time.Hour

// topics lists the topics with the tenths of the budget each may take while all
// have more to say.
var topics = [...]struct {
	topic  Topic
	tenths int
}{{WhoTheOwnerIs, 2}, {StandingRules, 3}, {ThisProject, 3}, {Lately, 2}}

// Briefing is what a new session should know before anything is asked.
type Briefing struct {
	Sections []BriefSection // those that have something to say
	Omitted  int            // records of these topics the budget had no room for
}

// BriefSection is one topic and its records, weightiest first.
type BriefSection struct {
	Topic   Topic
	Records []memory.Record
}

// Brief chooses from records what to tell a session in the given scope within a
// budget of tokens, as [Tokens] estimates them; 0: no bound. Records are told
// once, under the first topic they belong to, and so are equal texts; what
// belongs to none is left out. All records given may be told: the caller has
// filtered them. Those that are protected do not sink with age; nil: none is.
func Brief(records []memory.Record, scope memory.Scope, now time.Time, budget int, protected func(memory.Record) bool) Briefing {
	spared := make(map[memory.ID]bool)
	for _, r := range records {
		spared[r.ID] = protected != nil && protected(r)
	}
	byTopic := make(map[Topic][]memory.Record)
	told := make(map[string]bool)
	weightiest := slices.Clone(records)
	slices.SortStableFunc(weightiest, func(a, b memory.Record) int { return byWeight(a, b, now, spared) })
	for _, r := range weightiest {
		text := strings.Join(strings.Fields(r.Body.Text), " ")
		if t := topicOf(r, scope, now, spared[r.ID]); t != "" && !told[text] {
			told[text] = true
			byTopic[t] = append(byTopic[t], r)
		}
	}
	if budget <= 0 {
		budget = 1 << 40
	}
	return fill(byTopic, budget)
}

// topicOf returns the first topic a record belongs to, "" for none.
func topicOf(r memory.Record, scope memory.Scope, now time.Time, spared bool) Topic {
	here := scope.Project != "" && r.Scope.Project == scope.Project
	everywhere := r.Scope.Project == ""
	switch {
	case r.Kind == memory.Identity && (here || everywhere):
		return WhoTheOwnerIs
	case r.Kind == memory.Procedural && (here || everywhere):
		return StandingRules
	case here:
		return ThisProject
	case everywhere && spared:
		return StandingRules
	case everywhere && r.Kind != memory.Episodic && now.Sub(learnt(&r)) <= lately:
		return Lately
	}
	return ""
}

// byWeight orders records by salience and recency together, then as hits are.
func byWeight(a, b memory.Record, now time.Time, spared map[memory.ID]bool) int {
	weight := func(r *memory.Record) float64 {
		if spared[r.ID] {
			return salience(r.Lifecycle) + 1
		}
		return salience(r.Lifecycle) + recency(learnt(r), now)
	}
	return cmp.Or(cmp.Compare(weight(&b), weight(&a)), b.Time.Created.Compare(a.Time.Created),
		cmp.Compare(a.ID, b.ID))
}

// fill takes the weightiest record of each topic, in the order of topics, then more
// of each within its share of the budget, and then whatever still fits.
func fill(byTopic map[Topic][]memory.Record, budget int) Briefing {
	taken := make(map[Topic][]bool)
	left := budget
	for _, t := range topics {
		taken[t.topic] = make([]bool, len(byTopic[t.topic]))
	}
	// The weightiest record of each topic comes before anything more of another:
	// who the owner is matters more to a short brief than what was learnt lately.
	for _, t := range topics {
		left -= take(byTopic[t.topic][:min(1, len(byTopic[t.topic]))], taken[t.topic], left)
	}
	for _, round := range []bool{true, false} {
		for _, t := range topics {
			room := left
			if round {
				room = min(left, budget*t.tenths/10)
			}
			left -= take(byTopic[t.topic], taken[t.topic], room)
		}
	}
	var b Briefing
	for _, t := range topics {
		section := BriefSection{Topic: t.topic}
		for i, r := range byTopic[t.topic] {
			if taken[t.topic][i] {
				section.Records = append(section.Records, r)
			} else {
				b.Omitted++
			}
		}
		if len(section.Records) > 0 {
			b.Sections = append(b.Sections, section)
		}
	}
	return b
}

// take marks the records that fit into room, in their order, and returns how much
// they cost.
func take(records []memory.Record, taken []bool, room int) (spent int) {
	for i, r := range records {
		if cost := Tokens(r.Body.Text); !taken[i] && spent+cost <= room {
			taken[i] = true
			spent += cost
		}
	}
	return spent
}
