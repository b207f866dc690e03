package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// sizes returns the archive to import: a small one, or with SATCHEL_LONG one of 20,000
// conversations and a gigabyte.
func sizes() archive {
	a := archive{seed: 1, conversations: 120, exchanges: 12, words: 100}
	if os.Getenv("SATCHEL_LONG") != "" {
		a = archive{seed: 1, conversations: 20_000, exchanges: 25, words: 240}
	}
	return a
}

// file writes an archive into the home folder.
func (h *home) file(name string, a archive) string {
	h.Helper()
	path := filepath.Join(h.dir, name)
	f, err := os.Create(path)
	if err == nil {
		err = a.write(f)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		h.Fatal(err)
	}
	return path
}

// imported is what import --json says.
type imported struct {
	Number, Read, Created, Updated, Merged, Skipped, Conflicting, Units, Before int
	Known                                                                       bool
}

// measured is what a run of the program took.
type measured struct {
	took time.Duration
	rss  int64 // KiB at most; 0: not known here
}

// importing imports a file and reports what came of it, and what it took.
func (h *home) importing(path string, args ...string) (r imported, m measured) {
	h.Helper()
	var out, errs bytes.Buffer
	cmd := h.command(append([]string{"import", "-q", "--json", path}, args...)...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	began := time.Now()
	err := cmd.Run()
	if err == nil {
		err = json.Unmarshal(out.Bytes(), &r)
	}
	if err != nil {
		h.Fatalf("import %s: %v\n%s%s", path, err, out.String(), errs.String())
	}
	return r, measured{time.Since(began), peak(cmd.ProcessState)}
}

// listed is what import --list says of the latest import.
func (h *home) listed() (latest struct {
	Number, Units, Created int
	State                  string
}) {
	h.Helper()
	var all struct {
		Imports []json.RawMessage `json:"imports"`
	}
	err := json.Unmarshal([]byte(h.run("import", "--list", "--json")), &all)
	if err == nil && len(all.Imports) > 0 {
		err = json.Unmarshal(all.Imports[0], &latest)
	}
	if err != nil {
		h.Fatal(err)
	}
	return latest
}

// killed starts an import and kills it once so many conversations of it are there. It
// reports how many there were in the end.
func (h *home) killed(path string, after int) int {
	h.Helper()
	before := h.listed().Number
	cmd := h.command("import", "-q", path)
	if err := cmd.Start(); err != nil {
		h.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			h.Fatalf("the import ended before it was killed: %v", err)
		default:
		}
		if at := h.listed(); at.Number > before && at.Units >= after {
			break
		}
		time.Sleep(time.Duration(after) * time.Millisecond)
	}
	if err := cmd.Process.Kill(); err != nil {
		h.Fatal(err)
	}
	<-ended
	return h.listed().Units
}

// TestArchive imports an export of many conversations: in bounded memory; after it was
// killed in the midst it goes on where it was; and once more it changes nothing.
func TestArchive(t *testing.T) {
	a := sizes()
	h := newHome(t)
	tiny := h.file("tiny.json", archive{seed: 7, conversations: 2, exchanges: 3, words: 20})
	_, base := h.importing(tiny)
	path := h.file("conversations.json", a)
	records := a.conversations * (a.exchanges + 1)

	done := h.killed(path, a.conversations/10)
	if done == a.conversations {
		t.Fatal("it was killed too late")
	}
	if out := h.run("import", "--list"); !strings.Contains(out, fmt.Sprintf("%d conversations of it done", done)) {
		t.Errorf("listed as\n%s", out)
	}
	r, took := h.importing(path)
	if r.Number != 2 || r.Before != done || r.Before+r.Units != a.conversations || r.Created != records-done*(a.exchanges+1) || r.Merged != 0 {
		t.Errorf("after %d conversations: %+v", done, r)
	}
	if got := h.listed(); got.State != "published" || got.Created != records || got.Units != a.conversations {
		t.Errorf("at the end: %+v, want %d records", got, records)
	}
	again, quick := h.importing(path)
	if !again.Known || again.Created+again.Merged != 0 {
		t.Errorf("again: %+v", again)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d conversations, %d MB: killed after %d, the rest in %s, %.0f records a second, %d MiB at most (a small import: %d MiB); again: %s",
		a.conversations, info.Size()/1e6, done, took.took.Round(time.Millisecond), float64(r.Created)/took.took.Seconds(),
		took.rss>>10, base.rss>>10, quick.took.Round(time.Millisecond))
	if took.rss > base.rss+150<<10 {
		t.Errorf("%d KiB of memory, %d for a small import", took.rss, base.rss)
	}
}

// TestArchiveUndone takes half an import back.
func TestArchiveUndone(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	path := h.file("conversations.json", archive{seed: 3, conversations: 120, exchanges: 12, words: 60})
	if done := h.killed(path, 1); done == 120 {
		t.Fatal("it was killed too late")
	}
	out := h.run("import", "--undo", "1")
	if left := len(h.stored()); left != 0 || !strings.Contains(out, " 0 kept") {
		t.Errorf("%d records are left: %s", left, out)
	}
	if got := h.listed(); got.State != "undone" {
		t.Errorf("listed as %+v", got)
	}
	if r, _ := h.importing(path); r.Number != 2 || r.Created != 120*13 {
		t.Errorf("imported anew: %+v", r)
	}
}

// TestArchiveTogether has two processes import the same archive, and a third write
// meanwhile.
func TestArchiveTogether(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	a := archive{seed: 5, conversations: 60, exchanges: 12, words: 30}
	path := h.file("conversations.json", a)
	ended := make(chan error, 2)
	for range 2 {
		cmd := h.command("import", "-q", path)
		go func() { ended <- run(cmd) }()
	}
	records, written := a.conversations*(a.exchanges+1), 0
	for left := 2; left > 0; {
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
			left--
		default:
			h.run("remember", "-q", fmt.Sprintf("written meanwhile, %d", written))
			written++
		}
	}
	if got := len(h.stored()); got != records+written {
		t.Errorf("%d records, want %d and %d", got, records, written)
	}
	if got := h.listed(); got.Number != 1 || got.Created != records || got.State != "published" {
		t.Errorf("listed as %+v", got)
	}
}

// run runs a command and returns what it said if it failed.
func run(cmd *exec.Cmd) error {
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}
