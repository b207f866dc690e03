package postgres

import (
	"context"
	"encoding/binary"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Every output that carries an owner's data is written under an advisory lock of the
// owner. Writers share the lock, and an eraser waits to hold it alone. All writes of
// this process take their locks over one dedicated connection, which counts them. So
// a write never waits for a connection of the pool, all of which other writers may
// hold. Taking the lock and reading the owner's number of erasures is one round trip;
// no caller waits for the release of the lock. A second lock of the owner is a door:
// writers pass through it, and an eraser closes it, so that writes cannot overlap
// without end. In a cluster both are locks of the coordinator, whichever node the
// program is connected to.
//
// The number of erasures is owners.began: an erasure counts as a change, so that the
// number rises with each. If the connection breaks, its locks are gone, and an eraser
// does not wait for the writes of that moment. Later writes take a lock again.

// exportLock is that connection.
type exportLock struct {
	s    *Store
	turn chan struct{} // holds a value while a goroutine uses the fields below
	c    *pgx.Conn     // nil: none yet, or it broke
}

func newExportLock(s *Store) *exportLock { return &exportLock{s: s, turn: make(chan struct{}, 1)} }

// Erasures returns the owner's number of erasures, see [store.Gatekeeper].
func (s *Store) Erasures(ctx context.Context, owner memory.DID) (int64, error) {
	number, _, _, err := s.exportLock.ask(ctx, idOf(owner), false)
	return number, err
}

// Emit calls write while no erasure runs, see [store.Gatekeeper].
func (s *Store) Emit(ctx context.Context, owner memory.DID, erasures int64, write func() error) error {
	id := idOf(owner)
	for pause := shortGlance; ; pause = min(2*pause, longGlance) {
		now, held, c, err := s.exportLock.ask(ctx, id, true)
		if err != nil {
			return err
		}
		if held {
			defer s.exportLock.free(c, id)
		}
		switch {
		case now != erasures:
			return store.ErrErased
		case held:
			return write()
		}
		if err := rest(ctx, pause); err != nil {
			return err
		}
	}
}

// Silence waits for running writes, see [store.Gatekeeper].
func (s *Store) Silence(ctx context.Context, owner memory.DID) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	conn, err := s.acquireFrom(ctx, s.locks)
	if err != nil {
		return (&ownerTx{ctx: ctx}).refused(err)
	}
	t := &tx{conn: conn, store: s}
	defer t.end()
	id, alone := idOf(owner), false
	if err := t.send(ctx, "erase", statement{query: beginUpdate}, statement{query: closeDoor, args: []any{doorOf(id)}}); err != nil {
		return err
	}
	for pause := shortGlance; ; pause = min(2*pause, longGlance) {
		look := statement{query: tryAlone, args: []any{lockOf(id)}, scan: func(rows pgx.Rows) error { return rows.Scan(&alone) }}
		if err := t.send(ctx, "erase", look); err != nil || alone {
			return err
		}
		if err := rest(ctx, pause); err != nil {
			return err
		}
	}
}

// The shortest and longest wait before another attempt to lock.
const (
	shortGlance = time.Millisecond
	longGlance  = 20 * time.Millisecond
)

