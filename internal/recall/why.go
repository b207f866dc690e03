package recall

import (
	"slices"
	"strconv"
	"strings"
)

// why explains in words why a hit answers the question, strongest reason first.
func (s *search) why(h rankedReading) []string {
	same, other := s.matched(h.reading)
	beside := h.like.with > 2*h.like.alone && h.near == 0
	var reasons []string
	say := func(applies bool, reason string) {
		if applies {
			reasons = append(reasons, reason)
		}
	}
	say(beside, "said beside what matches")
	say(len(same) > 0, "matches "+strings.Join(same, ", "))
	say(len(other) > 0, "close to "+strings.Join(other, ", "))
	say(h.near > 0, "similar in meaning")
	say(h.quotes, "has the quoted words")
	say(h.spokenBy(s.question), "said by whom you name")
	say(h.within(s.question.when), "from the time you name")
	say(h.isHinted(s.question), "is "+string(h.seen.Kind))
	say(h.project, "project you name")
	say(s.query.Scope.Project != "" && s.query.Scope.Project == h.seen.Scope.Project, "same project")
	say(h.signals.Recency >= .5, "recent")
	say(h.signals.Salience > neutralSalience, "salient")
	say(h.Feedback > 0, "was of use before")
	return reasons
}

// matched returns the words of the question that a record has, and those of which it has
// only a relative; quoted.
func (s *search) matched(r *reading) (same, other []string) {
	for i, t := range s.question.terms {
		switch {
		case r.frequency[i] == 0 || strings.HasPrefix(t.term, kindMark), strings.HasPrefix(t.term, instantMark):
		case !t.relative(i):
			same = append(same, strconv.Quote(t.word))
		case r.frequency[t.of] == 0:
			if word := strconv.Quote(t.word); !slices.Contains(other, word) {
				other = append(other, word)
			}
		}
	}
	return same, other
}

// isHinted reports whether the question asks for records of this kind.
func (r *reading) isHinted(q question) bool { return q.asks(kindTerm(r.seen.Kind)) }
