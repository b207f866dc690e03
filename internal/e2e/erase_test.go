package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// What is to be erased says these words and nothing else does; beside them their
// stems.
var (
	doomedWords = []string{"Quixotrovian", "flumberwicks", "zephyrquartzing"}
	doomedStems = []string{"quixotrov", "flumberwick", "zephyrquartz"}
)

// doomedText is a sentence of these words.
func doomedText(n int) string {
	return fmt.Sprintf("The %s aunt number %d keeps %s and loves %s.", doomedWords[0], n, doomedWords[1], doomedWords[2])
}

// tracks names the files of a home that hold a stem, one of the doomed ones unless
// others are named, in capitals or not, in UTF-8 or in either UTF-16.
func (h *home) tracks(stems ...string) []string {
	h.Helper()
	if len(stems) == 0 {
		stems = doomedStems
	}
	var found []string
	err := filepath.WalkDir(h.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		data = bytes.ToLower(append(data, path...))
		for _, stem := range stems {
			if bytes.Contains(data, []byte(stem)) || bytes.Contains(data, []byte(strings.Join(strings.Split(stem, ""), "\x00"))) {
				found = append(found, path)
				break
			}
		}
		return err
	})
	if err != nil {
		h.Fatal(err)
	}
	return found
}

// doom remembers something that is erased later, in every way in which content
// comes in, amid others, and returns the ids of what it says now.
func (h *home) doom() []string {
	h.Helper()
	s := h.connect()
	defer s.Close()
	plain := func(n int) {
		var list strings.Builder
		for i := range 150 {
			fmt.Fprintf(&list, "- Fact %d of %d: %s\n", i, n, strings.Repeat(fmt.Sprint("tea", i%7, " "), 20))
		}
		fmt.Fprintf(&list, "- %s\n", doomedText(100+n))
		path := filepath.Join(h.dir, fmt.Sprintf("list%d.txt", n))
		if err := os.WriteFile(path, []byte(list.String()), 0o600); err != nil {
			h.Fatal(err)
		}
		h.run("import", "--from", "paste", path)
		if err := os.Remove(path); err != nil { // the document is the owner's own
			h.Fatal(err)
		}
	}
	plain(0)
	answer := s.must("ump.remember", `{"record":{"body":{"text":"`+doomedText(0)+`"}}}`)
	revised := answer["id"].(string)
	for n := range 3 {
		revised = s.must("ump.revise", `{"id":"`+revised+`","patch":{"body":{"text":"`+doomedText(1+n)+`"}}}`)["id"].(string)
		plain(1 + n)
	}
	s.must("ump.recall", `{"query":"`+doomedText(2)+`"}`)
	tombstone := id(h.run("remember", doomedText(10)))
	h.run("forget", tombstone, "--note", doomedText(11))
	return append(h.saying(doomedWords[0]), revised, tombstone)
}

// doomed is the home that tests of erasures begin with, which [home.doom] fills.
var doomed struct {
	prepared
	ids []string // what doom returned
}

// newDoomed copies the home that is doomed, and returns the ids of what is to be erased.
func newDoomed(t testing.TB) (h *home, ids []string) {
	t.Helper()
	h = doomed.copy(t, "doomed", func(h *home) {
		h.run("init")
		doomed.ids = h.doom()
	})
	return h, doomed.ids
}

