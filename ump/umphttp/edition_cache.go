package umphttp

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	// maxEditionAge is the longest use of an edition, so that records that end by the
	// clock leave it in time.
	maxEditionAge = 5 * time.Second
	// pieceSize is the size of one write of an edition.
	pieceSize = 64 << 10
)

// edition is a public document after a change. All its readers share it, and even slow
// ones need nothing from the store.
type edition struct {
	head    int64 // number of that change
	pieces  [][]byte
	large   bool // the cache has no room for it
	holders int  // guarded by the cache
	expire  func()
}

// editionCache keeps the latest edition of each form for a short time. room is the
// size of all editions together, also of those that a request still reads.
type editionCache struct {
	room int64

	mu     sync.Mutex
	held   int64
	latest map[bool]*edition      // by [document.lines]
	busy   map[bool]chan struct{} // has one element while a request makes an edition
}

func newEditionCache(room int64) *editionCache {
	return &editionCache{room: room, latest: map[bool]*edition{},
		busy: map[bool]chan struct{}{false: make(chan struct{}, 1), true: make(chan struct{}, 1)}}
}

// acquire returns the latest edition if there was no change since, otherwise nil. The
// caller holds it until release.
func (p *editionCache) acquire(lines bool, head int64) *edition {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.latest[lines]
	if e == nil || e.head != head {
		return nil
	}
	e.holders++
	return e
}

// release gives an edition back.
func (p *editionCache) release(e *edition) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.releaseLocked(e)
}

// releaseLocked frees an edition without holders. p.mu is held.
func (p *editionCache) releaseLocked(e *edition) {
	if e.holders--; e.holders == 0 {
		p.held -= int64(len(e.pieces)) * pieceSize
		e.pieces = nil
	}
}

// publish makes e the latest edition. There must be no other.
func (p *editionCache) publish(lines bool, e *edition) {
	ctx, done := context.WithTimeout(context.Background(), maxEditionAge)
	stop := context.AfterFunc(ctx, func() { p.retire(lines, e) })
	e.expire = func() {
		stop()
		done()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	e.holders++
	p.latest[lines] = e
}

// retire removes an edition from the cache, or the latest if e is nil.
func (p *editionCache) retire(lines bool, e *edition) {
	p.mu.Lock()
	defer p.mu.Unlock()
	latest := p.latest[lines]
	if latest == nil || e != nil && latest != e {
		return
	}
	latest.expire()
	delete(p.latest, lines)
	p.releaseLocked(latest)
}

var errNoRoom = errors.New("umphttp: there is no room for the document in memory")

// editionWriter writes a new edition.
type editionWriter struct {
	*edition
	cache *editionCache
}

// Write appends to the edition.
func (w editionWriter) Write(data []byte) (n int, err error) {
	for n < len(data) {
		last := len(w.pieces) - 1
		if last < 0 || len(w.pieces[last]) == pieceSize {
			if !w.cache.grow() {
				return n, errNoRoom
			}
			w.pieces = append(w.pieces, make([]byte, 0, pieceSize))
			last++
		}
		more := min(len(data)-n, pieceSize-len(w.pieces[last]))
		w.pieces[last] = append(w.pieces[last], data[n:n+more]...)
		n += more
	}
	return n, nil
}

// grow reserves room for a piece.
func (p *editionCache) grow() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held+pieceSize > p.room {
		return false
	}
	p.held += pieceSize
	return true
}
