package conversation

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"sync/atomic"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// mostBytes bounds a conversation if the options do not.
const mostBytes = 64 << 20

// Export is the files of an export: one file, or those of a folder. It yields their
// elements as JSON.
type Export struct {
	shape    Shape
	limits   codec.Limits
	files    []file
	read     int // files opened so far
	in       io.Closer
	elements *canon.Elements
	lost     codec.LossList // files that are not read
	err      error
	broke    bool         // the last error was in a file that breaks off
	done     atomic.Int64 // bytes read
	total    int64
	groups   *groups // elements that belong together, once known
	opt      codec.Options
}

// openExport finds the files of an export.
func openExport(src codec.Source, opt codec.Options, shape Shape) (*Export, error) {
	e := &Export{shape: shape, limits: opt.Limits, opt: opt}
	e.limits.Record = cmp.Or(e.limits.Record, mostBytes)
	e.limits = e.limits.Filled()
	if err := e.find(src); err != nil {
		return nil, err
	}
	for _, f := range e.files {
		e.total += f.size
	}
	if shape.Group != nil {
		e.total *= 2 // they are read twice
	}
	return e, nil
}

// next returns the next element, and io.EOF after the last. If only the element is faulty,
// e.err stays nil and the next call continues.
func (e *Export) next() (canon.Value, error) {
	if e.shape.Group != nil {
		return e.nextGroup()
	}
	for e.err == nil {
		if e.elements == nil {
			e.err = e.begin()
			continue
		}
		v, err := e.elements.Value()
		switch {
		case err == nil:
			e.lost.Add(codec.MendedLossesIn(e.At, e.elements.Repairs())...)
			return v, nil
		case errors.Is(err, io.EOF):
			e.err = e.end()
		default:
			return canon.Value{}, e.skip(err)
		}
	}
	return canon.Value{}, e.err
}

// skip continues after an element that is not JSON, or after the file if it breaks off
// there, and returns the fault. A file that cannot be read at all ends the export.
func (e *Export) skip(err error) error {
	if _, ok := errors.AsType[*canon.Error](err); !ok {
		e.err = err
		if _, ok := errors.AsType[*codec.ParseError](err); !ok {
			e.err = e.parseError(err)
		}
		return e.err
	}
	err = e.parseError(err)
	if e.broke = !e.elements.Skip(); e.broke {
		if ended := e.end(); ended != nil {
			e.err = ended
		}
	}
	return err
}

// begin opens the next file; io.EOF: there is none.
func (e *Export) begin() error {
	if e.read == len(e.files) {
		return io.EOF
	}
	f := e.files[e.read]
	in, err := f.open()
	if err != nil {
		return fmt.Errorf("open %s: %w", f.name, err)
	}
	e.read++
	e.in = in
	e.elements = canon.NewElements(f.part.decode(&countingReader{in, e.limits.Document, &e.done}, e.limits.Record), e.options())
	return nil
}

func (e *Export) options() canon.Options {
	return canon.Options{Bytes: e.limits.Record, Depth: e.limits.Depth, Inexact: !e.opt.Mend, Mend: e.opt.Mend}
}

// end closes the file.
func (e *Export) end() error {
	if e.in == nil {
		return nil
	}
	err := e.in.Close()
	e.in, e.elements = nil, nil
	return err
}

// Close closes the files that are open.
func (e *Export) Close() error {
	if e.groups != nil {
		return errors.Join(e.end(), e.groups.close())
	}
	return e.end()
}

// Reached implements [codec.Progress].
func (e *Export) Reached() (done, total int64) { return e.done.Load(), e.total }

// current returns the file that was opened last.
func (e *Export) current() file { return e.files[max(e.read-1, 0)] }

// Modified returns when the current file was last written: it dates what has no date. Zero:
// unknown.
func (e *Export) Modified() time.Time { return codec.Dated(e.current().modified) }

// Name returns the path of the current file; empty: the source itself is the file.
func (e *Export) Name() string { return e.current().name }

// Limits returns the limits in force.
func (e *Export) Limits() codec.Limits { return e.limits }

// At names a place in the current element, for losses.
func (e *Export) At(pointer string) string {
	return strings.TrimSpace(e.Name() + " " + e.path(pointer))
}

func (e *Export) path(pointer string) string {
	if e.groups != nil {
		return e.groups.path(pointer)
	}
	if e.elements == nil || e.elements.Layout() == canon.Single {
		return pointer
	}
	return fmt.Sprintf("/%d%s", e.elements.Index(), pointer)
}

// Lost returns a loss for each kind of data that was left out at a place of the current
// element. counts says how much, and kinds gives the order.
func (e *Export) Lost(pointer string, counts map[string]int, kinds ...string) (losses []codec.Loss) {
	for _, kind := range kinds {
		if n := counts[kind]; n > 0 {
			losses = append(losses, codec.Loss{Pointer: e.At(pointer), Reason: fmt.Sprintf("%d %s", n, kind)})
		}
	}
	return losses
}

// Fail returns the error of a place in the current element that breaks a rule.
func (e *Export) Fail(rule, pointer string, err error) error {
	v := e.violation(e.path(pointer), err)
	v.Rule = e.rule(rule)
	return v
}

// parseError turns an error of the JSON reader into one of this format.
func (e *Export) parseError(err error) error {
	refused, ok := errors.AsType[*canon.Error](err)
	if !ok {
		return fmt.Errorf("read %s: %w", e.Name(), err)
	}
	if e.current().part.Decode != nil && refused.Kind == canon.Syntax && errors.Is(err, io.ErrUnexpectedEOF) {
		return e.violation(e.path(""), errPage)
	}
	v := e.violation(refused.Pointer, err)
	if refused.Kind == canon.TooDeep || refused.Kind == canon.TooLarge {
		v.Rule = e.rule(RuleLimit)
	}
	return v
}

var errPage = errors.New("the page breaks off here; a better copy has the rest")

// limit returns the error of a document that exceeds a limit.
func (e *Export) limit(err error) *codec.ParseError {
	v := e.violation("", err)
	v.Rule = e.rule(RuleLimit)
	return v
}

func (e *Export) violation(pointer string, err error) *codec.ParseError {
	p := &codec.ParseError{Format: e.shape.Format, Path: pointer, Rule: e.rule(RuleJSON), Err: err}
	if e.read > 0 && e.Name() != "" {
		p.File = path.Clean(e.Name())
	}
	return p
}

// The numbers of the rules that all conversation formats have.
const (
	RuleJSON  = "1" // the files are JSON lists
	RuleShape = "2" // the elements of a list have the shape of its file
	RuleLimit = "3" // the limits hold
	RuleDraft = "4" // records have an owner and a date
)

func (e *Export) rule(number string) string { return strings.ToUpper(e.shape.Format) + "-" + number }

// countingReader counts the bytes it reads, and fails after a limit: an archive may hold
// more than it seems to.
type countingReader struct {
	in   io.Reader
	left int64
	done *atomic.Int64
}

var errFile = errors.New("more than may be read of a file; raise the limit")

// Read implements [io.Reader].
func (c *countingReader) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, errFile
	}
	n, err := c.in.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	c.done.Add(int64(n))
	return n, err
}
