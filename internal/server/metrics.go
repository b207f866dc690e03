package server

import (
	"sync"
	"time"
)

// metrics counts what the server does. Its labels are existing routes, methods and
// statuses, so that their number is limited and none reveals who asks or for what. It is
// safe for concurrent use.
type metrics struct {
	since time.Time // the server started

	mu       sync.Mutex
	requests map[series]uint64
	took     map[string]*histogram // by route
	received uint64                // bytes of bodies
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

// bounds are the upper bounds of the histogram of seconds, below infinity.
func bounds() []float64 {
	return []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}
}

// histogram counts durations up to each bound.
type histogram struct {
	counts []uint64 // one more than bounds; not cumulative
	sum    float64  // seconds
}

func (h *histogram) add(seconds float64) {
	at := 0
	for _, bound := range bounds() {
		if seconds <= bound {
			break
		}
		at++
	}
	h.counts[at]++
	h.sum += seconds
}

func newMetrics() *metrics {
	return &metrics{since: time.Now(), requests: map[series]uint64{}, took: map[string]*histogram{}, limited: map[string]uint64{}}
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
		h = &histogram{counts: make([]uint64, len(bounds())+1)}
		m.took[s.route] = h
	}
	h.add(took.Seconds())
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
