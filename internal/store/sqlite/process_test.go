package sqlite

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// helperEnv names what a process of this test program does instead of testing.
const helperEnv = "SATCHEL_SQLITE_HELPER"

func TestMain(m *testing.M) {
	if job := os.Getenv(helperEnv); job != "" {
		if err := help(job, os.Args[1], os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// help is the other process: it does a job with the store at path.
func help(job, path string, args []string) error {
	switch job {
	case "write":
		return helpWrite(path, args[0], args[1])
	case "fill":
		return helpFill(path)
	case "locked":
		return helpLocked(path)
	case "modes":
		return helpModes(path)
	case "erase":
		return helpErase(path, args[0], args[1])
	case "hold":
		return helpHold(path, args[0])
	case "overlap":
		return helpOverlap(path)
	case "backup":
		return helpBackup(path)
	case "announce":
		return helpAnnounce(path)
	}
	return fmt.Errorf("no such job: %s", job)
}

// helper is a command that runs help in another process.
func helper(t testing.TB, job, path string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{path}, args...)...)
	cmd.Env = append(os.Environ(), helperEnv+"="+job)
	cmd.Stderr = os.Stderr
	return cmd
}

// helpWrite inserts count rows, 0: no end, and names each on standard output
// once it is acknowledged.
func helpWrite(path, name, count string) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	ctx := context.Background()
	s, err := Open(ctx, path, Options{})
	if err != nil {
		return err
	}
	for i := 0; i < n || n == 0; i++ {
		id := memory.ID(fmt.Sprintf("urn:ump:%s-%d", name, i))
		if err := s.Update(ctx, ada, func(w store.Writer) error { return insertSmall(w, id) }); err != nil {
			return err
		}
		fmt.Println(id)
	}
	return s.Close()
}

func small(id memory.ID) store.Row {
	return store.Row{ID: id, Origin: []byte(strings.Repeat("x", 500)), Columns: store.Columns{
		Kind: memory.Semantic, Status: memory.Active, Visibility: memory.Private, Created: birth,
	}}
}

func insertSmall(w store.Writer, id memory.ID) error {
	if _, err := w.Insert(small(id), store.Document{Terms: map[string]int{"word": 1, string(id): 1}, Length: 2}, store.Links{}); err != nil {
		return err
	}
	_, err := w.Record(store.Change{At: birth, Type: store.Created, ID: id})
	return err
}

