package server

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/memory"
)

// Finding is the result of one check of the store and its surroundings.
type Finding struct {
	Check, Message string
	OK             bool
	Remedy         string // what the owner can do about it; empty: there is nothing to do
	Mends          bool   // the examination can mend it without loss
}

// Fact is something about a store for its owner, and for those who help.
type Fact struct{ Name, Value string }

// Doctor examines a store and its surroundings.
type Doctor interface {
	// Examine says what is right and wrong. With mend it mends before what it can without
	// loss.
	Examine(ctx context.Context, mend bool) ([]Finding, error)
	// Facts describes the store. It is quick.
	Facts(ctx context.Context) []Fact
}

// checkups are the examinations of a server, one at a time. They run in the background.
type checkups struct {
	doctor Doctor // nil: nobody examines this store
	ctx    context.Context
	stop   context.CancelFunc
	under  sync.WaitGroup
	report func(error)

	mu   sync.Mutex
	last pages.Checkup
}

func newCheckups(o Options) *checkups {
	c := &checkups{doctor: o.Pages.Doctor, report: func(err error) { o.Log.Error("an examination of the pages failed", "error", err) }}
	c.ctx, c.stop = context.WithCancel(context.Background())
	return c
}

// Close ends an examination.
func (k *checkups) Close() {
	k.stop()
	k.under.Wait()
}

// begin examines in the background, unless that is under way.
func (k *checkups) begin(mend bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.last.Busy {
		return
	}
	k.last.Busy = true
	k.under.Go(func() {
		found, err := k.doctor.Examine(k.ctx, mend)
		k.end(found, err)
	})
}

func (k *checkups) end(found []Finding, err error) {
	if err != nil && k.ctx.Err() == nil {
		k.report(err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last = pages.Checkup{Ended: time.Now(), Failure: err}
	for _, f := range found {
		k.last.Findings = append(k.last.Findings, pages.Finding(f))
	}
}

// Checkup returns what the last examination found.
func (p ownerPages) Checkup(ctx context.Context, c memory.Caller) (pages.Checkup, error) {
	if c.Owner != p.operator {
		return pages.Checkup{}, notOperator()
	}
	p.checkups.mu.Lock()
	out := p.checkups.last
	p.checkups.mu.Unlock()
	out.Facts = []pages.Fact{{Name: "System", Value: runtime.GOOS + " " + runtime.GOARCH}}
	if p.checkups.doctor != nil {
		for _, f := range p.checkups.doctor.Facts(ctx) {
			out.Facts = append(out.Facts, pages.Fact(f))
		}
	}
	return out, nil
}

// notOperator refuses an owner who only keeps memories here: what is wrong with a store
// names files, and memories of others.
func notOperator() error {
	return &memory.Error{Kind: memory.ForbiddenScope, Op: "doctor", Message: "only the owner of the folder of this server sees its health"}
}

// Examine begins an examination.
func (p ownerPages) Examine(_ context.Context, c memory.Caller, mend bool) error {
	if c.Owner != p.operator {
		return notOperator()
	}
	if p.checkups.doctor == nil {
		return &memory.Error{Kind: memory.Unsupported, Op: "doctor", Message: "this server cannot examine its store"}
	}
	p.checkups.begin(mend)
	return nil
}
