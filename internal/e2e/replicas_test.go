package e2e

import (
	"os"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
)

// loaded is how long the load lasts, and with how many owners.
func loaded() (time.Duration, int) {
	if os.Getenv("SATCHEL_LONG") != "" {
		return time.Minute, 200
	}
	return 6 * time.Second, 40
}

// load is what goes on in a test: owners at work, some of whom are followed.
type load struct {
	*cluster
	caller    *caller
	actors    []*actor
	followers []*follower
	wg        sync.WaitGroup
}

// begin lets the owners work for a while on three servers.
func begin(t *testing.T, lasts time.Duration, owners int) *load {
	t.Helper()
	return beginOn(newCluster(t, 3), lasts, owners)
}

func beginOn(c *cluster, lasts time.Duration, owners int) *load {
	c.Helper()
	l := &load{cluster: c, caller: newCaller(c), actors: c.addOwners(owners)}
	for i := 0; i < owners; i += 10 {
		l.followers = append(l.followers, l.actors[i].follow())
	}
	for _, f := range l.followers {
		f.listening(c)
	}
	end := time.Now().Add(lasts)
	for _, a := range l.actors {
		l.wg.Go(func() {
			if err := a.work(l.caller, l.actors, end); err != nil {
				c.Error(err)
			}
		})
	}
	return l
}

// finish waits for the owners and looks at what they were told and what is
// stored.
func (l *load) finish() {
	l.Helper()
	l.wg.Wait()
	for _, f := range l.followers {
		for i, err := range f.settle() {
			if i < 5 {
				l.Error(err)
			}
		}
	}
	if l.Failed() {
		return
	}
	records := 0
	for _, a := range l.actors {
		records += len(a.facts)
		if err := a.audit(l.caller); err != nil {
			l.Error(err)
		}
	}
	if out, errs, err := l.try("doctor", "--all"); err != nil {
		l.Errorf("doctor: %v\n%s%s", err, out, errs)
	}
	l.Logf("%d calls, %d repeated; %d records of %d owners are all there", l.caller.calls.Load(), l.caller.repeated.Load(), records, len(l.actors))
}

// TestReplicas has many owners work through three servers on one database at
// once. Nothing fails, nobody sees anything of another, and all that was
// acknowledged is there, once.
func TestReplicas(t *testing.T) {
	lasts, owners := loaded()
	begin(t, lasts, owners).finish()
}

// TestReplicasFail kills a server, has the database fail, and stops another server
// as an upgrade does, while owners work. Clients are told to come back, and when
// they do, nothing that was acknowledged is lost and nothing was done twice; who
// follows the changes hears of each once, in order.
func TestReplicasFail(t *testing.T) {
	lasts, owners := loaded()
	l := begin(t, lasts, owners)
	l.caller.forgiving.Store(true)
	step := lasts / 6
	time.Sleep(step)
	l.replicas[0].kill()
	time.Sleep(step)
	if err := l.database.Restart(pgtest.Immediate); err != nil {
		t.Fatal(err)
	}
	time.Sleep(step)
	l.replicas[0].start()
	l.replicas[1].stop()
	time.Sleep(step)
	l.replicas[1].start()
	l.finish()
	for what, n := range l.caller.kinds {
		t.Logf("%6d × %s", n, what)
	}
	if l.caller.kinds["no answer"] == 0 || len(l.caller.kinds) < 2 {
		t.Errorf("clients noticed nothing of what failed: %v", l.caller.kinds)
	}
	for _, f := range l.followers {
		if f.streams < 2 {
			t.Errorf("%s was never cut off", f.actor.name)
		}
	}
}
