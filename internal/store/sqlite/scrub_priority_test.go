package sqlite

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// talk is a helper with which the test has a conversation, a line at a time.
type talk struct {
	t   testing.TB
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func talkTo(t testing.TB, cmd *exec.Cmd) *talk {
	t.Helper()
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }) // unless it has ended
	return &talk{t, cmd, in, bufio.NewScanner(out)}
}

// hear waits for a line.
func (k *talk) hear(want string) {
	k.t.Helper()
	if !k.out.Scan() || k.out.Text() != want {
		k.t.Fatalf("the other process said %q, want %q", k.out.Text(), want)
	}
}

// end closes its input and waits for it.
func (k *talk) end() {
	k.t.Helper()
	must(k.t, k.in.Close())
	if err := k.cmd.Wait(); err != nil {
		k.t.Fatal(err)
	}
}

// untilTold waits until the other side closes this process's input.
func untilTold() { _, _ = io.Copy(io.Discard, os.Stdin) }

// helpHold keeps a View of the canary, as an exporter to a slow reader does, and
// then sweeps if it is told to.
func helpHold(path, then string) error {
	ctx, c := context.Background(), canary{ada}
	s, err := Open(ctx, path, Options{})
	if err != nil {
		return err
	}
	fmt.Println("asks")
	err = s.View(ctx, ada, func(r store.Reader) error {
		_, before := r.Row(c.id(1))
		fmt.Println("reads")
		untilTold()
		_, after := r.Row(c.id(1))
		return errors.Join(before, after)
	})
	if err == nil && then == "sweep" {
		owed := false
		if owed, err = s.Owed(ctx); err == nil && owed {
			err = s.Compact(ctx)
		}
	}
	return errors.Join(err, s.Close())
}

// helpOverlap reads all the time, so that at no moment nobody reads.
func helpOverlap(path string) error {
	const readers, each = 3, 800 * time.Millisecond
	s, err := Open(context.Background(), path, Options{})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	errs := make([]error, readers)
	var wg sync.WaitGroup
	for i := range readers {
		wg.Go(func() {
			time.Sleep(each * time.Duration(i) / readers)
			for ctx.Err() == nil && errs[i] == nil {
				errs[i] = s.View(context.Background(), ada, func(r store.Reader) error {
					_, err := r.Count(store.Filter{Kinds: []memory.Kind{memory.Identity}})
					time.Sleep(each)
					return err
				})
			}
		})
	}
	time.Sleep(each)
	fmt.Println("reads")
	untilTold()
	stop()
	wg.Wait()
	return errors.Join(append(errs, s.Close())...)
}

// helpBackup makes a backup that nobody reads.
func helpBackup(path string) error {
	s, err := Open(context.Background(), path, Options{})
	if err != nil {
		return err
	}
	err = s.Backup(context.Background(), writerFunc(func(p []byte) (int, error) {
		fmt.Println("sends")
		untilTold()
		return len(p), nil
	}))
	return errors.Join(err, s.Close())
}

// helpAnnounce announces an eraser that then does nothing.
func helpAnnounce(path string) error {
	s, err := Open(context.Background(), path, Options{})
	if err != nil {
		return err
	}
	withdraw, made, err := s.eraserSignal.announce()
	if err != nil || !made {
		return errors.Join(err, errors.New("nothing was announced"))
	}
	fmt.Println("announced")
	untilTold()
	return errors.Join(withdraw(), s.Close())
}

// TestErasureBesideAnExporter has one process hold a long View while another
// erases what it reads: nobody is cut off, the debt is noted, and when the reader
// has ended either process makes up for it.
func TestErasureBesideAnExporter(t *testing.T) {
	racing.Skip(t)
	for _, who := range []string{"sweep", "leave it to others"} {
		t.Run(who, func(t *testing.T) {
			path := planted(t)
			reader := talkTo(t, helper(t, "hold", path, who))
			reader.hear("asks")
			reader.hear("reads")
			s := open(t, path)
			update(t, s, canary{ada}.forget)
			ctx, stop := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer stop()
			start := time.Now()
			err := s.Compact(ctx)
			if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took > 2*time.Second {
				t.Errorf("after %v: %v", took, err)
			}
			if owed, err := s.Owed(t.Context()); err != nil || !owed || tracks(t, path) == 0 {
				t.Errorf("owed: %v, %v, with %d traces", owed, err, tracks(t, path))
			}
			reader.end()
			if who != "sweep" {
				must(t, s.Compact(t.Context()))
			}
			if owed, err := s.Owed(t.Context()); err != nil || owed {
				t.Errorf("still owed: %v, %v", owed, err)
			}
			if left := tracks(t, path); left != 0 {
				t.Errorf("%d places of the files hold what was erased", left)
			}
			sound(t, s)
		})
	}
}

