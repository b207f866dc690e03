package server

import (
	"net/http"
	"sync"
)

// maxReadings is how many public documents the server reads from the store at once, each
// for one reader. Each address may have one.
const maxReadings = 4

// slotPool is a number of slots, with a limit for each holder.
type slotPool struct {
	most, each int

	mu    sync.Mutex
	taken int
	by    map[string]int // slots by holder
}

func newSlotPool(most, each int) *slotPool {
	return &slotPool{most: most, each: each, by: map[string]int{}}
}

// enter takes a slot for a client's address until leave is called. Without a free slot it
// is not ok. The loopback interface may take all slots: its clients are programs of this
// machine, or everybody behind a proxy on it.
func (o *slotPool) enter(remote string) (leave func(), ok bool) {
	address := networkOf(remote)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.taken >= o.most || o.by[address] >= o.share(address) {
		return nil, false
	}
	o.taken++
	o.by[address]++
	return sync.OnceFunc(func() { o.leave(address) }), true
}

// share is the number of slots that a network may have.
func (o *slotPool) share(network string) int {
	if isRemote(network) {
		return o.each
	}
	return o.most
}

// full reports whether a network holds all slots that it may.
func (o *slotPool) full(network string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.by[network] >= o.share(network)
}

func (o *slotPool) leave(name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.taken--
	if o.by[name]--; o.by[name] == 0 {
		delete(o.by, name)
	}
}

// requestSlots returns a function that takes a request's slot.
func requestSlots(o *slotPool) func(*http.Request) (leave func(), ok bool) {
	return func(r *http.Request) (func(), bool) { return o.enter(r.RemoteAddr) }
}
