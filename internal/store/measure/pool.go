package measure

import (
	"time"

	"github.com/satchel-memory/satchel/internal/metric"
)

// Pool is the state of a store's connections.
type Pool struct {
	InUse, Idle, Most int           // connections
	Waits             int64         // transactions that waited for a connection, since the store was opened
	Waited            time.Duration // the sum of their waiting
}

// Families returns the state for an operator.
func (p Pool) Families() []metric.Family {
	open := metric.Family{Name: "satchel_store_connections", Kind: metric.Gauge, Help: "Connections of this server to the store, by state."}
	open.Add(float64(p.InUse), "state", "in_use")
	open.Add(float64(p.Idle), "state", "idle")
	return []metric.Family{
		open,
		metric.Single("satchel_store_connections_max", metric.Gauge, "The most connections of this server to the store.", float64(p.Most)),
		metric.Single("satchel_store_connection_waits_total", metric.Counter, "Transactions that waited for a connection, as none was idle.", float64(p.Waits)),
		metric.Single("satchel_store_connection_wait_seconds_total", metric.Counter, "How long they waited, in all.", p.Waited.Seconds()),
	}
}