// TestEraserGetsItsTurn erases while another process reads without a pause and
// this one writes.
func TestEraserGetsItsTurn(t *testing.T) {
	racing.Skip(t)
	path := planted(t)
	readers := talkTo(t, helper(t, "overlap", path))
	readers.hear("reads")
	s, err := Open(t.Context(), path, Options{BusyTimeout: 8 * time.Second})
	must(t, err)
	defer s.Close() // what it wrote is looked at
	writer := open(t, path)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
			id := memory.ID(fmt.Sprint("urn:ump:more", n))
			if err := writer.Update(context.Background(), ada, func(w store.Writer) error { return insertSmall(w, id) }); err != nil {
				t.Error(err)
				return
			}
		}
	})
	update(t, s, canary{ada}.forget)
	start := time.Now()
	err = s.Compact(t.Context())
	t.Logf("after %v", time.Since(start))
	close(stop)
	wg.Wait()
	must(t, err)
	if left := tracks(t, path); left != 0 {
		t.Errorf("%d places of the files hold what was erased", left)
	}
	readers.end()
}

// TestReadersGiveWay announces an eraser and has another process begin to read.
func TestReadersGiveWay(t *testing.T) {
	racing.Skip(t)
	path := planted(t)
	s := open(t, path)
	withdraw, made, err := s.eraserSignal.announce()
	if err != nil || !made {
		t.Fatal(made, err)
	}
	reader := talkTo(t, helper(t, "hold", path, "leave"))
	reader.hear("asks")
	heard := make(chan time.Time, 1)
	go func() {
		reader.out.Scan()
		heard <- time.Now()
	}()
	time.Sleep(200 * time.Millisecond)
	withdrawn := time.Now()
	must(t, withdraw())
	if at := <-heard; at.Before(withdrawn) || at.Sub(withdrawn) > readersWait/2 || reader.out.Text() != "reads" {
		t.Errorf("it read %v after the eraser had withdrawn: %q", at.Sub(withdrawn), reader.out.Text())
	}
	reader.end()
}

// TestDeadEraser expects nobody to wait for an eraser that was killed.
func TestDeadEraser(t *testing.T) {
	racing.Skip(t)
	path := planted(t)
	s := open(t, path)
	eraser := talkTo(t, helper(t, "announce", path))
	eraser.hear("announced")
	must(t, eraser.cmd.Process.Kill())
	_ = eraser.cmd.Wait() // it ends by a signal
	onlyRead, err := Open(t.Context(), path, Options{ReadOnly: true})
	must(t, err)
	defer onlyRead.Close() // it only reads
	if s.eraserSignal.announced() == 0 {
		t.Fatal("nothing is announced")
	}
	for _, s := range []*Store{onlyRead, s} {
		start := time.Now()
		must(t, s.View(t.Context(), ada, func(store.Reader) error { return nil }))
		if took := time.Since(start); took > readersWait/2 {
			t.Errorf("a reader waited %v for a dead eraser", took)
		}
	}
	if s.eraserSignal.announced() != 0 {
		t.Error("the dead eraser is still announced")
	}
}

// TestStuckEraser expects readers to wait once for an eraser that was stopped in
// the middle, and to give up when they are told to.
func TestStuckEraser(t *testing.T) {
	racing.Skip(t)
	path := planted(t)
	s := open(t, path)
	eraser := talkTo(t, helper(t, "announce", path))
	eraser.hear("announced")
	view := func(ctx context.Context) (time.Duration, error) {
		start := time.Now()
		err := s.View(ctx, ada, func(store.Reader) error { return nil })
		return time.Since(start), err
	}
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	if took, err := view(ctx); !errors.Is(err, context.DeadlineExceeded) || took > readersWait/2 {
		t.Errorf("after %v: %v", took, err)
	}
	if took, err := view(t.Context()); err != nil || took < readersWait {
		t.Errorf("after %v: %v", took, err)
	}
	if took, err := view(t.Context()); err != nil || took > readersWait/2 {
		t.Errorf("the second time after %v: %v", took, err)
	}
	eraser.end()
}

// TestAnnouncements expects one at a time and a rest between two.
func TestAnnouncements(t *testing.T) {
	path := filepath.Join(t.TempDir(), "satchel.db")
	s, other := open(t, path), open(t, path)
	announce := func(s *Store, want bool) (withdraw func() error) {
		t.Helper()
		withdraw, made, err := s.eraserSignal.announce()
		if err != nil || made != want {
			t.Fatalf("announced: %v, %v", made, err)
		}
		return withdraw
	}
	withdraw := announce(s, true)
	announce(other, false)
	first := other.eraserSignal.announced()
	must(t, withdraw())
	if first == 0 || s.eraserSignal.announced() != 0 {
		t.Errorf("announced: %d, then %d", first, s.eraserSignal.announced())
	}
	announce(other, false)
	then := time.Now().Add(-2 * announceRest)
	must(t, os.Chtimes(path+".erase", then, then))
	withdraw = announce(other, true)
	if s.eraserSignal.announced() == first {
		t.Error("two announcements have the same number")
	}
	must(t, withdraw())
}

// TestCompactUntilADeadline has the queue of writers held by somebody else.
func TestCompactUntilADeadline(t *testing.T) {
	path := made(t, 5)
	s, other := open(t, path), open(t, path)
	must(t, other.gate.lock(time.Second))
	ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	start := time.Now()
	err := s.Compact(ctx)
	if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took > 5*time.Second {
		t.Errorf("after %v: %v", took, err)
	}
	must(t, other.gate.unlock())
}
