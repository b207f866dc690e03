package e2e

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
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

// addOwners lets owners in. The program of another release is called for each of them; forty
// calls of this one would take longer than what the tests of clusters are about.
func (c *cluster) addOwners(n int) (actors []*actor) {
	c.Helper()
	if c.program != "" {
		for i := range n {
			var added struct{ Owner, Token string }
			c.must(json.Unmarshal([]byte(c.run("owner", "add", "--label", fmt.Sprint("owner", i), "--json")), &added))
			actors = append(actors, newActor(c, i, added.Owner, added.Token))
		}
		return actors
	}
	settings := map[string]string{"HOME": c.dir}
	for _, set := range c.settings {
		name, value, _ := strings.Cut(set, "=")
		settings[name] = value
	}
	a := &cli.App{Ctx: context.Background(), In: strings.NewReader(""), Out: io.Discard, Err: io.Discard, Now: time.Now, Env: func(name string) string { return settings[name] }}
	c.must(a.With(cli.Signing, func(o *cli.Session) error {
		for i := range n {
			key, err := keys.Generate(rand.Reader)
			if err != nil {
				return err
			}
			added, err := o.AddOwner(a.Ctx, o.Operator(), vault.AccountOrder{Key: key, Label: fmt.Sprint("owner", i)})
			if err == nil {
				err = o.Open(a.Ctx, added.Owner)
			}
			if err != nil {
				return err
			}
			token, _, err := o.MintToken(a.Ctx, memory.Caller{Owner: added.Owner, Role: memory.Owner}, vault.TokenOrder{Own: true, Expires: a.Now().Add(time.Hour), Name: "first"})
			if err != nil {
				return err
			}
			actors = append(actors, newActor(c, i, string(added.Owner), token))
		}
		return nil
	}))
	return actors
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
