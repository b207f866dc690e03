package formats_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"testing"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/formats"
)

// readingRun is the report of a process that reads one document.
type readingRun struct {
	Records    int
	Violations int
	Losses     int
	Error      string
	Detected   bool
	Opened     uint64 // bytes of memory in use after Open and Next
	Judged     uint64 // the same, after Validate
}

// TestReadingProcess is the process that TestBoundedReading starts.
func TestReadingProcess(t *testing.T) {
	name := os.Getenv("SATCHEL_READING")
	if name == "" {
		t.Skip("started by TestBoundedReading")
	}
	format, err := formats.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(os.Getenv("SATCHEL_READING_N"))
	if err != nil {
		t.Fatal(err)
	}
	bad := os.Getenv("SATCHEL_READING_BAD") != ""
	src, end, err := tinyDocuments[name].source(os.Getenv("SATCHEL_READING_FILE"), n, bad)
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	debug.SetGCPercent(100) // as in the program
	run := readWhole(format, src)
	out, err := json.Marshal(run)
	if err == nil {
		err = os.WriteFile(os.Getenv("SATCHEL_READING_OUT"), out, 0o600)
	}
	if err != nil {
		t.Error(err)
	}
}

func systemMemory() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys
}

func readWhole(format codec.Format, src codec.Source) (run readingRun) {
	run.Detected = format.Detect(src) > codec.No
	r, err := format.Open(src, pairOptions())
	for err == nil {
		if _, err = r.Next(); err == nil {
			run.Records++
		}
	}
	if !errors.Is(err, io.EOF) {
		run.Error = err.Error()
	}
	if r != nil {
		run.Losses = len(r.Losses())
		r.Close()
	}
	run.Opened = systemMemory()
	err = format.Validate(src, pairOptions(), func(*codec.ParseError) { run.Violations++ })
	if err != nil {
		run.Error += " | " + err.Error()
	}
	run.Judged = systemMemory()
	return run
}

// TestBoundedReading reads documents of many tiny records, each in a process of its own. A
// reader may use a little memory, and some bytes for each record that it must recognise
// later. With SATCHEL_LONG the documents have up to a million records.
func TestBoundedReading(t *testing.T) {
	for _, format := range formats.All() {
		d, known := tinyDocuments[format.Name]
		if !known {
			t.Errorf("no document of many records in %s", format.Name)
			continue
		}
		t.Run(format.Name, func(t *testing.T) {
			t.Parallel()
			good, bad := 2500, 50_000
			if os.Getenv("SATCHEL_LONG") != "" {
				good, bad = 1_000_000, 1_000_000
			}
			d.read(t, format, good, false)
			if d.bad != "" {
				d.read(t, format, bad, true)
			}
		})
	}
}

// read reads a document of n records, or as many as the format allows.
func (d tiny) read(t *testing.T, format codec.Format, n int, bad bool) {
	t.Helper()
	if d.most > 0 {
		n = min(n, d.most)
	}
	run := d.started(t, format, n, bad)
	room := uint64(40<<20 + 160*n)
	if d.room > 0 && n > 50_000 {
		room = d.room << 20
	} else if d.room > 0 {
		room += uint64(n) * 4000
	}
	t.Logf("%d records, bad %v: %d MiB after reading, %d after Validate", n, bad, run.Opened>>20, run.Judged>>20)
	if most := max(run.Opened, run.Judged); most > room {
		t.Errorf("%d records, bad %v: %d MiB of memory, want at most %d", n, bad, most>>20, room>>20)
	}
	if run.Losses > 12_000 {
		t.Errorf("%d losses", run.Losses)
	}
	switch {
	case bad && run.Violations == 0 && run.Losses == 0 && run.Error == "":
		t.Error("nothing was said of the bad records")
	case !bad && (run.Records < n || run.Error != "" || run.Violations > 0):
		t.Errorf("read %d of %d: %s, %d violations", run.Records, n, run.Error, run.Violations)
	}
}

// started reads a document in another process.
func (d tiny) started(t *testing.T, format codec.Format, n int, bad bool) (run readingRun) {
	t.Helper()
	path, out := "", filepath.Join(t.TempDir(), "run.json")
	if d.file != "" {
		var err error
		if path, err = d.write(format, t.TempDir(), n, bad); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestReadingProcess$")
	cmd.Env = append(os.Environ(), "SATCHEL_READING="+format.Name, "SATCHEL_READING_N="+strconv.Itoa(n), "SATCHEL_READING_FILE="+path, "SATCHEL_READING_OUT="+out)
	if bad {
		cmd.Env = append(cmd.Env, "SATCHEL_READING_BAD=1")
	}
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	data, err := os.ReadFile(out)
	if err == nil {
		err = json.Unmarshal(data, &run)
	}
	if err != nil {
		t.Fatal(err)
	}
	return run
}
