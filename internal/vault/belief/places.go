package belief

import (
	"hash/maphash"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// places remembers the row number of one record for each belief, as a hint where to look
// first. It holds no content and no ids. Two beliefs may share an entry; the hint then
// finds only one of them.
type places struct {
	mu    sync.Mutex
	seed  maphash.Seed
	by    map[uint64]int64
	all   map[memory.DID]edge // while this holds, by has all beliefs of the owner
	epoch int                 // grows when by is emptied
}

// maxPlaces is the most beliefs to remember: some 4 MiB.
const maxPlaces = 1 << 17

// of returns the row number of a belief, or nothing if it is unknown.
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

// key returns the key of a belief in by, and makes by if needed.
func (p *places) key(owner memory.DID, belief string) uint64 {
	if p.by == nil {
		p.seed, p.by = maphash.MakeSeed(), map[uint64]int64{}
	}
	return maphash.String(p.seed, string(owner)+"\x00"+belief)
}

// begin returns the epoch; call it before noting all beliefs of an owner.
func (p *places) begin() (epoch int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.epoch
}

// settle notes that all beliefs of an owner were noted since begin, and how long that
// holds.
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

// lacks reports whether an owner is known to have no such belief.
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
