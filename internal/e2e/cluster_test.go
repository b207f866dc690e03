package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
)

// cluster are several servers on one PostgreSQL that writes to disk what it
// acknowledges.
type cluster struct {
	*home
	database *pgtest.Server
	operator string // the URL of the user who owns the tables
	replicas []*replica
}

// newCluster makes a store in a database of its own and starts n servers on it.
func newCluster(t *testing.T, n int) *cluster { return newClusterOf(t, "", n) }

// newClusterOf is newCluster with the program of another release.
func newClusterOf(t *testing.T, program string, n int) *cluster {
	t.Helper()
	database := pgtest.Start(t, pgtest.Options{Durable: true})
	h := &home{TB: t, dir: t.TempDir(), program: program}
	url := database.Database(t)
	h.settings = []string{"SATCHEL_STORE=" + url, "SATCHEL_HOME=" + filepath.Join(h.dir, "operator")}
	h.run("init")
	h.settings[0] = "SATCHEL_STORE=" + pgtest.Program(t, url)
	c := &cluster{home: h, database: database, operator: url}
	for i := range n {
		c.launch(h, i)
	}
	return c
}

// launch starts a server of the cluster.
func (c *cluster) launch(h *home, i int) {
	c.Helper()
	r := &replica{home: h, name: fmt.Sprint("server ", i)}
	r.start()
	c.Cleanup(func() { r.kill() })
	c.replicas = append(c.replicas, r)
}

// addOwners lets owners in, several at a time.
func (c *cluster) addOwners(n int) []*actor {
	c.Helper()
	actors := make([]*actor, n)
	var wg sync.WaitGroup
	next := make(chan int)
	for range 8 {
		wg.Go(func() {
			for i := range next {
				actors[i] = c.addOwner(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
	if c.Failed() {
		c.FailNow()
	}
	return actors
}

func (c *cluster) addOwner(i int) *actor {
	out, errs, err := c.try("owner", "add", "--label", fmt.Sprint("owner", i), "--json")
	var added struct{ Owner, Token string }
	if err == nil {
		err = json.Unmarshal([]byte(out), &added)
	}
	if err != nil || added.Owner == "" || added.Token == "" {
		c.Errorf("owner add: %v\n%s%s", err, out, errs)
		return nil
	}
	return newActor(c, i, added.Owner, added.Token)
}

// replica is one server of several.
type replica struct {
	*home
	name string

	mu      sync.Mutex
	address string
	cmd     *exec.Cmd
	ended   chan struct{} // closed when the process has ended
}

// start starts the server on a free port and returns when it listens.
func (r *replica) start() {
	r.Helper()
	cmd := r.command("serve", "--addr", "127.0.0.1:0", "--rate", "1000", "--burst", "1000")
	errs, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		r.Fatal(err)
	}
	ended, listens := make(chan struct{}), make(chan string, 1)
	go func() {
		defer close(ended)
		said := ""
		for lines := bufio.NewScanner(errs); lines.Scan(); {
			if !strings.Contains(lines.Text(), " status=2") && !strings.Contains(lines.Text(), " status=404") {
				said += lines.Text() + "\n"
			}
			if _, rest, ok := strings.Cut(lines.Text(), "http://"); ok && len(listens) == 0 {
				address, _, _ := strings.Cut(rest, "/")
				listens <- address
			}
		}
		_ = cmd.Wait() // how it ends is each test's business
		if r.Failed() {
			r.Logf("%s said, last:\n%s", r.name, said[max(0, len(said)-20_000):])
		}
	}()
	select {
	case address := <-listens:
		r.mu.Lock()
		r.address, r.cmd, r.ended = address, cmd, ended
		r.mu.Unlock()
	case <-ended:
		r.Fatalf("%s does not start", r.name)
	case <-time.After(time.Minute):
		_ = cmd.Process.Kill()
		r.Fatalf("%s does not listen", r.name)
	}
}

// at returns where the server listens, or has listened.
func (r *replica) at() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.address
}

// kill ends the server as kill -9 does, and stop as a service manager does. Both
// return when it has ended.
func (r *replica) kill() { r.end(os.Kill) }
func (r *replica) stop() { r.end(syscall.SIGTERM) }

func (r *replica) end(how os.Signal) {
	r.mu.Lock()
	cmd, ended := r.cmd, r.ended
	r.mu.Unlock()
	if cmd == nil {
		return
	}
	_ = cmd.Process.Signal(how) // it may have ended already
	select {
	case <-ended:
	case <-time.After(time.Minute):
		r.Errorf("%s does not end", r.name)
		_ = cmd.Process.Kill()
	}
}
