package server

import (
	"net/http"
	"sync"

	"github.com/satchel-memory/satchel/memory"
)

// maxReadings is how many public documents are read from the store at once, each
// for one reader. Of one address it is one.
const maxReadings = 4

// maxExports is how many exports are under way at once for the owner whose server
// it is, and how many for all other owners together. Each holds a connection to the
// store for as long as its client reads. Of another owner it is one.
const maxExports = 3

// room is a number of places, of which each who enters has so many at most.
type room struct {
	most, each int

	mu    sync.Mutex
	taken int
	by    map[string]int // by who entered
}

func newRoom(most, each int) *room { return &room{most: most, each: each, by: map[string]int{}} }

// enter takes a place for whoever comes from an address of the network, until
// leave is called. Without a free one it is not ok. Those of the loopback interface
// have as many as there are: they are programs of this machine, or all that come
// through a proxy on it.
func (o *room) enter(remote string) (leave func(), ok bool) {
	address := networkOf(remote)
	return o.take(address, o.share(address))
}

// share is the number of places that a network may have.
func (o *room) share(network string) int {
	if elsewhere(network) {
		return o.each
	}
	return o.most
}

// full reports whether a network has as many places as it may.
func (o *room) full(network string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.by[network] >= o.share(network)
}

// take takes one of at most each places for a name.
func (o *room) take(name string, each int) (leave func(), ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.taken >= o.most || o.by[name] >= each {
		return nil, false
	}
	o.taken++
	o.by[name]++
	return sync.OnceFunc(func() { o.leave(name) }), true
}

func (o *room) leave(name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.taken--
	if o.by[name]--; o.by[name] == 0 {
		delete(o.by, name)
	}
}

// exportsOf returns what finds a place for an export. Other owners take none from
// the one whose server it is.
func exportsOf(home memory.DID) func(memory.DID) (leave func(), ok bool) {
	own, others := newRoom(maxExports, maxExports), newRoom(maxExports, 1)
	return func(owner memory.DID) (func(), bool) {
		if owner == home {
			return own.take(string(owner), own.each)
		}
		return others.take(string(owner), others.each)
	}
}

// placesOf returns what finds a place for a request.
func placesOf(o *room) func(*http.Request) (leave func(), ok bool) {
	return func(r *http.Request) (func(), bool) { return o.enter(r.RemoteAddr) }
}
