package e2e

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
)

// pace is how much a load is: it ends after a time, or after so many works before.
type pace struct {
	lasts  time.Duration
	owners int
	works  int64         // 0: as many as there is time for
	rest   time.Duration // of an owner between two works
}

// loaded is the pace of a load. In the short form all owners work at once without a rest until so
// many works are done, or rest while servers fail: those then have hundreds of calls at hand.
func loaded(short pace) pace {
	switch os.Getenv("SATCHEL_LONG") {
	case "":
		return short
	case "soak":
		return pace{lasts: 10 * time.Minute, owners: 10_000}
	}
	return pace{lasts: time.Minute, owners: 200}
}

// load is what goes on in a test: owners at work, some of whom are followed.
type load struct {
	*cluster
	caller    *caller
	actors    []*actor
	followers []*follower
	wg        sync.WaitGroup
}

const (
	atWork   = 64  // how many owners work at once
	followed = 100 // how many are followed at most
)

// begin lets the owners of a cluster work for a while.
func begin(c *cluster, p pace) *load {
	c.Helper()
	l := &load{cluster: c, caller: newCaller(c), actors: c.addOwners(p.owners)}
	for i := 0; i < p.owners; i += max(10, p.owners/followed) {
		l.followers = append(l.followers, l.actors[i].follow())
	}
	for _, f := range l.followers {
		f.listening(c)
	}
	end := time.Now().Add(p.lasts)
	var begun atomic.Int64
	for n := range min(atWork, p.owners) {
		l.wg.Go(func() {
			for i := n; time.Now().Before(end) && (begun.Add(1) <= p.works || p.works == 0); i = rand.IntN(p.owners) {
				if err := l.actors[i].work(l.caller, l.actors); err != nil {
					c.Error(err)
					return
				}
				time.Sleep(p.rest)
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
	begin(newCluster(t, 3), loaded(pace{lasts: 6 * time.Second, owners: 40, works: 1000})).finish()
}

// TestReplicasFail lets everything fail that can, while owners work: servers are killed and
// stopped, the database restarts, its connections are slow and break, and a replica takes its
// place. One server names both databases, one has an address that moves with the database, and
// one a PgBouncer in session mode before that address. Clients are told to come back, and when
// they do, nothing that was acknowledged is lost and nothing was done twice; who follows the
// changes hears of each once, in order. Servers that lived through it hold no more memory and
// connections than before.
func TestReplicasFail(t *testing.T) {
	load := loaded(pace{lasts: 6 * time.Second, owners: 40, rest: 100 * time.Millisecond})
	c := newClusterOf(t, "", 0)
	standby := c.database.Standby(t)
	between := newProxy(t, c.database.Address())
	c.places(standby, between)
	l := begin(c, load)
	l.caller.forgiving.Store(true)
	step := load.lasts / 12
	var before footprint
	for _, phase := range []struct {
		what string
		do   func()
	}{
		{"undisturbed", func() { time.Sleep(step); before = l.footprint(c.database) }},
		{"a server is killed", func() { l.replicas[0].kill(); time.Sleep(step); l.replicas[0].start() }},
		{"the database restarts", func() { l.must(c.database.Restart(pgtest.Immediate)) }},
		{"a server is replaced", func() { l.replicas[1].stop(); l.replicas[1].start() }},
		{"connections are slow and break", func() { between.spoil(true); time.Sleep(2 * step); between.spoil(false) }},
		{"a replica takes over", func() { l.must(c.database.FailOver(standby)); between.move(standby.Address()) }},
		{"undisturbed again", func() { time.Sleep(2 * step) }},
	} {
		time.Sleep(step / 2)
		t.Logf("%7d calls: %s", l.caller.calls.Load(), phase.what)
		phase.do()
	}
	l.wg.Wait()
	after := l.footprint(standby)
	l.finish()
	for what, n := range l.caller.kinds {
		t.Logf("%6d × %s", n, what)
	}
	t.Logf("%d connections were cut; the server that lived through all of it: %v, then %v", between.cuts.Load(), before, after)
	if l.caller.kinds["no answer"] == 0 {
		t.Errorf("clients noticed nothing of what failed: %v", l.caller.kinds)
	}
	if after.resident > before.resident*3/2+32<<20 || after.connections > before.connections+10 {
		t.Errorf("it grew from %v to %v", before, after)
	}
	for _, f := range l.followers {
		if f.streams < 2 {
			t.Errorf("%s was never cut off", f.actor.name)
		}
	}
}

// places starts a server for each way to find a database that moves.
func (c *cluster) places(standby *pgtest.Server, between *proxy) {
	c.Helper()
	program := strings.TrimPrefix(c.settings[0], "SATCHEL_STORE=")
	u, err := url.Parse(program)
	c.must(err)
	both := *u
	both.Host = c.database.Address() + "," + standby.Address()
	both.RawQuery += "&target_session_attrs=read-write"
	moving := *u
	moving.Host = between.address()
	c.settings[0] = "SATCHEL_STORE=" + both.String() // for commands
	for i, place := range []string{both.String(), moving.String(), bouncer(c.TB, program, between.address())} {
		h := *c.home
		h.settings = append([]string{"SATCHEL_STORE=" + place}, c.settings[1:]...)
		c.launch(&h, i)
	}
}

func (h *home) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

// footprint is what the last server takes: no phase ends it.
type footprint struct {
	resident    int64 // bytes of memory
	connections int   // of all programs to the database
}

func (f footprint) String() string {
	return fmt.Sprintf("%d MiB, %d connections of all", f.resident>>20, f.connections)
}

func (l *load) footprint(database *pgtest.Server) (f footprint) {
	l.Helper()
	r := l.replicas[len(l.replicas)-1]
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", r.cmd.Process.Pid))
	if err == nil {
		_, rest, _ := strings.Cut(string(status), "VmRSS:")
		_, err = fmt.Sscan(rest, &f.resident)
		f.resident <<= 10
	}
	l.must(err)
	said := pgtest.Query(l.TB, database.URL(), `SELECT count(*)::text FROM pg_stat_activity WHERE application_name = 'satchel'`)
	_, err = fmt.Sscan(said[0], &f.connections)
	l.must(err)
	return f
}
