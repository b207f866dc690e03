package vault

import (
	"slices"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// recallCache keeps in memory what questions read of the index, for the next question: for
// each owner alone, and for the state of the owner's rows that the snapshot of the question
// shows. A question about another state starts anew, whichever process wrote. Records are
// not kept: what becomes an answer is read and verified every time.
//
// A caller who sees only a part of the records uses no cache, because the time of an answer
// would tell what others asked. What an owner erases leaves the cache at once in the process
// that erases it. In any other it leaves with the next question, and heldFor after the last
// one at the latest.
type recallCache struct {
	mu     sync.Mutex
	owners map[memory.DID]*indexCache
	drops  int       // number of calls of drop
	free   sync.Pool // of *recall.Scratch
}

// asked returns how often content was dropped before a question. The question's snapshot
// must be opened after it.
func (c *recallCache) asked() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.drops
}

// scratch returns memory for a search.
func (c *recallCache) scratch() *recall.Scratch {
	if s, ok := c.free.Get().(*recall.Scratch); ok {
		return s
	}
	return new(recall.Scratch)
}

// Bounds of the cache.
const (
	heldFor     = time.Minute // after an owner's last question
	mostHeld    = 16 << 20    // bytes of one owner, about
	mostAsking  = 4           // owners who have a cache
	mostPosting = 8192        // postings of a term; more are read each time
)

// of returns what is kept of an owner's rows in a state. If content was dropped since the
// question asked, its snapshot may show that content, so that nothing it reads is kept.
func (c *recallCache) of(owner memory.DID, state store.Sum, asked int) *indexCache {
	c.mu.Lock()
	defer c.mu.Unlock()
	x := c.owners[owner]
	if x == nil || x.state != state || asked != c.drops {
		fresh := &indexCache{state: state}
		fresh.empty()
		if asked != c.drops {
			return fresh
		}
		c.remove(owner)
		x = fresh
		if c.owners == nil {
			c.owners = make(map[memory.DID]*indexCache)
		}
		if len(c.owners) >= mostAsking {
			c.remove(c.idlest())
		}
		c.owners[owner] = x
		x.end = time.AfterFunc(heldFor, func() { c.expire(owner, x) })
	}
	x.used = time.Now()
	return x
}

// expire removes a cache that nobody has used for a while.
func (c *recallCache) expire(owner memory.DID, x *indexCache) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.owners[owner] != x {
		return
	}
	if left := heldFor - time.Since(x.used); left > 0 {
		x.end.Reset(left)
		return
	}
	c.remove(owner)
}

// drop removes all that is kept of an owner.
func (c *recallCache) drop(owner memory.DID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drops++
	c.remove(owner)
}

func (c *recallCache) remove(owner memory.DID) {
	if x := c.owners[owner]; x != nil {
		x.end.Stop()
		delete(c.owners, owner)
	}
}

// idlest returns the owner whose last question is the longest ago.
func (c *recallCache) idlest() (owner memory.DID) {
	var used time.Time
	for did, x := range c.owners {
		if used.IsZero() || x.used.Before(used) {
			owner, used = did, x.used
		}
	}
	return owner
}

// follow moves an owner's cache from one state to the next, after an update that changed
// nothing that questions read.
func (c *recallCache) follow(owner memory.DID, before, after store.Sum) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if x := c.owners[owner]; x != nil && x.state == before {
		x.state = after
	}
}

// indexCache is what is kept of one owner's index in one state. Several goroutines use it;
// what it returns must not be changed.
type indexCache struct {
	state store.Sum // guarded by recallCache, as the next two
	used  time.Time
	end   *time.Timer

	mu       sync.Mutex
	size     int                         // bytes, about
	entries  map[int64]*recall.Candidate // without feedback; nil: there is no such row
	counts   map[string]int
	postings map[string]keptPostings
	terms    map[termsKey][]string
}

type keptPostings struct {
	list  []recall.Posting
	whole bool // the term has no others
}

type termsKey struct {
	prefix string
	most   int
}

