package folder_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/replica/folder"
)

var errKilled = errors.New("killed")

// killable keeps what a machine knows about remotes, and joins, until the machine is killed.
type killable struct {
	replica.Memory
	remotes
	step func(act string) error
}

func (d killable) SetRemote(ctx context.Context, name string, old, now []byte) error {
	if err := d.step("before remember"); err != nil {
		return err
	}
	if err := d.remotes.SetRemote(ctx, name, old, now); err != nil {
		return err
	}
	return d.step("after remember")
}

func (d killable) Join(ctx context.Context, remote string, m replica.Message) (replica.Joined, error) {
	if err := d.step("before join"); err != nil {
		return replica.Joined{}, err
	}
	j, err := d.Memory.Join(ctx, remote, m)
	if err != nil {
		return j, err
	}
	return j, d.step("after join")
}

// killedAt lets a machine meet, and kills it at its nth step. It reports whether the machine
// came so far.
func killedAt(t *testing.T, m *machine, s *shelf, n int, cause error) bool {
	t.Helper()
	count := 0
	step := func(string) error {
		if count++; count == n {
			return cause
		}
		return nil
	}
	d := killable{m.notes, m.remotes, step}
	s.before = func(act, _ string) error { return step("before " + act) }
	s.after = func(act, _ string) error { return step("after " + act) }
	o := m.options(s)
	o.Memory, o.Remotes = d, d
	_, err := folder.Sync(context.Background(), o)
	s.before, s.after = nil, nil
	if (err != nil) != (count >= n) || err != nil && !errors.Is(err, cause) {
		t.Fatalf("killed at step %d of %d, it ends with %v", n, count, err)
	}
	return err != nil
}

// TestKilledAtAnyMoment: at each step of a meeting in which everything happens at once (news
// to read and to write, an erasure, a new member), a kill loses nothing, and the next
// meetings make it good. Without SATCHEL_LONG it tries every ninth step.
func TestKilledAtAnyMoment(t *testing.T) {
	steps, each := 0, 9
	if os.Getenv("SATCHEL_LONG") != "" {
		each = 1
	}
	for n := 1; ; n += each {
		all := family(t, "desk", "laptop")
		desk, laptop := all[0], all[1]
		s := newShelf()
		desk.note("secret", "SECRETTEXT")
		desk.note("kept", "a kept text")
		laptop.note("of", "of the laptop, beside the SECRETTEXT")
		settle(t, s, all...)
		phone := newMachine(t, desk.owner, "phone")
		pair(desk, laptop, phone)
		laptop.note("news", "news of the laptop")
		laptop.sync(t, s)
		desk.note("mine", "news of the desk")
		desk.erase("secret")
		desk.erase("of")
		if !killedAt(t, desk, s, n, errKilled) {
			break
		}
		steps++
		desk.quiet(t, s) // the same machine, started again
		if text := s.opened(t, desk, laptop, phone); strings.Contains(text, "SECRETTEXT") {
			t.Fatalf("killed at step %d, the next meeting leaves what is erased in the folder", n)
		}
		settle(t, s, desk, laptop, phone)
		alike(t, desk, laptop, phone)
		for _, text := range []string{"a kept text", "news of the laptop", "news of the desk"} {
			phone.has(t, text)
		}
		for _, m := range []*machine{desk, laptop, phone} {
			m.quiet(t, s)
		}
		if t.Failed() {
			t.Fatalf("killed at step %d", n)
		}
	}
	if steps*each < 45 {
		t.Errorf("there are %d steps to be killed at", steps)
	}
	t.Logf("killed at each of %d steps", steps)
}

// A full disk, or a server that answers no more, is an error, and over when there is room.
func TestFullDisk(t *testing.T) {
	for n := 1; n < 60; n += 3 {
		all := family(t, "desk", "laptop")
		s := newShelf()
		all[0].note("a", "an early text")
		settle(t, s, all...)
		for i := range 4 {
			all[0].note(fmt.Sprint(i), fmt.Sprint("a text ", i))
		}
		all[0].erase("a")
		if !killedAt(t, all[0], s, n, syscall.ENOSPC) {
			break
		}
		settle(t, s, all...)
		alike(t, all...)
		all[1].has(t, "a text 3")
		all[0].quiet(t, s)
	}
}

// Two machines write at the same time: whatever one does, the other meets the folder in
// between.
func TestTwoMachinesAtOnce(t *testing.T) {
	for n := 1; n < 60; n += 2 {
		all := family(t, "desk", "laptop", "phone")
		s := newShelf()
		all[0].note("a", "an early text")
		all[1].note("secret", "SECRETTEXT")
		settle(t, s, all...)
		all[0].note("b", "of the desk")
		all[1].note("c", "of the laptop")
		all[1].erase("secret")
		count := 0
		s.before = func(string, string) error {
			if count++; count == n {
				before := s.before
				s.before = nil
				all[1].sync(t, s)
				s.before = before
			}
			return nil
		}
		all[0].sync(t, s)
		s.before = nil
		if count < n {
			break
		}
		settle(t, s, all...)
		alike(t, all...)
		all[2].has(t, "of the desk")
		all[2].has(t, "of the laptop")
		for _, m := range all {
			m.quiet(t, s)
		}
		if strings.Contains(s.opened(t, all...), "SECRETTEXT") {
			t.Error("what is erased is in the folder")
		}
		if t.Failed() {
			t.Fatalf("the laptop came at step %d", n)
		}
	}
}
