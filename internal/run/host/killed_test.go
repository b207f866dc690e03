package host_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
)

// TestKilled kills servers at random and at chosen moments of runs: as soon as a request has
// arrived at a model or a tool, once a tool has acted and not answered, while a function runs,
// and at any other time. Another one, or the same one started again, goes on. Tools that
// honour idempotency keys have one effect for each call, and the answer is that of an
// undisturbed run. Other tools are called at most once for each call; where the answer was
// lost the model is told so.
//
// SQLite has one program, which is started again; PostgreSQL has two servers.
// SATCHEL_LONG makes it 200 kills on each.
func TestKilled(t *testing.T) {
	racing.Skip(t)
	t.Parallel()
	kills := 6
	if os.Getenv("SATCHEL_LONG") != "" {
		kills = 200
	}
	vaulttest.OnEach(t, func(t *testing.T, house vaulttest.Opener) {
		t.Parallel()
		w := openWorld(t, house(t), time.Second, turns())
		k := &killer{world: w, alone: w.Path != "", agents: []string{mixed, honouring}}
		k.more()
		if !k.alone {
			k.more()
		}
		for range kills {
			k.once()
		}
		w.on(nil)
		w.until("all runs have ended", func() bool { return len(k.going()) == 0 })
		w.killAll()
		said := w.settled(k.ids)
		if said.interrupted == 0 || kills >= 100 && (said.unknown == 0 || said.acted == 0 || said.acted == said.unknown || said.again == 0) {
			t.Errorf("what is to be shown did not happen: %s", said)
		}
		t.Logf("%d kills, at %v: %s", kills, k.at, said)
	})
}

// killer kills servers, and starts others in their place.
type killer struct {
	*world
	alone  bool
	agents []string // whose runs go on
	n      int      // servers started so far
	ids    []string
	open   []string
	kills  int
	at     map[string]int
}

// more starts a server.
func (k *killer) more() {
	k.n++
	k.serve(fmt.Sprint("p", k.n), func(o *orders) { o.Continues = k.alone })
}

// going returns the runs that have not ended.
func (k *killer) going() []string {
	var open []string
	for _, id := range k.open {
		if !k.get(id).Status.Ended() {
			open = append(open, id)
		}
	}
	k.open = open
	return open
}

// chosen are the moments at which servers are killed; "": after some time.
func chosen() []string {
	return []string{"arrived pay", "done book", "", "done pay", "arrived model", "file", "arrived book", "done model", "", "arrived look"}
}

// once kills a server while runs go on.
func (k *killer) once() {
	for n := len(k.going()); n < 4; n++ {
		id := k.begin(k.agents[len(k.ids)%len(k.agents)])
		k.ids, k.open = append(k.ids, id), append(k.open, id)
	}
	all := chosen()
	when := all[k.kills%len(all)]
	if k.kills++; k.at == nil {
		k.at = map[string]int{}
	}
	if !k.killedAt(when) { // no such moment came
		when = ""
		k.killedAt(when)
	}
	k.at[when]++
	k.more()
}

// killedAt kills a server at a moment, and reports whether the moment came.
func (k *killer) killedAt(when string) bool {
	const patience = 3 * time.Second
	switch when {
	case "":
		time.Sleep(rand.N(700 * time.Millisecond))
		return k.anyOf()
	case "file":
		before := len(k.lines())
		for start := time.Now(); time.Since(start) < patience; time.Sleep(time.Millisecond) {
			if len(k.lines()) > before {
				return k.anyOf()
			}
		}
		return false
	}
	victim := make(chan string, 1)
	skip, fired := rand.N(3), false // skip: of the requests that could be it
	var mu sync.Mutex
	k.on(func(m moment, s seen) bool {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case fired || string(m)+" "+s.what != when:
		case skip > 0:
			skip--
		case k.kill(s.who): // a request of one that is dead already counts for nothing
			fired = true
			victim <- s.who
			return m == arrived && rand.N(2) == 0
		}
		return false
	})
	defer k.on(nil)
	select {
	case <-victim:
		return true
	case <-time.After(patience):
		mu.Lock()
		defer mu.Unlock()
		missed := !fired
		fired = true
		return !missed
	}
}

// anyOf kills one of the servers.
func (k *killer) anyOf() bool {
	names := k.names()
	return k.kill(names[rand.N(len(names))])
}
