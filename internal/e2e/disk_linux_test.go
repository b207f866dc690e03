package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// disk gives a person a small disk of their own for the store.
func disk(t *testing.T, size string) (h *home, remount func(flags uintptr, size string)) {
	t.Helper()
	h = &home{TB: t, dir: t.TempDir()}
	if err := syscall.Mount("tmpfs", h.dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skip("skipped: no file system can be mounted here: ", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(h.dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return h, func(flags uintptr, size string) {
		t.Helper()
		if err := syscall.Mount("tmpfs", h.dir, "tmpfs", syscall.MS_REMOUNT|flags, "size="+size); err != nil {
			t.Fatal(err)
		}
	}
}

// A store on a read-only mount answers every question and refuses every write.
func TestReadOnlyMount(t *testing.T) {
	for _, crashed := range []bool{false, true} {
		h, remount := disk(t, "200m")
		h.run("init")
		h.run("remember", "The ferry leaves at six")
		if crashed { // what a killed program leaves: a log without its index
			s := h.connect()
			s.must("ump.remember", `{"kind":"semantic","body":{"text":"The ferry returns at nine"}}`)
			_ = s.cmd.Process.Kill()
			_ = s.Close() // it was killed
			if _, err := os.Stat(filepath.Join(h.dir, "store", "satchel.db-wal")); err != nil {
				t.Fatal(err)
			}
			_ = os.Remove(filepath.Join(h.dir, "store", "satchel.db-shm")) // that there is none is what is wanted
		}
		remount(syscall.MS_RDONLY, "200m")
		for _, args := range [][]string{{"recall", "ferry"}, {"list"}, {"export"}, {"brief"}} {
			if out := h.run(args...); !strings.Contains(out, "leaves at six") || crashed && !strings.Contains(out, "returns at nine") {
				t.Errorf("%q prints %s", args, out)
			}
		}
		if out := h.run("doctor"); !strings.Contains(out, "can only be read here") {
			t.Errorf("doctor says %s", out)
		}
		for _, args := range [][]string{{"remember", "something new"}, {"store", "edition", "1.0"}} {
			if _, errs, err := h.try(args...); err == nil || !strings.Contains(errs, "can only be read here") || strings.Count(errs, "\n") > 1 {
				t.Errorf("%q: %v, %s", args, err, errs)
			}
		}
		s := h.connect("--tool-names", "dotted")
		if answer := s.must("ump.recall", `{"query":"ferry"}`); len(texts(answer)) == 0 {
			t.Errorf("an assistant gets %v", answer)
		}
		if _, err := s.call("ump.remember", `{"kind":"semantic","body":{"text":"something new"}}`); err == nil || !strings.Contains(err.Error(), "read-only") {
			t.Errorf("an assistant stores: %v", err)
		}
		_ = s.Close() // its answers were what counts
		remount(0, "200m")
		h.run("remember", "The ferry is painted white")
	}
}

// A full disk is told once, keeps what was stored, and leaves nothing by half.
func TestFullDiskIsToldOnce(t *testing.T) {
	h, remount := disk(t, "2500k")
	h.run("init")
	h.run("remember", "kept from before")
	owner := regexp.MustCompile(`did:key:\w+`).FindString(h.run("owner", "list"))
	var doc strings.Builder
	filler := strings.Repeat(strings.Repeat("tea", 20)+" ", 170) // the index of these words is small
	for i := range 300 {
		fmt.Fprintf(&doc, `{"ump":"0.1","kind":"semantic","body":{"text":"too much %d word%d %s"},"scope":{"owner":%q},"time":{"created":"2026-01-01T00:00:00Z"}}`+"\n",
			i, i, filler, owner)
	}
	big := filepath.Join(t.TempDir(), "big.ump.ndjson")
	if err := os.WriteFile(big, []byte(doc.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	_, errs, err := h.try("import", big)
	if err == nil || strings.Count(errs, "the disk is full") != 1 {
		t.Errorf("import: %v, %s", err, errs)
	}
	_, errs, err = h.try("remember", strings.Repeat(strings.Repeat("long", 20)+" ", 7_500), "--json")
	if err == nil || strings.Count(errs, "the disk is full") > 1 {
		t.Errorf("remember: %v, %.400s", err, errs)
	}
	if out := h.run("list"); !strings.Contains(out, "kept from before") || strings.Contains(out, "too much") {
		t.Errorf("list prints %s", out)
	}
	remount(0, "300m")
	h.run("import", big)
	h.run("doctor")
	h.run("remember", "something new")
	if out := h.run("recall", "word299"); !strings.Contains(out, "too much 299") {
		t.Errorf("recall prints %s", out)
	}
}
