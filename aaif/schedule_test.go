package aaif_test

import (
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
)

// TestSchedule is a table of what fires when. All times are UTC; the zone of the machine has
// no part in it.
func TestSchedule(t *testing.T) {
	t.Parallel()
	berlin := time.FixedZone("summer", 2*3600)
	for _, c := range []struct{ schedule, after, want string }{
		{"0 9 * * 1-5", "2026-11-27T09:00:00Z", "2026-11-30T09:00:00Z"}, // Friday, and then Monday
		{"0 9 * * 1-5", "2026-11-30T08:59:59Z", "2026-11-30T09:00:00Z"},
		{"0 9 * * mon-FRI", "2026-11-30T09:00:00Z", "2026-12-01T09:00:00Z"},
		{"30 2 * * *", "2026-03-28T02:30:00Z", "2026-03-29T02:30:00Z"}, // the hour that Berlin leaves out
		{"30 2 * * *", "2026-03-29T02:30:00Z", "2026-03-30T02:30:00Z"},
		{"30 0,1 * * *", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"}, // the hour that Berlin has twice
		{"30 0,1 * * *", "2026-10-25T01:30:00Z", "2026-10-26T00:30:00Z"},
		{"*/15 * * * *", "2026-01-01T23:59:00Z", "2026-01-02T00:00:00Z"},
		{"5-59/20 * * * *", "2026-01-01T00:05:00Z", "2026-01-01T00:25:00Z"},
		{"10/20 * * * *", "2026-01-01T00:30:00Z", "2026-01-01T00:50:00Z"},
		{"0 0 */9223372036854775807 * *", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"}, // a step that no number can be added to
		{"1-59/9223372036854775807 * * * *", "2026-01-01T00:01:00Z", "2026-01-01T01:01:00Z"},
		{"*/60 */24 * */13 *", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"},
		{"0 0 29 2 *", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00Z"},
		{"0 0 29 2 *", "2096-02-29T00:00:00Z", "2104-02-29T00:00:00Z"},
		{"0 0 31 * *", "2026-01-31T00:00:00Z", "2026-03-31T00:00:00Z"},
		{"0 0 13 * 5", "2026-02-12T00:00:00Z", "2026-02-13T00:00:00Z"}, // the 13th, and every Friday
		{"0 0 13 * 5", "2026-02-13T00:00:00Z", "2026-02-20T00:00:00Z"},
		{"0 0 * * 7", "2026-11-28T00:00:00Z", "2026-11-29T00:00:00Z"},
		{"0 0 ? jan ?", "2026-02-01T00:00:00Z", "2027-01-01T00:00:00Z"},
		{"0 0 30 2 *", "2026-01-01T00:00:00Z", ""},
		{"@daily", "2026-12-31T12:00:00Z", "2027-01-01T00:00:00Z"},
		{"@hourly", "2026-12-31T23:00:00Z", "2027-01-01T00:00:00Z"},
		{"@weekly", "2026-11-30T00:00:00Z", "2026-12-06T00:00:00Z"},
		{"@monthly", "2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z"},
		{"@yearly", "2026-11-01T00:00:00Z", "2027-01-01T00:00:00Z"},
		{"@every 90m", "2026-01-01T00:00:00Z", "2026-01-01T01:30:00Z"},
		{"PT15M", "2026-01-01T00:14:59Z", "2026-01-01T00:15:00Z"},
		{"PT15M", "2026-01-01T00:15:00Z", "2026-01-01T00:30:00Z"},
		{"P1D", "2026-01-01T12:00:00Z", "2026-01-02T00:00:00Z"},
		{"P1M", "2026-01-31T12:00:00Z", "2026-02-01T00:00:00Z"},
	} {
		t.Run("AAIF-4-20 "+c.schedule+" after "+c.after, func(t *testing.T) {
			s, err := aaif.ParseSchedule(c.schedule)
			after, err2 := time.Parse(time.RFC3339, c.after)
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			for _, in := range []time.Time{after, after.In(berlin)} {
				got := s.Next(in)
				if shown := got.Format(time.RFC3339); shown != c.want && !(got.IsZero() && c.want == "") {
					t.Errorf("%s, want %s", shown, c.want)
				}
				if c.want == "" {
					continue
				}
				if last := s.Latest(in, got.Add(time.Second)); !last.Equal(got) {
					t.Errorf("the latest is %s", last)
				}
				if last := s.Latest(in, got.Add(-time.Second)); !last.IsZero() {
					t.Errorf("before, the latest is %s", last)
				}
			}
		})
	}
	t.Run("AAIF-4-20 after a pause the last one counts", func(t *testing.T) {
		for schedule, want := range map[string]string{"0 9 * * 1-5": "2026-11-27T09:00:00Z", "* * * * *": "2026-11-29T12:00:00Z", "@yearly": "2026-01-01T00:00:00Z", "PT1H": "2026-11-29T12:00:00Z"} {
			s, _ := aaif.ParseSchedule(schedule)
			if got := s.Latest(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 11, 29, 12, 0, 30, 0, time.UTC)).Format(time.RFC3339); got != want {
				t.Errorf("%s: %s, want %s", schedule, got, want)
			}
		}
	})
	t.Run("no schedule", func(t *testing.T) {
		for _, text := range []string{"", "cron", "0 9 * *", "60 * * * *", "@never", "@every", "P", "* * * * mon-8", "@every 1ns", "@every 999ms", "@every 0s", "PT0.5S", "PT0S", "* * */99999999999999999999 * *"} {
			if s, err := aaif.ParseSchedule(text); err == nil {
				t.Errorf("%q is %+v", text, s)
			}
		}
	})
}
