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
	mostHeld    = 24 << 20    // bytes of one owner, about: some 10,000 memories
	mostAsking  = 4           // owners who have a cache
	mostPosting = 1 << 16     // postings of a term; more are read each time
)

// of returns what is kept of an owner's rows in a state. If content was dropped since the
// question asked, its snapshot may show that content, so that nothing it reads is kept.
func (c *recallCache) of(owner memory.DID, state store.Sum, asked int) *indexCache {
	c.mu.Lock()
	defer c.mu.Unlock()
	x := c.owners[owner]
	if x == nil || x.state != state || asked != c.drops {
		fresh := &indexCache{state: state, young: newKeptIndex()}
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
// what it returns must not be changed. It holds two generations, and drops the older when the
// younger is full; what is used again stays.
type indexCache struct {
	state store.Sum // guarded by recallCache, as the next two
	used  time.Time
	end   *time.Timer

	mu         sync.Mutex
	young, old keptIndex
}

type keptIndex struct {
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

func newKeptIndex() keptIndex {
	return keptIndex{entries: make(map[int64]*recall.Candidate), counts: make(map[string]int),
		postings: make(map[string]keptPostings), terms: make(map[termsKey][]string)}
}

// keep adds a value of so many bytes to one of the maps of the younger generation.
func keep[K comparable, V any](x *indexCache, in func(*keptIndex) map[K]V, key K, value V, bytes int) {
	if x.young.size+bytes > mostHeld/2 {
		x.old, x.young = x.young, newKeptIndex()
	}
	x.young.size += bytes
	in(&x.young)[key] = value
}

// find returns a value of one of the maps. One of the older generation joins the younger.
func find[K comparable, V any](x *indexCache, in func(*keptIndex) map[K]V, key K, bytes func(K, V) int) (V, bool) {
	value, kept := in(&x.young)[key]
	if kept {
		return value, true
	}
	if value, kept = in(&x.old)[key]; kept {
		keep(x, in, key, value, bytes(key, value))
	}
	return value, kept
}

func entriesIn(x *keptIndex) map[int64]*recall.Candidate { return x.entries }
func countsIn(x *keptIndex) map[string]int               { return x.counts }
func postingsIn(x *keptIndex) map[string]keptPostings    { return x.postings }
func termsIn(x *keptIndex) map[termsKey][]string         { return x.terms }

// aroundKey is about how many bytes a map takes for a key and its value.
const aroundKey = 64

// candidates returns the candidates of index entries; read reads those that are missing. The
// names of projects, which candidates have, are of the same state.
func (x *indexCache) candidates(numbers []int64, read func([]int64) ([]*recall.Candidate, error)) ([]*recall.Candidate, error) {
	found := make([]*recall.Candidate, 0, len(numbers))
	var missing []int64
	x.mu.Lock()
	for _, n := range numbers {
		switch c, kept := find(x, entriesIn, n, sizeOfEntry); {
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
	for _, c := range fresh {
		keep(x, entriesIn, int64(c.Doc), c, sizeOfEntry(int64(c.Doc), c))
	}
	for _, n := range missing {
		if !slices.ContainsFunc(fresh, func(c *recall.Candidate) bool { return int64(c.Doc) == n }) {
			keep(x, entriesIn, n, nil, aroundKey)
		}
	}
	return append(found, fresh...), nil
}

// Each of the next functions returns about how many bytes a key and its value take.

func sizeOfEntry(_ int64, c *recall.Candidate) int {
	const fixed, aWord = 700, 8 // most words of a text are terms
	if c == nil {
		return aroundKey
	}
	size := fixed
	if c.Entry != nil {
		scope := &c.Record.Scope
		size += len(c.Record.ID) + len(scope.Project) + len(scope.User) + len(scope.Agent) + len(scope.Session)
		size += len(c.Entry.Digest) + aWord*c.Entry.Length
	}
	return size
}

func sizeOfCount(term string, _ int) int { return len(term) + aroundKey }

func sizeOfPostings(term string, kept keptPostings) int {
	const each = 16
	return len(term) + aroundKey + each*len(kept.list)
}

func sizeOfTerms(key termsKey, terms []string) int {
	const header = 16
	size := len(key.prefix) + aroundKey
	for _, term := range terms {
		size += len(term) + header
	}
	return size
}

// frequencies works as store.Search's.
func (x *indexCache) frequencies(rows store.Reader, terms []string) ([]int, error) {
	counts := make([]int, len(terms))
	var missing []string
	x.mu.Lock()
	for i, term := range terms {
		n, kept := find(x, countsIn, term, sizeOfCount)
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
			keep(x, countsIn, term, counts[i], sizeOfCount(term, counts[i]))
			next++
		}
	}
	return counts, nil
}

// documents works as Postings of recall.Index; read reads them.
func (x *indexCache) documents(term string, most int, read func() ([]recall.Posting, error)) ([]recall.Posting, error) {
	x.mu.Lock()
	kept, ok := find(x, postingsIn, term, sizeOfPostings)
	x.mu.Unlock()
	if ok && (kept.whole || len(kept.list) >= most) {
		return kept.list[:min(len(kept.list), most)], nil
	}
	list, err := read()
	if err != nil || len(list) > mostPosting {
		return list, err
	}
	kept = keptPostings{list, len(list) < most}
	x.mu.Lock()
	defer x.mu.Unlock()
	keep(x, postingsIn, term, kept, sizeOfPostings(term, kept))
	return list, nil
}

// beginning works as Terms of store.Search.
func (x *indexCache) beginning(rows store.Reader, prefix string, most int) ([]string, error) {
	key := termsKey{prefix, most}
	x.mu.Lock()
	terms, kept := find(x, termsIn, key, sizeOfTerms)
	x.mu.Unlock()
	if kept {
		return terms, nil
	}
	terms, err := rows.Terms(prefix, most)
	if err != nil {
		return nil, err
	}
	terms = slices.Clip(terms)
	x.mu.Lock()
	defer x.mu.Unlock()
	keep(x, termsIn, key, terms, sizeOfTerms(key, terms))
	return terms, nil
}
