package postgres

import (
	"context"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
)

// hears reports whether something is heard in time.
func hears(c <-chan struct{}, patience time.Duration) bool {
	select {
	case <-c:
		return true
	case <-time.After(patience):
		return false
	}
}

func silent(c <-chan struct{}) {
	for hears(c, 300*time.Millisecond) {
	}
}

// TestWatchOthers hears of what another server commits: by NOTIFY long before the
// next look, and by that look when the NOTIFY is lost, also of what the feed of
// changes does not tell.
func TestWatchOthers(t *testing.T) {
	url := made(t)
	lossy := &wire{change: func(s string) string { return strings.ReplaceAll(s, "pg_notify('satchel'", "pg_notify('lost'") }}
	other, mute := openSealed(t, url, secretOf), openSealed(t, lossy.through(t, url), secretOf)
	s := openSealed(t, url, secretOf)
	c, err := s.Watch(t.Context(), ada)
	must(t, err)
	within(t, 5*time.Second, "it listens", func() bool {
		update(t, other, func(w store.Writer) error { return w.SetMoved(time.Now().String()) })
		return hears(c, 100*time.Millisecond)
	})
	silent(c)
	for range 3 {
		time.Sleep(pollInterval / 3)
		update(t, mute, func(w store.Writer) error { return w.SetMoved(time.Now().String()) })
		start := time.Now()
		if !hears(c, 5*time.Second) || time.Since(start) > time.Second+pollInterval {
			t.Errorf("a lost NOTIFY was heard of after %v", time.Since(start))
		}
	}
	d, err := s.Watch(t.Context(), bob)
	must(t, err)
	silent(d)
	update(t, other, func(w store.Writer) error { return w.SetMoved("for another owner") })
	if hears(d, 2*pollInterval) {
		t.Error("heard of another owner's commit")
	}
}

// TestWatchRestart restarts the database under who watches.
func TestWatchRestart(t *testing.T) {
	server := pgtest.Start(t, pgtest.Options{Durable: true})
	url := server.Database(t)
	must(t, Init(t.Context(), url, Options{}))
	s, other := openSealed(t, url, secretOf), openSealed(t, url, secretOf)
	update(t, other, func(w store.Writer) error { return w.SetMoved("before") })
	c, err := s.Watch(t.Context(), ada)
	must(t, err)
	silent(c)
	must(t, server.Restart(pgtest.Immediate))
	within(t, 20*time.Second, "the database is back", func() bool {
		return other.Update(t.Context(), ada, func(w store.Writer) error { return w.SetMoved("after") }) == nil
	})
	if !hears(c, 10*time.Second) {
		t.Error("nothing is heard after a restart")
	}
	must(t, s.View(t.Context(), ada, func(r store.Reader) error {
		moved, err := r.Moved()
		if moved != "after" {
			t.Errorf("got %q", moved)
		}
		return err
	}))
}

// TestWatchRests sees that what listens ends when nobody watches, and comes back.
func TestWatchRests(t *testing.T) {
	s := openSealed(t, made(t), secretOf)
	ctx, cancel := context.WithCancel(t.Context())
	c, err := s.Watch(ctx, ada)
	must(t, err)
	cancel()
	within(t, time.Second, "the channel is closed", func() bool {
		select {
		case _, open := <-c:
			return !open
		default:
			return false
		}
	})
	listening := func() bool {
		s.watch.mu.Lock()
		defer s.watch.mu.Unlock()
		return s.watch.stop != nil
	}
	if !listening() {
		t.Error("nothing listens any more right away")
	}
	s.watch.rest(s.watch.visits)
	if listening() {
		t.Error("something listens for nobody")
	}
	c, err = s.Watch(t.Context(), ada)
	must(t, err)
	update(t, s, func(w store.Writer) error { return w.SetMoved("x") })
	if !listening() || !hears(c, time.Second) {
		t.Error("nothing is heard when somebody comes back")
	}
}

// TestNotify sees that a server tells others of a commit, and hears of it when told,
// each without the other.
func TestNotify(t *testing.T) {
	url := made(t)
	s := openSealed(t, url, secretOf)
	c, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer c.Close(t.Context())
	_, err = c.Exec(t.Context(), listen)
	must(t, err)
	update(t, s, func(w store.Writer) error { return w.SetMoved("x") })
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	told, err := c.WaitForNotification(ctx)
	must(t, err)
	id := idOf(ada)
	if want := hex.EncodeToString(id[:]); told.Payload != want {
		t.Errorf("others are told of %q, want %q", told.Payload, want)
	}
	heard, err := s.Watch(t.Context(), ada)
	must(t, err)
	within(t, 5*time.Second, "it listens", func() bool { return hears(heard, 100*time.Millisecond) })
	silent(heard)
	_, err = c.Exec(t.Context(), notify, []string{"nonsense", told.Payload})
	must(t, err)
	if !hears(heard, 5*time.Second) {
		t.Error("nothing is heard of what others tell")
	}
}

// TestWatchUnsealed hears of a commit that leaves the seal of the owner's row as it was,
// because the secret is not at hand by which it was made.
func TestWatchUnsealed(t *testing.T) {
	url := made(t)
	update(t, openSealed(t, url, secretOf), func(w store.Writer) error { return w.SetMoved("before") })
	lossy := &wire{change: func(s string) string { return strings.ReplaceAll(s, "pg_notify('satchel'", "pg_notify('lost'") }}
	mute, s := openSealed(t, lossy.through(t, url), nil), openSealed(t, url, nil)
	c, err := s.Watch(t.Context(), ada)
	must(t, err)
	silent(c)
	hears(c, 2*pollInterval) // that it listens
	update(t, mute, func(w store.Writer) error {
		_, err := w.Record(store.Change{At: noon, Type: store.Created, ID: "urn:a"})
		return err
	})
	if !hears(c, 5*time.Second) {
		t.Error("the commit was not heard of")
	}
}
