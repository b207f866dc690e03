package run

import (
	"time"

	"github.com/satchel-memory/satchel/aaif"
)

// Limits bound a run, whatever its definition says. Journals hold the times in
// nanoseconds, as JSON has a [time.Duration].
type Limits struct {
	Turns  int           `json:"turns"`   // turns of models
	Active time.Duration `json:"active"`  // time of execution, without that spent waiting for people (decision R30)
	Call   time.Duration `json:"call"`    // time of one call of a tool
	USD    float64       `json:"usd"`     // price of the models, as far as it is known
	Tokens int           `json:"tokens"`  // in both directions, of models whose price is not known
	Wait   time.Duration `json:"waiting"` // for an approval
}

// DefaultLimits are those of runs for which nothing else was said.
func DefaultLimits() Limits {
	return Limits{Turns: 50, Active: 15 * time.Minute, Call: 2 * time.Minute, USD: 1, Tokens: 500_000, Wait: 24 * time.Hour}
}

// With returns the limits with those members of o that are set.
func (l Limits) With(o Limits) Limits {
	for _, f := range []struct{ into, from *time.Duration }{{&l.Active, &o.Active}, {&l.Call, &o.Call}, {&l.Wait, &o.Wait}} {
		if *f.from > 0 {
			*f.into = *f.from
		}
	}
	for _, f := range []struct{ into, from *int }{{&l.Turns, &o.Turns}, {&l.Tokens, &o.Tokens}} {
		if *f.from > 0 {
			*f.into = *f.from
		}
	}
	if o.USD > 0 {
		l.USD = o.USD
	}
	return l
}

// Within returns the limits with those members of o that are set and narrower.
func (l Limits) Within(o Limits) Limits {
	wished := l.With(o)
	return Limits{
		Turns: min(l.Turns, wished.Turns), Active: min(l.Active, wished.Active), Call: min(l.Call, wished.Call), USD: min(l.USD, wished.USD),
		Tokens: min(l.Tokens, wished.Tokens), Wait: min(l.Wait, wished.Wait),
	}
}

// Of returns the limits of a run of an agent: its definition may set narrower ones.
func (l Limits) Of(a aaif.Agent) Limits {
	l.Turns = min(l.Turns, max(a.Orchestration.MaxIterations, 1))
	if own := time.Duration(a.Runtime.Timeout) * time.Second; own > 0 {
		l.Active = min(l.Active, own)
	}
	if own := time.Duration(a.Compliance.Oversight.Timeout) * time.Second; own > 0 {
		l.Wait = min(l.Wait, own)
	}
	return l
}

// callTime returns how long a call of a tool may take.
func (l Limits) callTime(t aaif.Tool) time.Duration {
	if own := time.Duration(t.Timeout) * time.Second; own > 0 {
		return min(own, l.Call)
	}
	return l.Call
}
