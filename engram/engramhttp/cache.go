package engramhttp

import (
	"sync"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/memory"
)

// key identifies a cached context.
type key struct {
	owner memory.DID
	who   string // who may have it
	part  string // the part of the memory
}

// fingerprint identifies what a context was made of; any difference makes another context.
type fingerprint struct {
	state  int64
	kid    string
	issuer engram.Issuer
}

// entry is a context in the cache, to be signed whenever it is asked for.
type entry struct {
	payload engram.Payload
	mark    fingerprint
	until   time.Time // the context may differ from this time on; zero: no such time
	used    time.Time
}

// overhead is what an entry takes besides its bytes.
const overhead = 512

func (e *entry) size() int64 { return int64(e.payload.Size()) + overhead }

// cache keeps unsigned contexts and evicts the least recently used. It is safe for concurrent use.
type cache struct {
	most int64 // bytes
	idle time.Duration

	mu     sync.Mutex
	bytes  int64
	kept   map[key]*entry
	making map[key]chan struct{}
	epoch  int // grows when an owner's contexts are dropped
}

func newCache(most int64, idle time.Duration) *cache {
	return &cache{most: most, idle: idle, kept: map[key]*entry{}, making: map[key]chan struct{}{}}
}

// find returns the context of a key if a new one would be the same.
func (c *cache) find(k key, m fingerprint, now time.Time) (engram.Payload, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.kept[k]
	if !ok || e.mark != m || e.ended(now) {
		return engram.Payload{}, false
	}
	e.used = now
	return e.payload, true
}

func (e *entry) ended(now time.Time) bool { return !e.until.IsZero() && !now.Before(e.until) }

// turn is the right to make a context.
type turn struct {
	cache *cache
	key   key
	epoch int
	wait  chan struct{} // closed when the other caller has finished; nil: this caller makes it
	made  chan struct{}
}

// begin takes a turn. A caller who finds another making the same context may wait for it,
// or make its own.
func (c *cache) begin(k key) *turn {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &turn{cache: c, key: k, epoch: c.epoch, wait: c.making[k]}
	if t.wait == nil {
		t.made = make(chan struct{})
		c.making[k] = t.made
	}
	return t
}

// end ends a turn, whether or not it made a context.
func (t *turn) end() {
	if t.made == nil {
		return
	}
	t.cache.mu.Lock()
	defer t.cache.mu.Unlock()
	delete(t.cache.making, t.key)
	close(t.made)
}

// keep replaces the context of a key, unless its owner was dropped meanwhile or it is too
// large for the cache.
func (c *cache) keep(t *turn, e entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(t.key)
	if t.epoch != c.epoch || e.size() > c.most/4 || e.ended(e.used) {
		return
	}
	for c.bytes+e.size() > c.most {
		c.drop(c.oldest())
	}
	c.kept[t.key] = &e
	c.bytes += e.size()
}

// oldest returns the least recently used key.
func (c *cache) oldest() (found key) {
	var used time.Time
	for k, e := range c.kept {
		if used.IsZero() || e.used.Before(used) {
			found, used = k, e.used
		}
	}
	return found
}

func (c *cache) drop(k key) {
	if e, ok := c.kept[k]; ok {
		c.bytes -= e.size()
		delete(c.kept, k)
	}
}

func (c *cache) forget(owner memory.DID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.epoch++
	for k := range c.kept {
		if k.owner == owner {
			c.drop(k)
		}
	}
}

func (c *cache) sweep(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k, e := range c.kept {
		if now.Sub(e.used) >= c.idle {
			c.drop(k)
		}
	}
}

func (c *cache) size() (documents int, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.kept), c.bytes
}
