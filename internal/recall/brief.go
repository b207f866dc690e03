package recall

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/memory"
)

// Topic is a part of a brief.
type Topic string

// The topics of a brief, in their order.
const (
	WhoTheOwnerIs Topic = "identity" // who the user and the agent are
	StandingRules Topic = "rules"    // how to do things, here and everywhere
	ThisProject   Topic = "project"  // about the present project
	Lately        Topic = "lately"   // learnt in the last two weeks
)

// lately is how long a learnt record counts as new.
const lately = 14 * 24 * time.Hour

// topics lists the topics with the tenths of the budget that each may take while all have
// more records.
var topics = [...]struct {
	topic  Topic
	tenths int
}{{WhoTheOwnerIs, 2}, {StandingRules, 3}, {ThisProject, 3}, {Lately, 2}}

// Briefing is the memory that a new session should have before anybody asks.
type Briefing struct {
	Sections []BriefSection // the topics that have records
	Omitted  int            // number of records of these topics that did not fit the budget
}

// BriefSection is one topic and its records, most important first.
type BriefSection struct {
	Topic   Topic
	Records []memory.Record
}

// Brief chooses the records that a session in the given scope should get, within a budget
// of tokens as [Tokens] estimates them; 0: no bound. A record appears once, under the first
// topic that it belongs to, and so do equal texts. A record without a topic is left out.
// The caller has filtered the records: all of them may be shown. Protected records do not
// sink with age; nil: none is protected.
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

// topicOf returns the first topic of a record, "" for none.
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

// byWeight orders records by salience and recency together, then like hits.
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

// fill takes the most important record of each topic, in the order of topics, then more of
// each within its share of the budget, and then any record that still fits.
func fill(byTopic map[Topic][]memory.Record, budget int) Briefing {
	taken := make(map[Topic][]bool)
	left := budget
	for _, t := range topics {
		taken[t.topic] = make([]bool, len(byTopic[t.topic]))
	}
	// The most important record of each topic comes before more of another: in a short
	// brief the owner's identity matters more than recent records.
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

// take marks the records that fit into room, in their order, and returns their cost.
func take(records []memory.Record, taken []bool, room int) (spent int) {
	for i, r := range records {
		if cost := Tokens(r.Body.Text); !taken[i] && spent+cost <= room {
			taken[i] = true
			spent += cost
		}
	}
	return spent
}

// Tokens estimates how many tokens a language model makes of a text, rather too high than
// too low. It counts one for every four bytes of Latin letters, digits and signs, one for
// every two other letters of an alphabet, one for every character of three bytes or more,
// such as Chinese ones, and four for the line itself.
func Tokens(text string) int {
	quarters := 0
	for _, r := range text {
		switch n := utf8.RuneLen(r); {
		case n == 1:
			quarters++
		case n == 2:
			quarters += 2
		default:
			quarters += 4
		}
	}
	return (quarters+3)/4 + 4
}
