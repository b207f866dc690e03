package carry_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/store/carry"
	"github.com/satchel-memory/satchel/internal/store/postgres"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
)

// moverEnv names the stores that this process is to move between, when it is one of
// those that are killed.
const moverEnv = "SATCHEL_TEST_MOVE"

// helpMove moves, telling of every page, until it is killed.
func helpMove(t *testing.T, from, to string) {
	_, err := carry.Move(context.Background(), openNamed(t, from), openNamed(t, to), carry.Options{
		Where: "there", Batch: 20, Progress: func(carry.Progress) { fmt.Println("page") },
	})
	must(t, err)
	fmt.Println("moved")
}

// openNamed opens a store by its path or its URL.
func openNamed(t testing.TB, name string) carry.Place {
	t.Helper()
	if strings.Contains(name, "://") {
		return openDatabase(t, name)
	}
	return openFile(t, name)
}

// TestKilled kills processes that move, again and again, until one comes through.
func TestKilled(t *testing.T) {
	if names := os.Getenv(moverEnv); names != "" {
		from, to, _ := strings.Cut(names, "|")
		helpMove(t, from, to)
		return
	}
	for _, to := range kinds {
		t.Run("sqlite to "+to.name, func(t *testing.T) {
			source, target := filepath.Join(t.TempDir(), "from.db"), filepath.Join(t.TempDir(), "to.db")
			if to.name == "postgres" {
				target = pgtest.Database(t)
				must(t, postgres.Init(t.Context(), target, postgres.Options{}))
			}
			from := openFile(t, source)
			x := full(t, from, ada)
			put(t, from, ada, 100, 500)
			before, rows := ask(t, from, ada, x), contents(t, from, ada)
			rnd, killed := rand.New(rand.NewPCG(1, 2)), 0
			for !moveKilled(t, source+"|"+target, 1+rnd.IntN(12)) {
				killed++
			}
			if killed < 2 {
				t.Errorf("%d processes were killed", killed)
			}
			there := openNamed(t, target)
			same(t, "answers", ask(t, there, ada, x), before)
			same(t, "rows", contents(t, there, ada), rows)
			sound(t, from)
			sound(t, there)
		})
	}
}

// moveKilled starts a process that moves, and kills it after some pages. It reports
// whether the process was faster.
func moveKilled(t *testing.T, names string, pages int) bool {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^TestKilled$")
	c.Env = append(os.Environ(), moverEnv+"="+names)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	must(t, err)
	must(t, c.Start())
	moved, killed := false, false
	for lines := bufio.NewScanner(out); lines.Scan(); {
		switch {
		case lines.Text() == "moved":
			moved = true
		case pages == 0:
			killed = true
			must(t, c.Process.Kill())
		default:
			pages--
		}
	}
	if err := c.Wait(); moved && !killed && err != nil {
		t.Fatal(err)
	}
	return moved
}
