package sqlite

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
)

// die ends this process as kill -9 does.
func die() {
	if p, err := os.FindProcess(os.Getpid()); err == nil {
		_ = p.Kill()
	}
	select {} // until the signal has come
}

// helpErase erases the canary. The process dies at a stage of that, or is killed
// after it has said that it begins.
func helpErase(path, stage, count string) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	ctx, c := context.Background(), canary{ada}
	s, err := Open(ctx, path, Options{slicePages: 40})
	if err != nil {
		return err
	}
	reach := func(reached string) {
		if reached == stage {
			die()
		}
	}
	fmt.Println("begins")
	err = s.Update(ctx, ada, func(w store.Writer) error {
		err := c.forget(w)
		reach("update")
		return err
	})
	if err != nil {
		return err
	}
	reach("committed")
	switch stage {
	case "page":
		err = s.compact(after(ctx, int64(n), die))
	case "emptying", "settling":
		err = s.scrub(ctx)
		reach("emptying")
		err = errors.Join(err, s.emptyLog(ctx))
		reach("settling")
	default:
		err = s.Compact(ctx)
	}
	if err != nil {
		return err
	}
	reach("settled")
	fmt.Println("erased")
	return s.Close()
}

// TestKilledErasers kills a process at every stage of an erasure. The belief is
// then there as a whole, or gone as a whole and owed; and whoever sweeps next
// leaves no byte of it.
func TestKilledErasers(t *testing.T) {
	if racing.Detector {
		t.Skip("skipped: the race detector does not look into other processes")
	}
	template := planted(t)
	for _, point := range []struct {
		stage string
		n     int
		gone  bool
	}{
		{"update", 0, false}, {"committed", 0, true},
		{"page", 1, true}, {"page", 17, true}, {"page", 40, true}, {"page", 41, true}, {"page", 95, true},
		{"page", 160, true}, {"page", 240, true},
		{"emptying", 0, true}, {"settling", 0, true}, {"settled", 0, true},
	} {
		t.Run(fmt.Sprint(point.stage, " ", point.n), func(t *testing.T) {
			path := copied(t, template)
			said, err := collectLines(helper(t, "erase", path, point.stage, fmt.Sprint(point.n)), -1)
			if err == nil || len(said) != 1 {
				t.Fatalf("it was not killed: it said %q, %v", said, err)
			}
			if gone := finish(t, path); gone != point.gone {
				t.Errorf("gone: %v", gone)
			}
		})
	}
}

// TestErasersKilledAtAnyTime does so after times spread over a whole erasure, the
// moments within a commit and a checkpoint among them.
func TestErasersKilledAtAnyTime(t *testing.T) {
	if racing.Detector {
		t.Skip("skipped: the race detector does not look into other processes")
	}
	const points = 16
	template := planted(t)
	path := copied(t, template)
	start := time.Now()
	if said, err := collectLines(helper(t, "erase", path, "none", "0"), -1); err != nil || len(said) != 2 {
		t.Fatalf("it said %q, %v", said, err)
	}
	took := time.Since(start)
	there, gone, done := 0, 0, 0
	for n := range points {
		path := copied(t, template)
		said, _ := collectLines(helper(t, "erase", path, "none", "0"), took*time.Duration(n)/points) // it ends by a signal
		switch wasGone := finish(t, path); {
		case len(said) > 1:
			done++
		case wasGone:
			gone++
		default:
			there++
		}
	}
	t.Logf("killed within %v: before the commit %d, after it %d; too late for %d", took, there, gone, done)
	if there+gone == 0 {
		t.Error("none was killed in time")
	}
}

// planted makes a store with the canary in it.
func planted(t testing.TB) string {
	path := filepath.Join(t.TempDir(), "satchel.db")
	s, err := Open(t.Context(), path, Options{})
	must(t, err)
	plant(t, s, canary{ada}, 800)
	must(t, s.Close())
	return path
}

// copied copies a store that is closed.
func copied(t testing.TB, template string) string {
	t.Helper()
	data, err := os.ReadFile(template)
	must(t, err)
	path := filepath.Join(t.TempDir(), filepath.Base(template))
	must(t, os.WriteFile(path, data, 0o600))
	return path
}

// collectLines reads what a command prints until it ends. After the first line it
// is killed so much later, unless that is negative.
func collectLines(cmd *exec.Cmd, kill time.Duration) ([]string, error) {
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var said []string
	for in := bufio.NewScanner(out); in.Scan(); {
		if said = append(said, in.Text()); len(said) == 1 && kill >= 0 {
			time.AfterFunc(kill, func() { _ = cmd.Process.Kill() })
		}
	}
	return said, cmd.Wait()
}

// finish opens the store that a killed process left, expects it to be whole, and
// makes an end of the erasure. It reports whether the belief was gone.
func finish(t testing.TB, path string) (gone bool) {
	t.Helper()
	s, c := open(t, path), canary{ada}
	sound(t, s)
	found, whole := c.traces(t, s)
	if found != 0 && found != whole {
		t.Errorf("%d of %d traces are left", found, whole)
	}
	owed, err := s.Owed(t.Context())
	must(t, err)
	switch gone = found == 0; {
	case !gone:
		update(t, s, c.forget)
	case !owed && tracks(t, path) > 0:
		t.Error("there are traces in the files and nothing is owed")
	}
	must(t, s.Compact(t.Context()))
	if left := tracks(t, path); left != 0 {
		t.Errorf("%d places of the files hold what was erased", left)
	}
	if owed, err := s.Owed(t.Context()); err != nil || owed {
		t.Errorf("still owed: %v, %v", owed, err)
	}
	sound(t, s)
	return gone
}