// saying lists the ids of the memories that say a word.
func (h *home) saying(word string) (ids []string) {
	h.Helper()
	var records []struct {
		ID   string
		Body struct{ Text string }
	}
	if err := json.Unmarshal([]byte(h.run("export", "-q")), &records); err != nil {
		h.Fatal(err)
	}
	for _, r := range records {
		if strings.Contains(r.Body.Text, word) {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// forget erases them and returns what the program said.
func (h *home) forget(ids []string) string {
	h.Helper()
	return h.run(append([]string{"forget", "--hard", "--chain", "--yes", "--json"}, ids...)...)
}

// TestHardForget erases what came in by every way and reads every byte of every
// file, while an assistant has the store open.
func TestHardForget(t *testing.T) {
	t.Parallel()
	h, ids := newDoomed(t)
	assistant := h.connect()
	defer assistant.Close()
	if found := texts(assistant.must("ump.recall", `{"query":"`+doomedWords[0]+`"}`)); len(found) < 5 {
		t.Fatalf("only %d memories say the words", len(found))
	}
	if len(h.tracks()) == 0 {
		t.Fatal("the words are in no file to begin with")
	}
	if said := h.forget(ids); strings.Contains(said, "pending") || !strings.Contains(said, "erased") {
		t.Errorf("it said %s", said)
	}
	if found := h.tracks(); len(found) > 0 {
		t.Errorf("what was erased is in %v", found)
	}
	if found := texts(assistant.must("ump.recall", `{"query":"`+strings.Join(doomedWords, " ")+`"}`)); len(found) != 0 {
		t.Errorf("the assistant still finds %q", found)
	}
	if n := len(h.saying("Fact")); n != 600 {
		t.Errorf("%d of 600 others are left", n)
	}
	if out, errs, err := h.try("doctor"); err != nil {
		t.Errorf("doctor: %v\n%s%s", err, out, errs)
	}
}

// did returns the owner.
func (h *home) did() string {
	h.Helper()
	config, err := os.ReadFile(filepath.Join(h.dir, "store", "config.json"))
	if err != nil {
		h.Fatal(err)
	}
	return regexp.MustCompile(`did:key:\w+`).FindString(string(config))
}

// TestEraseAll erases the owner's everything.
func TestEraseAll(t *testing.T) {
	t.Parallel()
	h, _ := newDoomed(t)
	h.run("token", "mint", "--name", doomedWords[0], "--verb", "read", "--all")
	did := h.did()
	if len(h.tracks()) == 0 {
		t.Fatal("the words are in no file to begin with")
	}
	h.run("erase", "--confirm", did, "--yes")
	if found := h.tracks(); len(found) > 0 {
		t.Errorf("what was erased is in %v", found)
	}
	if n := len(h.saying("")); n != 0 {
		t.Errorf("%d memories are left", n)
	}
	if out, errs, err := h.try("doctor"); err != nil {
		t.Errorf("doctor: %v\n%s%s", err, out, errs)
	}
}

// TestHardForgetBesideAnExport erases while an export waits for whoever reads it.
// The answer says so, the export is not cut off, and the next command that writes
// makes an end of it.
func TestHardForgetBesideAnExport(t *testing.T) {
	t.Parallel()
	h, _ := newDoomed(t)
	const word = "vorplequist"
	doomed := id(h.run("remember", "It was a "+word+" all along."))
	export := h.command("export", "-q")
	out, err := export.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := export.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = export.Process.Kill() }() // unless it has ended
	first := make([]byte, 1)
	if _, err := io.ReadFull(out, first); err != nil {
		t.Fatal(err)
	}
	if said := h.forget([]string{doomed}); !strings.Contains(said, `"pending": true`) {
		t.Errorf("it said %s", said)
	}
	if len(h.tracks(word)) == 0 {
		t.Error("nothing is left in the files, though somebody reads")
	}
	rest, err := io.ReadAll(out)
	if err != nil || !json.Valid(append(first, rest...)) || export.Wait() != nil {
		t.Errorf("the export was cut off after %d bytes: %v", len(rest), err)
	}
	h.run("remember", "The kettle is blue.")
	if found := h.tracks(word); len(found) > 0 {
		t.Errorf("what was erased is in %v", found)
	}
}

// TestHardForgetKilled kills the program while it erases, again and again. Every
// version is then there or none is, and what is gone leaves no byte once another
// command has run.
func TestHardForgetKilled(t *testing.T) {
	t.Parallel()
	h, _ := newDoomed(t)
	const rounds = 12
	word := func(round int) string { return "vorplequist" + string(rune('a'+round)) + "x" }
	first := make([]string, rounds)
	s := h.connect()
	for round := range rounds {
		first[round] = s.must("ump.remember", `{"record":{"body":{"text":"It was a `+word(round)+` all along."}}}`)["id"].(string)
		s.must("ump.revise", `{"id":"`+first[round]+`","patch":{"body":{"text":"It was no `+word(round)+` after all."}}}`)
	}
	s.Close()
	there, gone := 0, 0
	var took time.Duration // of the first round, which is not killed
	for round, first := range first {
		began := time.Now()
		cmd := h.command("forget", first, "--hard", "--chain", "--yes")
		said, err := cmd.StderrPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		if round > 0 {
			time.AfterFunc(took*time.Duration(round)/(rounds-2), func() { _ = cmd.Process.Kill() }) // unless it has ended
		}
		_, _ = io.Copy(io.Discard, said)
		_ = cmd.Wait() // it ends by a signal, mostly
		if round == 0 {
			took = time.Since(began)
		}
		switch n := len(h.saying(word(round))); n {
		case 0:
			gone++
		case 2:
			there++
			h.forget([]string{first})
		default:
			t.Errorf("%d of two versions are there", n)
		}
		h.run("remember", "The kettle is blue.")
		if found := h.tracks("vorplequist" + string(rune('a'+round))); len(found) > 0 {
			t.Fatalf("round %d: what was erased is in %v", round, found)
		}
	}
	t.Logf("killed before it was gone %d times, after that %d times", there, gone)
	if out, errs, err := h.try("doctor"); err != nil {
		t.Errorf("doctor: %v\n%s%s", err, out, errs)
	}
}
