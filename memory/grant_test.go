package memory_test

import (
	"testing"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

func TestGrantEnd(t *testing.T) {
	exp := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name  string
		grant *memory.Grant
		now   time.Time
		want  time.Time
	}{
		{"no grant, no end", nil, exp, time.Time{}},
		{"a grant without end", &memory.Grant{}, exp, time.Time{}},
		{"while it is good", &memory.Grant{Expires: exp}, exp.Add(-time.Nanosecond), exp},
		{"within the skew of clocks", &memory.Grant{Expires: exp}, exp, exp.Add(time.Minute)},
		{"long after", &memory.Grant{Expires: exp}, exp.Add(time.Hour), exp.Add(time.Minute)},
		{"by a clock that says nothing", &memory.Grant{Expires: exp}, time.Time{}, exp},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.grant.End(c.now); !got.Equal(c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}
