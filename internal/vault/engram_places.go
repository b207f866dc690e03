package vault

import (
	"hash/maphash"
	"sync"

	"github.com/satchel-memory/satchel/memory"
)

// places remembers for beliefs the number of one of their rows: where to look first,
// and no more than that. It holds no content, nor ids: two beliefs may share a place,
// and then only one of them is found by it.
type places struct {
	mu   sync.Mutex
	seed maphash.Seed
	by   map[uint64]int64
}

// maxPlaces is for how many beliefs that is remembered: 4 MiB or so.
const maxPlaces = 1 << 17

// of returns where to look for a belief, nothing if that is not known.
func (p *places) of(owner memory.DID, belief string) []int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.by == nil {
		return nil
	}
	if n, ok := p.by[p.key(owner, belief)]; ok {
		return []int64{n}
	}
	return nil
}

// learn notes where a belief is.
func (p *places) learn(owner memory.DID, belief string, number int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.by == nil || len(p.by) >= maxPlaces {
		p.seed, p.by = maphash.MakeSeed(), map[uint64]int64{}
	}
	p.by[p.key(owner, belief)] = number
}

func (p *places) key(owner memory.DID, belief string) uint64 {
	return maphash.String(p.seed, string(owner)+"\x00"+belief)
}