func rest(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// lockOf and doorOf return the numbers of an owner's advisory locks. Owners with
// equal numbers sometimes wait for each other, and lose nothing else.
func lockOf(id ownerID) int64 { return int64(binary.BigEndian.Uint64(id[8:])) }

func doorOf(id ownerID) int64 { return int64(binary.BigEndian.Uint64(id[:8])) }

const (
	shareLock = `SELECT CASE WHEN pg_try_advisory_xact_lock_shared($1) THEN pg_try_advisory_lock_shared($2) ELSE false END`
	freeLock  = `SELECT pg_advisory_unlock_shared($1)`
	closeDoor = `SELECT pg_advisory_xact_lock($1)`
	tryAlone  = `SELECT pg_try_advisory_xact_lock($1)`

	selectErasures = `SELECT began FROM owners WHERE owner = $1`
)

// ask reads the number of an owner's erasures, after it took the shared lock if lock
// is set. held says whether it got the lock, and c on which connection; if not, an
// eraser holds it.
func (o *exportLock) ask(ctx context.Context, id ownerID, lock bool) (number int64, held bool, c *pgx.Conn, err error) {
	if err := o.enter(ctx); err != nil {
		return 0, false, nil, err
	}
	defer o.leave()
	// The caller's context may end meanwhile. Cancelling the query would close the
	// connection, and with it release the locks of all other writers.
	within, cancel := withTimeout(context.WithoutCancel(ctx))
	defer cancel()
	for attempt := 0; ; attempt++ {
		number, held, err = o.askOnce(within, id, lock)
		if err == nil || attempt > 0 || o.c != nil {
			break
		}
	}
	if err != nil {
		return 0, false, nil, (&ownerTx{ctx: ctx}).refused(err)
	}
	return number, held, o.c, nil
}

// askOnce is ask on the current connection. It takes the lock before it reads the
// number, so that no erasure comes between.
func (o *exportLock) askOnce(ctx context.Context, id ownerID, lock bool) (number int64, held bool, err error) {
	if err := o.connect(ctx); err != nil {
		return 0, false, err
	}
	steps := []step{{text: beginUpdate}}
	if lock {
		steps = append(steps, step{name: shareStatement, args: [][]byte{whole(doorOf(id)), whole(lockOf(id))}, read: func(raw [][]byte) error {
			held = raw[0][0] != 0
			return nil
		}})
	}
	steps = append(steps, step{text: setOwner + id.String() + "'"},
		step{name: erasedStatement, args: [][]byte{id[:]}, read: func(raw [][]byte) error {
			number = int64(binary.BigEndian.Uint64(raw[0]))
			return nil
		}}, step{text: commit})
	if err := pipe(ctx, o.c, steps...); err != nil {
		o.drop()
		return 0, false, err
	}
	return number, held, nil
}

// enter waits for the use of the connection.
func (o *exportLock) enter(ctx context.Context) error {
	select {
	case o.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if o.s.isClosing() {
		o.leave()
		return closed("use store")
	}
	return nil
}

func (o *exportLock) leave() { <-o.turn }

// connect makes the connection if there is none.
func (o *exportLock) connect(ctx context.Context) (err error) {
	if o.c != nil && !o.c.IsClosed() {
		return nil
	}
	o.drop()
	config := o.s.config.ConnConfig.Copy()
	if o.s.locks != o.s.pool {
		if _, err := o.s.toCoordinator(ctx, config); err != nil {
			return err
		}
	}
	c, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	if err := o.s.furnish(ctx, c); err != nil {
		_ = c.Close(ctx) // it cannot be used
		return err
	}
	o.c = c
	return nil
}

// drop closes the connection, and so releases all its locks.
func (o *exportLock) drop() {
	if o.c != nil {
		ctx, cancel := context.WithTimeout(context.Background(), rollbackTimeout)
		defer cancel()
		_ = o.c.Close(ctx) // it is no longer needed
	}
	o.c = nil
}

// free releases a lock that was taken on c. No caller waits for that.
func (o *exportLock) free(c *pgx.Conn, id ownerID) {
	go func() {
		o.turn <- struct{}{}
		defer o.leave()
		if o.c == nil || o.c != c {
			return // the lock ended with its connection
		}
		ctx, cancel := withTimeout(context.Background())
		defer cancel()
		if pipe(ctx, o.c, step{name: freeStatement, args: [][]byte{whole(lockOf(id))}}) != nil {
			o.drop()
		}
	}()
}

// end closes the connection.
func (o *exportLock) end() {
	o.turn <- struct{}{}
	defer o.leave()
	o.drop()
}
