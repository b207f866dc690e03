package server

import (
	"sync"
	"time"
)

// metrics counts what the server does. Its labels are routes, methods and
// statuses that exist, so that their number is bounded and none of them tells
// anything of who asks or for what. It is safe for concurrent use.
type metrics struct {
	since time.Time // the server was made

	mu       sync.Mutex
	requests map[series]uint64
	took     map[string]*histogram // by route
	received uint64                // bytes of bodies
	sent     uint64
	inFlight int
	streams  int               // answers that stay open
	limited  map[string]uint64 // by who would have paid
	denied   uint64            // credentials that opened nothing
	turned   uint64            // connections beyond the most
}

// series names a counter of requests.
type series struct {
	route, method string
	status        int // 0: the connection was cut before there was one
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

func (m *metrics) began() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.inFlight++
}

// opened counts an answer that stays open, until it has ended.
func (m *metrics) opened() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.streams++
}

// ended counts a request that is over. How long a stream was open says nothing of
// how fast the server is, so it is left out of the durations.
func (m *metrics) ended(s series, took time.Duration, received, sent int64, stream bool) {
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

func (m *metrics) limit(payer string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.limited[payer]++
}

func (m *metrics) deny() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.denied++
}

func (m *metrics) turnAway() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turned++
}
