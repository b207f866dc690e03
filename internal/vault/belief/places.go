package belief

import (
	"hash/maphash"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// places remembers for beliefs the number of one of their rows: where to look first,
// and no more than that. It holds no content, nor ids: two beliefs may share a place,
// and then only one of them is found by it.
type places struct {
	mu    sync.Mutex
	seed  maphash.Seed
	by    map[uint64]int64
	all   map[memory.DID]edge // while this holds, there are no beliefs of the owner's but those in by
	epoch int                 // grows when by begins anew
}

// maxPlaces is for how many beliefs that is remembered: 4 MiB or so.
const maxPlaces = 1 << 17

// of returns where to look for a belief, nothing if that is not known.
func (p *places) of(owner memory.DID, belief string) []int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := p.key(owner, belief)
	if n, ok := p.by[key]; ok {
		return []int64{n}
	}
	return nil
}

// learn notes where a belief is.
func (p *places) learn(owner memory.DID, belief string, number int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.by) >= maxPlaces {
		p.by, p.all = nil, nil
		p.epoch++
	}
	key := p.key(owner, belief)
	p.by[key] = number
}

// drop forgets where a belief was.
func (p *places) drop(owner memory.DID, belief string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := p.key(owner, belief)
	delete(p.by, key)
}

// key is the place of a belief in by, which is there from then on.
func (p *places) key(owner memory.DID, belief string) uint64 {
	if p.by == nil {
		p.seed, p.by = maphash.MakeSeed(), map[uint64]int64{}
	}
	return maphash.String(p.seed, string(owner)+"\x00"+belief)
}

// begin is called before all beliefs of an owner are noted.
func (p *places) begin() (epoch int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.epoch
}

// settle notes that all beliefs of an owner were noted since begin, and when they were
// all.
func (p *places) settle(owner memory.DID, e edge, epoch int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if epoch != p.epoch {
		return // some were dropped meanwhile
	}
	if p.all == nil || len(p.all) >= maxEdges {
		p.all = map[memory.DID]edge{}
	}
	p.all[owner] = e
}

// lacks reports whether it is known that an owner has no such belief.
func (p *places) lacks(owner memory.DID, belief string, state int64, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	e, ok := p.all[owner]
	key := p.key(owner, belief)
	if !ok || e.state != state || !e.holds(now, now) {
		return false
	}
	_, noted := p.by[key]
	return !noted
}
