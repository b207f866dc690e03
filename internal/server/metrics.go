package server

import (
	"sync"
	"time"

	"github.com/satchel-memory/satchel/internal/metric"
)

// metrics counts what the server does. Its labels are existing routes, methods and
// statuses, so that their number is limited and none reveals who asks or for what. It is
// safe for concurrent use.
type metrics struct {
	since time.Time // the server started

	mu       sync.Mutex
	requests map[series]uint64
	took     map[string]*metric.Histogram // by route
	received uint64                       // bytes of bodies
	sent     uint64
	inFlight int
	streams  int               // answers that stay open
	limited  map[string]uint64 // by kind of rate key
	denied   uint64            // invalid credentials
	refused  uint64            // connections beyond the limit
}

// series names a counter of requests.
type series struct {
	route, method string
	status        int // 0: the connection was cut before a status
}

// bounds are the upper bounds of the durations of requests, below infinity.
func bounds() []time.Duration {
	const ms = time.Millisecond
	return []time.Duration{ms, 2500 * time.Microsecond, 5 * ms, 10 * ms, 25 * ms, 50 * ms, 100 * ms, 250 * ms, 500 * ms, 1000 * ms, 2500 * ms, 5000 * ms, 10000 * ms}
}

func newMetrics() *metrics {
	return &metrics{since: time.Now(), requests: map[series]uint64{}, took: map[string]*metric.Histogram{}, limited: map[string]uint64{}}
}

func (m *metrics) startRequest() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.inFlight++
}

// openStream counts an answer that stays open until it ends.
func (m *metrics) openStream() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.streams++
}

// end counts a finished request. The time that a stream was open says nothing about the
// server's speed, so the durations leave it out.
func (m *metrics) end(s series, took time.Duration, received, sent int64, stream bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.inFlight--
	m.requests[s]++
	m.received += uint64(max(received, 0))
	m.sent += uint64(max(sent, 0))
	if stream {
		m.streams--
		return
	}
	h, ok := m.took[s.route]
	if !ok {
		h = metric.NewHistogram(bounds())
		m.took[s.route] = h
	}
	h.Observe(took)
}

func (m *metrics) limit(kind string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.limited[kind]++
}

func (m *metrics) deny() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.denied++
}

func (m *metrics) refuseConnection() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refused++
}
