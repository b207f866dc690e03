package engram

import (
	"math"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
)

// floor is what staleness takes confidence down to (section 3.4), and least what a
// belief needs to be used without asking.
const (
	floor = 0.3
	least = 0.5
)

// Overdue returns for how many whole periods of 24 hours a belief has been stale at
// now: counted from when it was last confirmed, else from when it was created
// (decision E-23). 0: it is not stale, or never will be.
func Overdue(b Belief, now time.Time) int {
	from := b.LastConfirmed
	if from.IsZero() {
		from = b.CreatedAt
	}
	if b.StaleAfter == nil || from.IsZero() || !now.After(from) {
		return 0
	}
	const day = 24 * 60 * 60
	seconds := now.Unix() - from.Unix()
	if now.Nanosecond() < from.Nanosecond() {
		seconds--
	}
	return max(0, int(seconds/day)-*b.StaleAfter)
}

// Effective returns the confidence to use a belief with at now: 0.1 less for each day
// overdue, but no less than 0.3, and never more than was stored (ENGRAM-3.4-22 to
// ENGRAM-3.4-25). It is the reader's to compute: what is stored and signed stays.
func Effective(b Belief, now time.Time) float64 {
	n := Overdue(b, now)
	if n == 0 {
		return b.Confidence
	}
	c := max(min(b.Confidence, floor), b.Confidence-0.1*float64(n))
	return min(b.Confidence, math.Round(c*100)/100)
}

// Typed reads a belief by its value_type: true or false, a number, an enum's token or
// text. Not ok: the text is not of that type, and is returned as it is
// (ENGRAM-3.4-8, decision E-24).
func Typed(b Belief) (v canon.Value, ok bool) {
	text := canon.String(b.Text)
	switch b.ValueType {
	case "", "string", "enum":
		return text, true
	case "boolean":
		switch strings.ToLower(strings.TrimSpace(b.Text)) {
		case "true", "yes":
			return canon.Bool(true), true
		case "false", "no":
			return canon.Bool(false), true
		}
	case "number":
		if n, err := canon.Parse([]byte(b.Text), canon.Options{Bytes: 64}); err == nil && n.Type() == canon.TypeNumber {
			return n, true
		}
	}
	return text, false
}
