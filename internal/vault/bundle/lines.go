package bundle

import (
	"bufio"
	"cmp"
	"container/heap"
	"io"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/codec"
)

// lineSorter sorts any number of lines in bounded memory: it writes runs of sorted lines
// to a spool, and merges them.
type lineSorter struct {
	spool codec.Spool
	end   int64   // of the last run
	runs  []int64 // where each begins
	held  []string
	size  int // bytes of the held lines
}

// maxHeldLines is how many bytes of lines are held before they become a run.
const maxHeldLines = 1 << 20

// newLineSorter makes the spool with open; nil: the spool is in memory.
func newLineSorter(open func() (codec.Spool, error)) (*lineSorter, error) {
	spool, err := codec.Options{Spool: open}.NewSpool()
	return &lineSorter{spool: spool}, err
}

// add adds a line, which has no line break.
func (s *lineSorter) add(line string) error {
	s.held, s.size = append(s.held, line), s.size+len(line)
	if s.size < maxHeldLines {
		return nil
	}
	return s.spill()
}

// spill makes a run of the held lines.
func (s *lineSorter) spill() error {
	slices.Sort(s.held)
	s.runs = append(s.runs, s.end)
	out := bufio.NewWriter(s.spool)
	for _, line := range s.held {
		n, _ := out.WriteString(line + "\n") // Flush says what went wrong
		s.end += int64(n)
	}
	clear(s.held)
	s.held, s.size = s.held[:0], 0
	return out.Flush()
}

// each yields all lines in order.
func (s *lineSorter) each(yield func(line string) error) error {
	if err := s.spill(); err != nil {
		return err
	}
	s.held = nil
	var open lineRuns
	for i, begin := range s.runs {
		end := s.end
		if i+1 < len(s.runs) {
			end = s.runs[i+1]
		}
		r := &lineRun{in: bufio.NewReader(io.NewSectionReader(s.spool, begin, end-begin))}
		if more, err := r.next(); err != nil {
			return err
		} else if more {
			open = append(open, r)
		}
	}
	heap.Init(&open)
	for len(open) > 0 {
		if err := yield(open[0].line); err != nil {
			return err
		}
		more, err := open[0].next()
		if err != nil {
			return err
		}
		if more {
			heap.Fix(&open, 0)
		} else {
			heap.Pop(&open)
		}
	}
	return nil
}

// close frees the spool.
func (s *lineSorter) close() error { return s.spool.Close() }

// lineRun is a run that is being read.
type lineRun struct {
	in   *bufio.Reader
	line string
}

// next reads the next line, and reports whether there is one.
func (r *lineRun) next() (bool, error) {
	line, err := r.in.ReadString('\n')
	if err == io.EOF && line == "" {
		return false, nil
	}
	r.line = strings.TrimSuffix(line, "\n")
	return err == nil, err
}

// lineRuns is a heap of runs, the one with the least line first.
type lineRuns []*lineRun

func (h lineRuns) Len() int           { return len(h) }
func (h lineRuns) Less(i, j int) bool { return cmp.Less(h[i].line, h[j].line) }
func (h lineRuns) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }

// Push appends a run.
func (h *lineRuns) Push(x any) { *h = append(*h, x.(*lineRun)) }

// Pop removes the last run.
func (h *lineRuns) Pop() any {
	last := len(*h) - 1
	r := (*h)[last]
	*h = (*h)[:last]
	return r
}
