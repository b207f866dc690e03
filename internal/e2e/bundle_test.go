package e2e

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// brain generates a bundle of any size without holding it.
type brain struct {
	chunks, edges int
	fewWords      bool // a chunk is 5 kB of 90 long words, because an index of these is small, not 2 kB of 260
}

// bundleOf returns a brain of the size asked for: 6 MB of JSON, or 200 MB in a long run.
func bundleOf() brain {
	if os.Getenv("SATCHEL_LONG") != "" {
		return brain{chunks: 100_000, edges: 50_000}
	}
	return brain{chunks: 1_000, edges: 500, fewWords: true}
}

// array names an array of a bundle and makes its elements, in canonical form.
type array struct {
	name    string
	size    int
	element func(i int) string
}

func (b brain) arrays() []array {
	const when, prefix = `"2026-04-01T09:30:00Z"`, `"urn:aimem:e2e-peer:`
	words, more := 130, " detail"
	if b.fewWords {
		words, more = 90, strings.Repeat("detail", 9)
	}
	chunk := func(i int) string {
		content := fmt.Sprintf("memory %d of a large brain. %s", i, strings.Repeat(fmt.Sprintf("word%d%s ", i%997, more), words))
		sum := sha256.Sum256([]byte(content))
		return fmt.Sprintf(`{"content":%q,"content_hash":"sha256:%x","created_at":%s,"id":%schunk-%d","memory_type":"fact","tags":["large"]}`, content, sum, when, prefix, i)
	}
	edge := func(i int) string {
		return fmt.Sprintf(`{"created_at":%s,"edge_type":"hebbian","source_id":%schunk-%d","target_id":%schunk-%d","weight":0.5}`, when, prefix, i, prefix, (i*7+1)%b.chunks)
	}
	entity := func(i int) string {
		return fmt.Sprintf(`{"created_at":%s,"id":%sentity-%d","kind":"concept","name":"thing %d"}`, when, prefix, i, i)
	}
	link := func(i int) string {
		return fmt.Sprintf(`{"chunk_id":%schunk-%d","entity_id":%sentity-%d"}`, prefix, i, prefix, i%10)
	}
	return []array{{"chunk_entities", b.chunks / 10, link}, {"chunks", b.chunks, chunk}, {"edges", b.edges, edge}, {"entities", 10, entity}}
}

const scalars = `"exported_at":"2026-06-12T10:00:00Z","format":"aimem-bundle","producer":"e2e-peer","scope":"FULL","tenant_id":"11111111-1111-1111-1111-111111111111","version":"1"`

func (a array) write(w io.Writer) {
	fmt.Fprintf(w, "%q:[", a.name)
	for i := range a.size {
		if i > 0 {
			fmt.Fprint(w, ",")
		}
		io.WriteString(w, a.element(i))
	}
	fmt.Fprint(w, "]")
}

