package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// endless counts what is read of it.
type endless struct{ read int }

// Read fills p.
func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'y'
	}
	e.read += len(p)
	return len(p), nil
}

func TestReadBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for size, fits := range map[int]bool{0: true, 1024: true, 1025: false, 1 << 20: false} {
		if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
		data, err := ReadBounded(path, 1024)
		if fits != (err == nil) || fits && len(data) != size {
			t.Errorf("%d bytes: read %d, %v", size, len(data), err)
		}
		if err != nil && StatusOf(err) != ExitRefused {
			t.Errorf("%d bytes: status %d", size, StatusOf(err))
		}
	}
}

func TestReadEndless(t *testing.T) {
	if _, err := os.Stat("/dev/zero"); err != nil {
		t.Skip("skipped: there is no endless file here")
	}
	if _, err := ReadBounded("/dev/zero", MaxSmall); err == nil {
		t.Error("an endless file was read")
	}
	if line, err := FirstLine("/dev/zero", MaxSmall); err == nil {
		t.Errorf("an endless line was read: %d bytes", len(line))
	}
}

func TestFirstLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	long := strings.Repeat("x", 10)
	for text, want := range map[string]string{
		"": "", "one": "one", "one\n": "one", "one\r\ntwo": "one", "\ntwo": "",
		long: long, long + "\n" + strings.Repeat("z", 1<<20): long, long + "x": "refused", long + "x\n": "refused",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := FirstLine(path, 10)
		if err != nil {
			got = "refused"
		}
		if got != want {
			t.Errorf("%.20q: got %q, want %q (%v)", text, got, want, err)
		}
	}
}

func TestAnswerIsBounded(t *testing.T) {
	typed := &endless{}
	a := &App{Ctx: t.Context(), In: typed, Err: io.Discard}
	if _, err := a.Line(); StatusOf(err) != ExitUsage {
		t.Errorf("an endless answer: %v", err)
	}
	if typed.read > 2*maxAnswer {
		t.Errorf("%d bytes were read", typed.read)
	}
	a.In = strings.NewReader("yes\r\nrest")
	if got, err := a.Line(); got != "yes" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestText reads texts as echo of several systems writes them.
func TestText(t *testing.T) {
	for piped, want := range map[string]string{
		"bees\n": "bees", "bees \r\n": "bees ", "bees": "bees", "a\r\nb\n": "a\r\nb", "a\n\n": "a\n", "a\r": "a\r", "\n": "", "": "",
	} {
		a := &App{Ctx: t.Context(), In: strings.NewReader(piped)}
		if got, err := a.Text("-", 100); err != nil || got != want {
			t.Errorf("%q is %q (%v), want %q", piped, got, err, want)
		}
	}
}
