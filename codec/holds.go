package codec

import (
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// NotHeld is the reason for which a writer leaves out a record that does not hold, where
// its format knows only what does.
const NotHeld = "closed, proposed, forgotten or expired: it is left out, for the format knows only what holds"

// Holds reports whether a record says something that holds now, so that a format that
// knows no other may say it: it is active, its valid time has begun and not ended, and its
// retention goes on. One that another has replaced holds as long as its valid time says,
// and without an end no more. now may be zero: then what has an end has ended.
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