// checksum hashes the canonical form, whose members are in order.
func (b brain) checksum() string {
	h := sha256.New()
	w := bufio.NewWriter(h)
	fmt.Fprint(w, "{")
	for _, a := range b.arrays() {
		a.write(w)
		fmt.Fprint(w, ",")
	}
	fmt.Fprint(w, scalars+"}")
	w.Flush()
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// file writes the bundle with its members the other way round, and returns its
// path and how large it is.
func (b brain) file(t testing.TB) (string, int64) {
	path := filepath.Join(t.TempDir(), "large.aimem.json")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	fmt.Fprint(w, "{")
	arrays := b.arrays()
	for i := range arrays {
		arrays[len(arrays)-1-i].write(w)
		fmt.Fprint(w, ",")
	}
	fmt.Fprintf(w, `"checksum":%q,%s}`, b.checksum(), scalars)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return path, info.Size()
}

// peak runs the program and returns how much memory it ever had, in bytes.
func (h *home) peak(args ...string) int64 {
	h.Helper()
	var out bytes.Buffer
	cmd := h.command(args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	began := time.Now()
	if err := cmd.Run(); err != nil {
		h.Fatalf("satchel %s: %v\n%s", strings.Join(args, " "), err, out.String())
	}
	use := peak(cmd.ProcessState) << 10
	h.Logf("satchel %s: %s, %d MiB at most", args[0], time.Since(began).Round(time.Millisecond), use>>20)
	return use
}

// budget is how much more memory a bundle with so many ids may take than one with
// hardly any.
func budget(ids int) int64 { return 64<<20 + 4*(4<<10) + 32*int64(ids) }

// TestLargeBundle kills an import in the middle while another process writes,
// imports again, exports, and weighs all of it.
func TestLargeBundle(t *testing.T) {
	b := bundleOf()
	path, size := b.file(t)
	t.Logf("%d MiB", size>>20)
	h := newHome(t)
	h.killImport(path)

	small, _ := brain{chunks: 10, edges: 1}.file(t)
	ids := b.chunks + 10
	if base, most := newHome(t).peak("import", small), h.peak("import", path); most > base+budget(ids) {
		t.Errorf("the import took %d MiB, %d MiB more than a small one", most>>20, (most-base)>>20)
	}
	if n := h.chunks(); n != b.chunks {
		t.Fatalf("%d chunks of the bundle are there, want %d", n, b.chunks)
	}
	out := filepath.Join(t.TempDir(), "out.aimem.json")
	if base, most := newHome(t).peak("export", "--to", "aimem", "-o", filepath.Join(t.TempDir(), "small.aimem.json")), h.peak("export", "--to", "aimem", "-o", out); most > base+budget(ids) {
		t.Errorf("the export took %d MiB, %d MiB more than a small one", most>>20, (most-base)>>20)
	}
	var again struct{ Inserted, Skipped int }
	if err := json.Unmarshal([]byte(h.run("import", "--json", out)), &again); err != nil {
		t.Fatal(err)
	}
	if again.Inserted != 0 || again.Skipped < b.chunks {
		t.Errorf("importing the export again: %+v", again)
	}
}

// chunks counts what the store has of the generated bundle. It holds none of it:
// what this process has is counted for the next one that it starts, too.
func (h *home) chunks() int {
	h.Helper()
	path := filepath.Join(h.TempDir(), "all.ndjson")
	h.run("export", "-q", "-o", path)
	f, err := os.Open(path)
	if err != nil {
		h.Fatal(err)
	}
	defer f.Close()
	n := 0
	for records := json.NewDecoder(f); ; {
		var r struct {
			Body struct{ Text string } `json:"body"`
		}
		switch err := records.Decode(&r); {
		case err == io.EOF:
			return n
		case err != nil:
			h.Fatal(err)
		}
		if strings.HasPrefix(r.Body.Text, "memory ") {
			n++
		}
	}
}

// killImport begins an import and kills it once part of it is in the store.
// Somebody else writes all the while and is not held up by it.
func (h *home) killImport(path string) {
	h.Helper()
	cmd := h.command("import", path)
	if err := cmd.Start(); err != nil {
		h.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	s := h.connect()
	defer s.Close()
	for i, staged := 0, false; !staged; i++ {
		select {
		case err := <-ended:
			h.Fatalf("the import ended before it could be killed: %v", err)
		default:
		}
		began := time.Now()
		s.must("ump.remember", fmt.Sprintf(`{"record":{"body":{"text":"written meanwhile, %d"}}}`, i))
		if held := time.Since(began); held > 30*time.Second {
			h.Errorf("a write was held up for %s", held)
		}
		staged = strings.Contains(h.run("import", "--list", "--json"), `"at work"`)
	}
	if err := cmd.Process.Kill(); err != nil {
		h.Fatal(err)
	}
	if err := <-ended; err == nil {
		h.Fatal("the import ended as if nothing had happened")
	}
	if n := h.chunks(); n != 0 {
		h.Fatalf("%d chunks of a bundle that was cut off are there", n)
	}
}
