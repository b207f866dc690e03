package sqlite

import (
	"context"
	"errors"
	"sync"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/measure"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// View runs fn on a snapshot of owner's rows, see [store.Store].
func (s *Store) View(ctx context.Context, owner memory.DID, fn func(store.Reader) error) (err error) {
	ctx, call := s.meter.Transaction(ctx, measure.View)
	defer func() { call.End(err) }()
	return s.read(ctx, func(c *conn) error {
		x := &ownerTx{known: known{did: owner}, c: c, ctx: ctx, sealer: sync.OnceValue(func() *stored.Sealer { return s.sealer(owner) })}
		defer x.end()
		if c.known.did == owner {
			x.known = c.known
		} else if err := x.identify(); err != nil {
			return err
		}
		err := fn(newSession(x))
		if err == nil {
			c.known = x.known
		}
		return err
	})
}

// Owners lists the owners, see [store.Store].
func (s *Store) Owners(ctx context.Context) ([]memory.DID, error) {
	var dids []memory.DID
	err := s.read(ctx, func(c *conn) (err error) {
		dids, err = listOwners(c)
		return err
	})
	return dids, err
}

// read runs fn in a transaction that sees one snapshot and does not write, after any
// eraser that asks to go first.
func (s *Store) read(ctx context.Context, fn func(*conn) error) error {
	if err := s.eraserSignal.give(ctx); err != nil {
		return err
	}
	return s.readNow(ctx, fn)
}

// readNow is read for short reads.
func (s *Store) readNow(ctx context.Context, fn func(*conn) error) (err error) {
	growStack(1)
	c, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	broken := errPanic
	defer func() {
		if _, rollback := c.exec("ROLLBACK"); rollback != nil {
			broken = rollback
		}
		s.releaseReader(c, broken)
	}()
	if broken = s.begin(ctx, c, "BEGIN"); broken != nil {
		return translate("read", broken)
	}
	err = fn(c)
	broken = nil
	return err
}

// growStack makes the stack of a new goroutine large enough for SQLite at once. Otherwise it
// grows step by step, and each step copies the frames of all callers.
//
//go:noinline
func growStack(at int) byte {
	var room [needsStack]byte
	room[at] = 1
	return room[0]
}

// needsStack is how many bytes of stack SQLite takes.
const needsStack = 16 << 10

// begin starts a transaction and takes the snapshot. If another connection has changed the
// file since the last transaction, it checks the schema: another process may have migrated
// the store.
func (s *Store) begin(ctx context.Context, c *conn, how string) error {
	return persist(ctx, s.opt.BusyTimeout, func() error {
		if _, err := c.exec(how); err != nil {
			return err
		}
		version, err := dataVersion(c)
		if err == nil && version != c.version {
			c.known = known{}
			if err = s.acceptSchema(c); err == nil {
				c.version = version
			}
		}
		if err != nil {
			_, rollback := c.exec("ROLLBACK")
			err = errors.Join(err, rollback)
		}
		return err
	})
}

// acceptSchema refuses a file that a newer release has migrated.
func (s *Store) acceptSchema(c *conn) error {
	var version int
	err := c.first("PRAGMA user_version", nil, &version)
	if err == nil && version > s.schema {
		err = header{application: applicationID, version: version}.acceptable(s.schema)
	}
	return err
}

// acquire takes a reader's connection, and opens one if none is idle.
func (s *Store) acquire(ctx context.Context) (*conn, error) {
	select {
	case <-s.closing:
		return nil, closed("read")
	default:
	}
	if err := s.takeSlot(ctx); err != nil {
		return nil, err
	}
	if c := s.idle.take(); c != nil {
		return c, nil
	}
	c, err := dialPatiently(ctx, s.reading, s.opt.BusyTimeout)
	if err != nil {
		s.readers <- struct{}{}
	}
	return c, err
}

// takeSlot takes a reader's slot, and waits for one.
func (s *Store) takeSlot(ctx context.Context) error {
	var ok bool
	select {
	case _, ok = <-s.readers:
	default:
		defer s.waits.begin()()
		select {
		case _, ok = <-s.readers:
		case <-ctx.Done():
			return ctx.Err()
		case <-s.closing:
		}
	}
	if !ok {
		return closed("read")
	}
	return nil
}

// releaseReader gives a connection back, or closes it if it may be broken.
func (s *Store) releaseReader(c *conn, err error) {
	if err != nil {
		_ = c.close() // it cannot be used again
	} else {
		s.idle.put(c)
	}
	s.readers <- struct{}{}
}

// idle holds the unused connections. The last used is taken first: its pages are
// warm, and a caller that makes one read after the other fills the memory of one
// connection only.
type idle struct {
	mu    sync.Mutex
	conns []*conn
}

func (i *idle) put(c *conn) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.conns = append(i.conns, c)
}

// size returns how many connections there are.
func (i *idle) size() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return len(i.conns)
}

// take returns a connection, nil if there is none.
func (i *idle) take() *conn {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.conns) == 0 {
		return nil
	}
	last := len(i.conns) - 1
	c := i.conns[last]
	i.conns = i.conns[:last]
	return c
}
