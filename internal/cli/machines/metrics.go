package machines

import (
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/metric"
)

// Measure returns the metrics of the syncs of the owner's machine.
func Measure(a *cli.App, o *cli.Session) []metric.Family {
	s, err := readState(o.Home)
	if err != nil { // doctor reports it
		s = state{}
	}
	failing, oldest := 0, 0.0
	for _, r := range s.of(o.Owner).kept() {
		if r.Failed != "" {
			failing++
		}
		if !r.Met.IsZero() {
			oldest = max(oldest, a.Now().Sub(r.Met).Seconds())
		}
	}
	return []metric.Family{
		metric.Single("satchel_sync_remotes", metric.Gauge, "Remotes where the owner's machines meet.", float64(len(s.of(o.Owner).kept()))),
		metric.Single("satchel_sync_failing_remotes", metric.Gauge, "Remotes whose last meeting failed.", float64(failing)),
		metric.Single("satchel_sync_oldest_meeting_seconds", metric.Gauge, "How long ago the remote that waits longest was met.", oldest),
	}
}
