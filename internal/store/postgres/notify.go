package postgres

import (
	"context"
	"encoding/hex"
	"time"

	"github.com/jackc/pgx/v5"
)

// channel is the name of the channel on which processes tell each other of commits.
// The payload is the owner's id in hexadecimal.
const (
	listen = `LISTEN satchel`
	notify = `SELECT pg_notify('satchel', told.id) FROM unnest($1::text[]) AS told (id)`
)

// committed tells the watchers of this process and other processes of a commit.
func (w *watch) committed(id ownerID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.signalLocked(id)
	if w.over {
		return
	}
	w.pending[id] = true
	if !w.telling {
		w.telling = true
		w.s.short.note(0, 1)
		w.s.under.Go(w.tell)
	}
}

// tell notifies other processes until the queue is empty. It sends commits that came
// in meanwhile together. The polls of the other processes find commits whose NOTIFY
// failed.
func (w *watch) tell() {
	for ids := w.take(); len(ids) > 0; {
		w.notify(ids)
		ids = w.take()
		w.s.short.note(-1, min(len(ids), 1))
	}
}

// notify notifies other processes, over a connection that committed has claimed.
func (w *watch) notify(ids []string) {
	ctx, cancel := withTimeout(context.Background())
	defer cancel()
	w.s.await(ctx, w.s.short.claimShouldWait)
	c, err := w.s.pool.Acquire(ctx)
	w.s.short.note(1, -1)
	if err == nil {
		_, _ = c.Exec(ctx, notify, ids) // a lost NOTIFY loses nothing
		c.Release()
	}
}

// take returns the queued owners.
func (w *watch) take() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var ids []string
	for id := range w.pending {
		ids = append(ids, hex.EncodeToString(id[:]))
	}
	clear(w.pending)
	w.telling = len(ids) > 0
	return ids
}

// The shortest and longest wait before a new attempt to connect.
const (
	firstPause = 50 * time.Millisecond
	lastPause  = 5 * time.Second
)

// listen hears of commits until ctx ends, over a connection of its own. If the
// connection breaks, it makes another and signals all watchers.
func (w *watch) listen(ctx context.Context) {
	pause := firstPause
	for ctx.Err() == nil {
		heard := w.hear(ctx)
		if heard {
			pause = firstPause
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
		pause = min(2*pause, lastPause)
	}
}

// hear listens until the connection breaks and reports whether there was one.
func (w *watch) hear(ctx context.Context) bool {
	dialling, cancel := withTimeout(ctx)
	c, err := w.dial(dialling)
	cancel()
	if err != nil {
		return false
	}
	defer func() { _ = c.Close(context.WithoutCancel(ctx)) }() // it only listens
	w.signalAll()
	for {
		n, err := c.WaitForNotification(ctx)
		if err != nil {
			return true
		}
		var id ownerID
		if raw, err := hex.DecodeString(n.Payload); err == nil && len(raw) == len(id) {
			w.signal(ownerID(raw))
		}
	}
}

// dial makes the connection that listens.
func (w *watch) dial(ctx context.Context) (*pgx.Conn, error) {
	c, err := pgx.ConnectConfig(ctx, w.s.config.ConnConfig.Copy())
	if err != nil {
		return nil, err
	}
	if _, err := c.Exec(ctx, `SET ROLE `+applicationRole+`; `+listen); err != nil {
		_ = c.Close(ctx) // it is of no use
		return nil, err
	}
	return c, nil
}