func (x *indexCache) empty() {
	x.size = 0
	x.entries, x.counts = make(map[int64]*recall.Candidate), make(map[string]int)
	x.postings, x.terms = make(map[string]keptPostings), make(map[termsKey][]string)
}

// grow counts bytes that are about to be kept. If there are too many it forgets all others.
func (x *indexCache) grow(bytes int) {
	if x.size+bytes > mostHeld {
		x.empty()
	}
	x.size += bytes
}

// aroundKey is about how many bytes a map takes for a key and its value.
const aroundKey = 64

// candidates returns the candidates of index entries; read reads those that are missing. The
// names of projects, which candidates have, are of the same state.
func (x *indexCache) candidates(numbers []int64, read func([]int64) ([]*recall.Candidate, error)) ([]*recall.Candidate, error) {
	found := make([]*recall.Candidate, 0, len(numbers))
	var missing []int64
	x.mu.Lock()
	for _, n := range numbers {
		switch c, kept := x.entries[n]; {
		case !kept:
			missing = append(missing, n)
		case c != nil:
			found = append(found, c)
		}
	}
	x.mu.Unlock()
	if len(missing) == 0 {
		return found, nil
	}
	fresh, err := read(missing)
	if err != nil {
		return nil, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, n := range missing {
		x.grow(aroundKey)
		x.entries[n] = nil
	}
	for _, c := range fresh {
		x.grow(sizeOf(c))
		x.entries[int64(c.Doc)] = c
	}
	return append(found, fresh...), nil
}

// sizeOf returns about how many bytes a candidate takes.
func sizeOf(c *recall.Candidate) int {
	const fixed = 700
	scope := &c.Record.Scope
	size := fixed + len(c.Record.ID) + len(scope.Project) + len(scope.User) + len(scope.Agent) + len(scope.Session)
	if c.Entry != nil {
		size += len(c.Entry.Digest)
		for term := range c.Entry.Terms {
			size += len(term) + 2
		}
	}
	return size
}

// frequencies works as store.Search's.
func (x *indexCache) frequencies(rows store.Reader, terms []string) ([]int, error) {
	counts := make([]int, len(terms))
	var missing []string
	x.mu.Lock()
	for i, term := range terms {
		n, kept := x.counts[term]
		if counts[i] = n; !kept {
			missing = append(missing, term)
		}
	}
	x.mu.Unlock()
	if len(missing) == 0 {
		return counts, nil
	}
	read, err := rows.Frequencies(missing)
	if err != nil {
		return nil, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	next := 0
	for i, term := range terms {
		if next < len(missing) && missing[next] == term {
			counts[i] = read[next]
			x.grow(len(term) + aroundKey)
			x.counts[term] = counts[i]
			next++
		}
	}
	return counts, nil
}

// documents works as Postings of recall.Index; read reads them.
func (x *indexCache) documents(term string, most int, read func() ([]recall.Posting, error)) ([]recall.Posting, error) {
	x.mu.Lock()
	kept, ok := x.postings[term]
	x.mu.Unlock()
	if ok && (kept.whole || len(kept.list) >= most) {
		return kept.list[:min(len(kept.list), most)], nil
	}
	list, err := read()
	if err != nil || len(list) > mostPosting {
		return list, err
	}
	const each = 16
	x.mu.Lock()
	defer x.mu.Unlock()
	x.grow(len(term) + aroundKey + each*len(list))
	x.postings[term] = keptPostings{list, len(list) < most}
	return list, nil
}

// beginning works as Terms of store.Search.
func (x *indexCache) beginning(rows store.Reader, prefix string, most int) ([]string, error) {
	key := termsKey{prefix, most}
	x.mu.Lock()
	terms, kept := x.terms[key]
	x.mu.Unlock()
	if kept {
		return terms, nil
	}
	terms, err := rows.Terms(prefix, most)
	if err != nil {
		return nil, err
	}
	size := len(prefix) + aroundKey
	for _, term := range terms {
		size += len(term) + 16 // a string's header
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.grow(size)
	x.terms[key] = slices.Clip(terms)
	return terms, nil
}
