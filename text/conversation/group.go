package conversation

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// groups lists where the elements of an export stand, in the order of the groups that they
// belong to.
type groups struct {
	entries []entry
	next    int
	now     []entry // the present group
	lists   []bool  // by file: whether it is a list
	files   []at    // by file
	bad     []refusal
}

// refusal is the error of an element, or of a file that breaks off.
type refusal struct {
	err   error
	broke bool
}

// at is a file with random access.
type at struct {
	io.ReaderAt
	close func() error
}

// entry is where an element stands.
type entry struct {
	when   time.Time
	offset int64
	length int
	file   int
	index  int // in the file
	group  int // elements with the same number belong together
}

// nextGroup returns the elements of the next group.
func (e *Export) nextGroup() (canon.Value, error) {
	if e.err == nil && e.groups == nil {
		e.err = e.gather()
	}
	if e.err != nil {
		return canon.Value{}, e.err
	}
	g := e.groups
	if len(g.bad) > 0 {
		first := g.bad[0]
		g.bad, e.broke = g.bad[1:], first.broke
		return canon.Value{}, first.err
	}
	if g.next == len(g.entries) {
		e.err = io.EOF
		return canon.Value{}, e.err
	}
	from := g.next
	for g.next < len(g.entries) && g.entries[g.next].group == g.entries[from].group {
		g.next++
	}
	g.now = g.entries[from:g.next]
	e.read = g.now[0].file + 1
	var list []canon.Value
	left := e.limits.Record
	for _, at := range g.now {
		if left -= int64(at.length); left < 0 {
			return canon.Value{}, e.Fail(RuleLimit, "", fmt.Errorf("more than %d bytes belong together; raise the limit", e.limits.Record))
		}
		v, err := e.reread(at)
		if err != nil {
			e.err = err
			return canon.Value{}, err
		}
		list = append(list, v)
	}
	return canon.Array(list...), nil
}

// reread reads an element again that was checked before.
func (e *Export) reread(at entry) (canon.Value, error) {
	raw := make([]byte, at.length)
	if _, err := e.groups.files[at.file].ReadAt(raw, at.offset); err != nil && !errors.Is(err, io.EOF) {
		return canon.Value{}, fmt.Errorf("read %s: %w", e.Name(), err)
	}
	e.done.Add(int64(at.length))
	v, err := canon.Parse(raw, e.options())
	if err != nil {
		return v, fmt.Errorf("read %s: it has changed: %w", e.Name(), err)
	}
	return v, nil
}

// gather reads all files and finds the elements that belong together.
func (e *Export) gather() error {
	g := &grouping{numbers: map[string]int{}}
	for e.read < len(e.files) {
		if err := g.file(e); err != nil {
			if closed := g.close(); closed != nil {
				err = errors.Join(err, closed)
			}
			return err
		}
	}
	slices.SortFunc(g.entries, func(a, b entry) int {
		return cmp.Or(g.firsts[a.group].Compare(g.firsts[b.group]), cmp.Compare(a.group, b.group), a.when.Compare(b.when), cmp.Compare(b.file, a.file), cmp.Compare(b.index, a.index))
	})
	if g.others > 0 {
		e.lost.Add(codec.Loss{Reason: fmt.Sprintf("%d %s", g.others, LostElements)})
	}
	e.groups = &g.groups
	return nil
}

// grouping collects groups that are not yet complete.
type grouping struct {
	groups
	numbers map[string]int // of groups, by name
	firsts  []time.Time    // by number: the time of the group's first element
	others  int            // elements of no group
}

// file records where the elements of the next file stand.
func (g *grouping) file(e *Export) error {
	if err := e.begin(); err != nil {
		return err
	}
	layout := canon.Unread
	for more := true; more; {
		err := g.take(e)
		layout = e.elements.Layout()
		switch {
		case errors.Is(err, io.EOF):
			more = false
		case err != nil:
			if err = e.skip(err); e.err != nil {
				return e.err
			}
			g.bad = append(g.bad, refusal{err, e.broke})
			more = e.elements != nil
		}
	}
	g.lists = append(g.lists, layout != canon.Single)
	return g.keep(e)
}

// take records where the next element of the current file stands.
func (g *grouping) take(e *Export) error {
	v, err := e.elements.Value()
	if err != nil {
		return err
	}
	e.lost.Add(codec.MendedLossesIn(e.At, e.elements.Repairs())...)
	group, when, ok := e.shape.Group(v)
	if !ok {
		g.others++
		return nil
	}
	if len(g.entries) == e.limits.Records {
		return e.Fail(RuleLimit, "", fmt.Errorf("more than %d elements; split the export, or raise the limit", e.limits.Records))
	}
	number, known := g.numbers[group]
	if !known || group == "" {
		number = len(g.firsts)
		g.numbers[group] = number
		g.firsts = append(g.firsts, when)
	}
	if when.Before(g.firsts[number]) {
		g.firsts[number] = when
	}
	g.entries = append(g.entries, entry{when, e.elements.Offset(), e.elements.Size(), e.read - 1, e.elements.Index(), number})
	return nil
}

// keep keeps the current file for the second reading. It copies a file without random
// access, or one that is not JSON, to a spool.
func (g *groups) keep(e *Export) error {
	if err := e.end(); err != nil {
		return err
	}
	in, err := e.current().open()
	if err != nil {
		return fmt.Errorf("open %s: %w", e.Name(), err)
	}
	part := e.current().part
	if file, ok := in.(io.ReaderAt); ok && part.Decode == nil {
		g.files = append(g.files, at{file, in.Close})
		return nil
	}
	spool, err := e.opt.NewSpool()
	if err == nil {
		g.files = append(g.files, at{spool, spool.Close})
		_, err = io.Copy(spool, io.LimitReader(part.decode(in, e.limits.Record), e.limits.Document))
	}
	return errors.Join(err, in.Close())
}

func (g *groups) close() error {
	var errs []error
	for _, f := range g.files {
		errs = append(errs, f.close())
	}
	g.files = nil
	return errors.Join(errs...)
}

// path names a place in the first element of the present group.
func (g *groups) path(pointer string) string {
	if len(g.now) == 0 || !g.lists[g.now[0].file] {
		return pointer
	}
	return fmt.Sprintf("/%d%s", g.now[0].index, pointer)
}
