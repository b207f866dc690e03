package engram

import (
	"math"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
)

// floor is the confidence below which staleness never goes (section 3.4). least is the
// confidence that a belief needs to be used without asking.
const (
	floor = 0.3
	least = 0.5
)

// Overdue returns for how many whole periods of 24 hours a belief has been stale at now.
// The period starts when the belief was last confirmed, else when it was created (decision
// E-23). 0 means that it is not stale, or never will be.
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

// Effective returns the confidence to use a belief with at now (ENGRAM-3.4-22 to
// ENGRAM-3.4-25). Each day overdue takes 0.1 away, down to 0.3 at least. The result never
// exceeds the stored confidence. The reader computes it; the stored and signed value stays.
func Effective(b Belief, now time.Time) float64 {
	n := Overdue(b, now)
	if n == 0 {
		return b.Confidence
	}
	c := max(min(b.Confidence, floor), b.Confidence-0.1*float64(n))
	return min(b.Confidence, math.Round(c*100)/100)
}

// Typed reads a belief by its value_type: true or false, a number, an enum's token or text.
// When the text is not of that type, Typed returns the text and ok is false (ENGRAM-3.4-8,
// decision E-24).
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
