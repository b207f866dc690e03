package folder_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/satchel-memory/satchel/internal/replica/folder"
)

// A stick that is full is an error that says so. What was on it stays good, nothing is left
// by half, and all is there once the stick has room.
func TestFullStick(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skip("skipped: no file system can be mounted here: ", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	s := openLocal(t, dir)
	all := family(t, "desk", "laptop")
	all[0].note("early", "an early text")
	for range 2 {
		all[0].quiet(t, s)
		all[1].quiet(t, s)
	}
	for n := range 60 {
		all[0].note(fmt.Sprint("many", n), strings.Repeat(fmt.Sprint("text ", n, " "), 40))
	}
	if _, err := folder.Sync(t.Context(), all[0].options(s)); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("a full stick: %v", err)
	}
	all[1].quiet(t, s)
	all[1].has(t, "an early text")
	if left, err := filepath.Glob(filepath.Join(dir, "*", "*", ".satchel-*")); err != nil || len(left) > 0 {
		t.Errorf("left by half: %v, %v", left, err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=16m"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		all[0].quiet(t, s)
		all[1].quiet(t, s)
	}
	alike(t, all...)
	all[1].has(t, "text 59 ")
}
