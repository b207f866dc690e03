package markdown

import (
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Date reads a date in front matter as people and programs write it: a day, or a day and a
// time, with an offset or without one, which means UTC. ok is false for anything else.
func Date(s string) (at time.Time, ok bool) {
	if at, ok = memory.ParseInstant(s); ok {
		return at.UTC(), true
	}
	for _, layout := range dateLayouts() {
		if at, err := time.Parse(layout, s); err == nil {
			return at.UTC(), true
		}
	}
	return time.Time{}, false
}

func dateLayouts() []string {
	return []string{
		"2006-01-02", "2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02T15:04:05",
		"2006-01-02 15:04:05Z07:00", "2006-01-02T15:04Z07:00", "2006-01-02 15:04:05 Z07:00",
	}
}