// TestProcesses lets eight processes make a store and write into it at once.
func TestProcesses(t *testing.T) {
	racing.Skip(t)
	const processes, each = 8, 200
	path := filepath.Join(t.TempDir(), "new", "satchel.db")
	var wg sync.WaitGroup
	acknowledged := make([][]memory.ID, processes)
	slowest := make([]time.Duration, processes)
	for n := range processes {
		cmd := helper(t, "write", path, fmt.Sprint("p", n), fmt.Sprint(each))
		wg.Go(func() {
			var err error
			if acknowledged[n], slowest[n], err = collect(cmd, func() bool { return false }); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for n, ids := range acknowledged {
		if len(ids) != each {
			t.Errorf("process %d: %d writes acknowledged, want %d", n, len(ids), each)
		}
	}
	t.Log("longest wait for one write, per process:", slowest)
	s := open(t, path)
	present(t, s, acknowledged...)
	sound(t, s)
}

// collect starts a command, reads the ids it prints until it ends, and kills it
// once enough says so.
func collect(cmd *exec.Cmd, enough func() bool) (ids []memory.ID, slowest time.Duration, err error) {
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, 0, err
	}
	if err := cmd.Start(); err != nil {
		return nil, 0, err
	}
	last := time.Now()
	for in := bufio.NewReader(out); ; {
		line, err := in.ReadString('\n')
		if err == io.EOF {
			break // what is not a whole line was not acknowledged
		}
		ids = append(ids, memory.ID(strings.TrimSpace(line)))
		if len(ids) > 1 {
			slowest = max(slowest, time.Since(last))
		}
		last = time.Now()
		if enough() {
			_ = cmd.Process.Kill()
		}
	}
	return ids, slowest, cmd.Wait()
}

// present expects every acknowledged row in the store, and the feed without gaps.
func present(t testing.TB, s *Store, acknowledged ...[]memory.ID) {
	t.Helper()
	err := s.View(t.Context(), ada, func(r store.Reader) error {
		for _, ids := range acknowledged {
			for _, id := range ids {
				if _, err := r.Row(id); err != nil {
					t.Errorf("%s was acknowledged: %v", id, err)
				}
			}
		}
		changes, err := r.Changes(0, 1<<20)
		for i, c := range changes {
			if c.Sequence != int64(i+1) {
				t.Fatalf("change %d has number %d", i+1, c.Sequence)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestTurns has one process write with sixteen goroutines without a pause, and
// expects another, which writes now and then, to get its turn.
func TestTurns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "satchel.db")
	busy := open(t, path)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for g := range 16 {
		wg.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				id := memory.ID(fmt.Sprintf("urn:ump:busy%d-%d", g, n))
				if err := busy.Update(context.Background(), ada, func(w store.Writer) error { return insertSmall(w, id) }); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	ids, slowest, err := collect(helper(t, "write", path, "calm", "100"), func() bool { return false })
	close(stop)
	wg.Wait()
	if err != nil || len(ids) != 100 {
		t.Errorf("%d writes acknowledged, %v", len(ids), err)
	}
	count := 0
	must(t, busy.View(t.Context(), ada, func(r store.Reader) (err error) {
		count, err = r.Count(store.Filter{})
		return err
	}))
	t.Logf("%d writes of the busy process meanwhile; the calm one waited %v at most", count-100, slowest)
	if count > 100*maxBatch*4 {
		t.Errorf("the busy process wrote %d rows meanwhile", count-100)
	}
	present(t, busy, ids)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestKill kills writing processes in the middle, again and again, while others
// go on.
func TestKill(t *testing.T) {
	racing.Skip(t)
	path := filepath.Join(t.TempDir(), "satchel.db")
	s := open(t, path)
	var acknowledged []memory.ID
	for round := range 12 {
		var wg sync.WaitGroup
		found := make([][]memory.ID, 3)
		for n := range found {
			cmd := helper(t, "write", path, fmt.Sprintf("r%d-%d", round, n), "0")
			left := 5 + 17*(round+n)%60
			wg.Go(func() {
				found[n], _, _ = collect(cmd, func() bool { left--; return left <= 0 }) // it ends by a signal
			})
		}
		id := memory.ID(fmt.Sprintf("urn:ump:self-%d", round))
		update(t, s, func(w store.Writer) error { return insertSmall(w, id) })
		wg.Wait()
		acknowledged = append(acknowledged, id)
		for _, ids := range found {
			if len(ids) == 0 {
				t.Fatal("a process was killed before it acknowledged anything")
			}
			acknowledged = append(acknowledged, ids...)
		}
		present(t, s, acknowledged)
	}
	t.Logf("%d writes acknowledged by %d processes that were killed", len(acknowledged), 36)
	sound(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	present(t, open(t, path), acknowledged)
}

// TestKillAll kills the only process, so that the next one recovers the log.
func TestKillAll(t *testing.T) {
	racing.Skip(t)
	path := filepath.Join(t.TempDir(), "satchel.db")
	var acknowledged []memory.ID
	for round := range 10 {
		left := 1 + 23*round
		ids, _, _ := collect(helper(t, "write", path, fmt.Sprint("r", round), "0"), // it ends by a signal
			func() bool { left--; return left <= 0 })
		acknowledged = append(acknowledged, ids...)
		s := open(t, path)
		present(t, s, acknowledged)
		sound(t, s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
