package engramhttp

import (
	"sync"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/memory"
)

// key names a context that is kept.
type key struct {
	owner memory.DID
	who   string // may have it
	part  string // of the memory
}

// mark is what a context was made of: with another mark it would be another.
type mark struct {
	state  int64
	kid    string
	issuer engram.Issuer
}

// kept is a context that was signed. Its bytes are never changed.
type kept struct {
	document []byte
	mark     mark
	until    time.Time // it may not be the same after that
	good     time.Time // it is not good for long after that
	used     time.Time
}

// overhead is what a kept context takes besides its bytes.
const overhead = 512

func (k *kept) size() int64 { return int64(len(k.document)) + overhead }

// cache keeps contexts, those that were used last where there are too many. It is
// safe for concurrent use.
type cache struct {
	most int64 // bytes
	idle time.Duration

	mu     sync.Mutex
	bytes  int64
	kept   map[key]*kept
	making map[key]chan struct{}
	epoch  int // grows when an owner is forgotten
}

func newCache(most int64, idle time.Duration) *cache {
	return &cache{most: most, idle: idle, kept: map[key]*kept{}, making: map[key]chan struct{}{}}
}

// find returns the context of a key if it would be made the same now.
func (c *cache) find(k key, m mark, now time.Time) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.kept[k]
	if !ok {
		return nil, false
	}
	if e.mark != m || !now.Before(e.until) || !now.Before(e.good) {
		return nil, false
	}
	e.used = now
	return e.document, true
}

// former returns the context of a key that was made last, if it is still good: it may
// say what one that is made now says.
func (c *cache) former(k key, now time.Time) (kept, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.kept[k]
	if !ok || !now.Before(e.good) {
		return kept{}, false
	}
	return *e, true
}

// turn is somebody's turn to make a context.
type turn struct {
	cache *cache
	key   key
	epoch int
	wait  chan struct{} // closed when the one who makes it is done; nil: that is this one
	made  chan struct{}
}

// begin takes a turn. Whoever finds another making the same may wait for that, or make
// it all the same.
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

// end ends a turn, whether or not it came to something.
func (t *turn) end() {
	if t.made == nil {
		return
	}
	t.cache.mu.Lock()
	defer t.cache.mu.Unlock()
	delete(t.cache.making, t.key)
	close(t.made)
}

// keep keeps what was made instead of what was, unless an owner was forgotten meanwhile
// or it would take too much of the room there is.
func (c *cache) keep(t *turn, e kept) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(t.key)
	if t.epoch != c.epoch || e.size() > c.most/4 || !e.used.Before(e.until) || !e.used.Before(e.good) {
		return
	}
	for c.bytes+e.size() > c.most {
		c.drop(c.oldest())
	}
	c.kept[t.key] = &e
	c.bytes += e.size()
}

// oldest is the one that was used longest ago.
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
		if !now.Before(e.good) || now.Sub(e.used) >= c.idle {
			c.drop(k)
		}
	}
}

func (c *cache) size() (documents int, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.kept), c.bytes
}
