package codec

import (
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// NotHeld is the loss of a record that is not true now, if the format can only hold records
// that are.
const NotHeld = "closed, proposed, forgotten or expired: it is left out, for the format knows only what holds"

// Holds reports whether a record is true at now, for formats that only hold such records.
// The record is active, its valid time includes now, and its retention has not ended. A
// superseded record holds as long as its valid time says, and does not hold if that has no
// end. now may be zero: every valid time that has an end is then over.
func Holds(r memory.Record, now time.Time) bool {
	end := r.Time.ValidTo
	expiry, limited := r.Expiry()
	switch {
	case r.Lifecycle.Status.Or() != memory.Active:
		return false
	case end.IsZero() && len(r.SupersededBy) > 0:
		return false
	case now.IsZero():
		return end.IsZero()
	case limited && !now.Before(expiry), !end.IsZero() && !now.Before(end):
		return false
	}
	return !now.Before(r.Time.ValidFrom)
}
