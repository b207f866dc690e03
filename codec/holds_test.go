package codec_test

import (
	"testing"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

func TestHolds(t *testing.T) {
	now := time.Date(2026, 6, 4, 10, 0, 0, 0, time.UTC)
	before, after := now.Add(-time.Hour), now.Add(time.Hour)
	made := memory.Times{Created: before}
	next := []memory.ID{"urn:ump:b"}
	for name, test := range map[string]struct {
		r    memory.Record
		now  time.Time
		want bool
	}{
		"a plain one":                  {memory.Record{Time: made}, now, true},
		"a candidate":                  {memory.Record{Time: made, Lifecycle: memory.Lifecycle{Status: memory.Candidate}}, now, false},
		"a tombstone":                  {memory.Record{Time: made, Lifecycle: memory.Lifecycle{Status: memory.Tombstoned}}, now, false},
		"ended":                        {memory.Record{Time: memory.Times{ValidTo: now}}, now, false},
		"to end":                       {memory.Record{Time: memory.Times{ValidTo: after}}, now, true},
		"to end, without a clock":      {memory.Record{Time: memory.Times{ValidTo: after}}, time.Time{}, false},
		"a plain one, without a clock": {memory.Record{Time: made}, time.Time{}, true},
		"to begin":                     {memory.Record{Time: memory.Times{ValidFrom: after}}, now, false},
		"just begun":                   {memory.Record{Time: memory.Times{ValidFrom: now}}, now, true},
		"replaced":                     {memory.Record{Time: made, SupersededBy: next}, now, false},
		"to be replaced":               {memory.Record{Time: memory.Times{ValidTo: after}, SupersededBy: next}, now, true},
		"expired":                      {memory.Record{Time: made, Consent: &memory.Consent{Retention: "PT1H"}}, now, false},
		"kept a while":                 {memory.Record{Time: made, Consent: &memory.Consent{Retention: "PT2H"}}, now, true},
		"kept for who knows how long":  {memory.Record{Time: made, Consent: &memory.Consent{Retention: "long"}}, now, true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := codec.Holds(test.r, test.now); got != test.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
