package umphttp

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	// fresh is how long an edition is handed out at most, so that what ends by the
	// clock ends in it, too.
	fresh = 5 * time.Second
	// pieceSize is how much of an edition is written at once.
	pieceSize = 64 << 10
)

// edition is a public document as it was after a change. Whoever reads it, however
// slowly, takes nothing from the store and shares it with all who read the same.
type edition struct {
	head    int64 // number of that change
	pieces  [][]byte
	large   bool // there is no room for it
	holders int  // guarded by the press
	expire  func()
}

// press makes editions and keeps the latest of each form for a moment. All of
// them, those included that somebody still reads, have so much room.
type press struct {
	room int64

	mu     sync.Mutex
	held   int64
	latest map[bool]*edition      // by [document.lines]
	busy   map[bool]chan struct{} // has one element while an edition is made
}

func newPress(room int64) *press {
	return &press{room: room, latest: map[bool]*edition{},
		busy: map[bool]chan struct{}{false: make(chan struct{}, 1), true: make(chan struct{}, 1)}}
}

// take returns the latest edition if nothing has happened since, nil otherwise.
// It is held until [press.leave].
func (p *press) take(lines bool, head int64) *edition {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.latest[lines]
	if e == nil || e.head != head {
		return nil
	}
	e.holders++
	return e
}

// leave gives back an edition that was held.
func (p *press) leave(e *edition) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.release(e)
}

// release forgets an edition that nobody holds any more. p.mu is held.
func (p *press) release(e *edition) {
	if e.holders--; e.holders == 0 {
		p.held -= int64(len(e.pieces)) * pieceSize
		e.pieces = nil
	}
}

// publish makes an edition the latest, of which there is none.
func (p *press) publish(lines bool, e *edition) {
	ctx, done := context.WithTimeout(context.Background(), fresh)
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

// retire ends the time of an edition, or of the latest whichever it is when e is
// nil.
func (p *press) retire(lines bool, e *edition) {
	p.mu.Lock()
	defer p.mu.Unlock()
	latest := p.latest[lines]
	if latest == nil || e != nil && latest != e {
		return
	}
	latest.expire()
	delete(p.latest, lines)
	p.release(latest)
}

var errNoRoom = errors.New("umphttp: there is no room for the document in memory")

// edited is an edition that is being made.
type edited struct {
	*edition
	press *press
}

// Write adds to it.
func (w edited) Write(data []byte) (n int, err error) {
	for n < len(data) {
		last := len(w.pieces) - 1
		if last < 0 || len(w.pieces[last]) == pieceSize {
			if !w.press.grow() {
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

// grow takes room for a piece.
func (p *press) grow() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held+pieceSize > p.room {
		return false
	}
	p.held += pieceSize
	return true
}
