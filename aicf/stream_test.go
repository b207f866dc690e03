package aicf_test

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/aicf"
)

// scan reads all sections of a stream.
func scan(in io.Reader, o aicf.Options) (*aicf.Scanner, []aicf.Section, error) {
	s := aicf.NewScanner(in, o)
	var all []aicf.Section
	for {
		section, err := s.Next()
		if errors.Is(err, io.EOF) {
			return s, all, nil
		}
		if err != nil {
			return s, all, err
		}
		all = append(all, section)
	}
}

func TestScannerFindsWhatParseFinds(t *testing.T) {
	for _, v := range syntaxVectors(t) {
		t.Run(v.rule+" AICF-SIZE-4 "+v.name, func(t *testing.T) {
			s, sections, err := scan(iotest.OneByteReader(strings.NewReader(v.in)), aicf.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(v.want, syntaxOf(s, sections)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestScannerOverBlocks reads a file of many blocks, with all that is odd about one.
func TestScannerOverBlocks(t *testing.T) {
	t.Run("AICF-SIZE-4", func(t *testing.T) {
		var b strings.Builder
		for i := range 5_000 {
			fmt.Fprintf(&b, "%d|@CONVERSATION:c%d\n%d|topic=é\\x %s\n", 3*i+1, i, 3*i+2, strings.Repeat("y", i%400))
			if i%1000 > 0 {
				fmt.Fprintf(&b, "%d|\r\n", 3*i+3)
			}
		}
		f := parse(t, b.String())
		s, sections, err := scan(iotest.DataErrReader(strings.NewReader(b.String())), aicf.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if syntaxOf(f, sectionsOf(f)) != syntaxOf(s, sections) {
			t.Error("the stream differs from the whole")
		}
	})
}

func TestScannerParts(t *testing.T) {
	t.Run("AICF-SIZE-4 a section of many entries comes in parts, and no entry is lost", func(t *testing.T) {
		text := "@INSIGHTS\n" + strings.Repeat("@INSIGHTS water the roses at dawn|GENERAL|LOW|HIGH\n", 60_000) + "\n"
		s, sections, err := scan(strings.NewReader(text), aicf.Options{})
		if err != nil || len(sections) < 3 || s.Lines() != 60_002 {
			t.Fatalf("%d sections of %d lines, %v", len(sections), s.Lines(), err)
		}
		var raw []string
		for _, section := range sections {
			if section.Name() != "INSIGHTS" {
				t.Errorf("a part is called %q", section.Name())
			}
			raw = append(raw, section.Raw())
		}
		if strings.Join(raw, "\n")+"\n" != text {
			t.Error("the parts are not the whole")
		}
	})
}

func TestScannerRefuses(t *testing.T) {
	small := aicf.Options{Limits: aicf.Limits{Line: 1 << 20}}
	for _, c := range []struct{ rule, text string }{
		{"AICF-SIZE-4", "@STATE\n" + strings.Repeat("key=value\n", 200_000)},
		{"AICF-SIZE-2", "@STATE\nkey=" + strings.Repeat("value", 400_000)},
	} {
		t.Run(c.rule, func(t *testing.T) {
			s, _, err := scan(strings.NewReader(c.text), small)
			if ruleOf(err) != c.rule {
				t.Errorf("got %v", err)
			}
			if _, again := s.Next(); !errors.Is(again, err) {
				t.Errorf("the next call says %v", again)
			}
		})
	}
	broken := errors.New("the line is down")
	if _, _, err := scan(iotest.ErrReader(broken), aicf.Options{}); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
}

// endless yields so many bytes of a file, without holding them.
type endless struct {
	left, line int
	rest       []byte
}

func (e *endless) Read(p []byte) (int, error) {
	for len(e.rest) < len(p) && e.left > 0 {
		before := len(e.rest)
		e.rest = fmt.Appendf(e.rest, "%d|@CONVERSATION:conv_%d\n%d|topic=%0200d\n%d|\n", e.line+1, e.line, e.line+2, e.line, e.line+3)
		e.line += 3
		e.left -= len(e.rest) - before
	}
	n := copy(p, e.rest)
	e.rest = append(e.rest[:0], e.rest[n:]...)
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func TestScannerMemory(t *testing.T) {
	t.Run("AICF-SIZE-4 AICF-SIZE-1 AICF-VALC-4 memory does not grow with the file, and its size is told", func(t *testing.T) {
		defer debug.SetGCPercent(debug.SetGCPercent(20))
		s := aicf.NewScanner(&endless{left: 100 << 20}, aicf.Options{})
		var peak uint64
		sections := 0
		for {
			_, err := s.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if sections++; sections%50_000 == 0 {
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				peak = max(peak, m.HeapAlloc)
			}
		}
		if !warnsOf(s.Findings(), "AICF-SIZE-1") {
			t.Errorf("found %v", s.Findings())
		}
		if sections < 400_000 || peak > 32<<20 || peak == 0 {
			t.Errorf("%d sections, at most %d KiB in use", sections, peak>>10)
		}
	})
}
