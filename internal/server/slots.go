package server

import (
	"net/http"
	"sync"

	"github.com/satchel-memory/satchel/memory"
)

// maxReadings is how many public documents the server reads from the store at once, each
// for one reader. Each address may have one.
const maxReadings = 4

// maxExports is how many exports run at once for the server's owner, and how many for all
// other owners together. Each holds a connection to the store as long as its client reads.
// Each other owner may run one.
const maxExports = 3

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
	return o.take(address, o.share(address))
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

// take takes a slot for a name that may hold at most each.
func (o *slotPool) take(name string, each int) (leave func(), ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.taken >= o.most || o.by[name] >= each {
		return nil, false
	}
	o.taken++
	o.by[name]++
	return sync.OnceFunc(func() { o.leave(name) }), true
}

func (o *slotPool) leave(name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.taken--
	if o.by[name]--; o.by[name] == 0 {
		delete(o.by, name)
	}
}

// exportSlots returns a function that takes an export's slot. The server's owner and the
// other owners have slots of their own.
func exportSlots(home memory.DID) func(memory.DID) (leave func(), ok bool) {
	own, others := newSlotPool(maxExports, maxExports), newSlotPool(maxExports, 1)
	return func(owner memory.DID) (func(), bool) {
		if owner == home {
			return own.take(string(owner), own.each)
		}
		return others.take(string(owner), others.each)
	}
}

// requestSlots returns a function that takes a request's slot.
func requestSlots(o *slotPool) func(*http.Request) (leave func(), ok bool) {
	return func(r *http.Request) (func(), bool) { return o.enter(r.RemoteAddr) }
}
