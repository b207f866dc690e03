package server

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/internal/fairqueue"
	"github.com/satchel-memory/satchel/memory"
)

// maxExports is how many exports run at once for the server's owner, and how many for all
// other owners together. Each holds a connection to the store as long as its client reads.
// Each other owner may run one. The same holds for pages that read a whole memory.
const maxExports = 3

// maxImports is how many bundles the server imports at once for its own owner, and how many
// for all other owners together. Each other owner may run one.
const maxImports = 4

// queueTime is how long an export or an import waits for its turn.
const queueTime = 20 * time.Second

// ownerTurns are turns at long work on the memories of owners. The server's owner and the
// other owners have turns of their own.
type ownerTurns struct {
	home        memory.DID
	own, others *fairqueue.Queue
}

func newOwnerTurns(home memory.DID, most int) *ownerTurns {
	return &ownerTurns{home, fairqueue.New(most, most), fairqueue.New(most, 1)}
}

func (o *ownerTurns) queueOf(owner memory.DID) *fairqueue.Queue {
	if owner == o.home {
		return o.own
	}
	return o.others
}

// wait waits for a turn of an owner, at most queueTime. ctx is that of a request: the request
// loses the turn if its client is slow while another owner waits.
func (o *ownerTurns) wait(ctx context.Context, owner memory.DID) (leave func(), ok bool) {
	ctx, done := context.WithTimeout(ctx, queueTime)
	defer done()
	return o.queueOf(owner).Wait(ctx, owner, endSlow(ctx))
}

// take is wait for an owner who does not wait for their own work: it is refused while that
// is under way.
func (o *ownerTurns) take(ctx context.Context, owner memory.DID) (leave func(), ok bool) {
	if o.queueOf(owner).Full(owner) {
		return nil, false
	}
	return o.wait(ctx, owner)
}

// endSlow returns a function that ends a request if its client is slow.
func endSlow(ctx context.Context) func() bool {
	if n, ok := ctx.Value(noteKey{}).(*note); ok && n.in != nil {
		return func() bool { return n.in.endIfSlow() || n.out.endIfSlow() }
	}
	return nil
}

// fairRate is how many bytes a second a client has to take or send, apart from a while at
// first, to keep its turn when other owners wait for one.
const fairRate = 256 << 10

// pace is how fast a client takes an answer, or sends a body. The time in which the server
// works does not count.
type pace struct {
	grace time.Duration // how far the client may be behind fairRate
	cut   func()        // ends what the server waits for

	mu     sync.Mutex
	bytes  int64
	behind time.Duration // how much longer its bytes took than at fairRate; what was faster before does not count
	since  time.Time     // when the server began to wait; zero: it does not
	ended  bool
}

// begin notes that the server waits for the client from now on. It fails once the client lost
// its turn.
func (p *pace) begin() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return os.ErrDeadlineExceeded
	}
	p.since = time.Now()
	return nil
}

// end notes that the server waits no longer, and how many bytes have passed. It reports
// whether the client lost its turn meanwhile.
func (p *pace) end(n int) (ended bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bytes += int64(n)
	p.behind = max(0, p.behind+time.Since(p.since)-time.Duration(n)*time.Second/fairRate)
	p.since = time.Time{}
	return p.ended
}

// endIfSlow ends the waiting for a slow client, and reports whether it did. While the server
// works, it ends nothing: the end of a read would reach net/http, which reads on behind the
// body and then cancels the request.
func (p *pace) endIfSlow() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.since.IsZero() {
		return false
	}
	if p.ended = p.behind+time.Since(p.since) > p.grace; p.ended {
		p.cut()
	}
	return p.ended
}
