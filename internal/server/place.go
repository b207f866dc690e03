package server

import (
	"net/http"
	"sync"
)

// maxReadings is how many public documents are read from the store at once, each
// for one reader. Of one address it is one.
const maxReadings = 4

// room is a number of places, of which each address has so many at most. Those
// of the loopback interface have as many as there are: they are programs of this
// machine, or all that come through a proxy on it.
type room struct {
	most, each int

	mu    sync.Mutex
	taken int
	by    map[string]int // by address
}

func newRoom(most, each int) *room { return &room{most: most, each: each, by: map[string]int{}} }

// enter takes a place for whoever comes from an address of the network, until
// leave is called. Without a free one it is not ok.
func (o *room) enter(remote string) (leave func(), ok bool) {
	address := networkOf(remote)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.taken >= o.most || o.by[address] >= o.each && elsewhere(address) {
		return nil, false
	}
	o.taken++
	o.by[address]++
	return sync.OnceFunc(func() { o.leave(address) }), true
}

func (o *room) leave(address string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.taken--
	if o.by[address]--; o.by[address] == 0 {
		delete(o.by, address)
	}
}

// placesOf returns what finds a place for a request.
func placesOf(o *room) func(*http.Request) (leave func(), ok bool) {
	return func(r *http.Request) (func(), bool) { return o.enter(r.RemoteAddr) }
}
