package canon_test

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/satchel-memory/satchel/canon"
)

// drain reads all elements and describes the end.
func drain(e *canon.Elements) (elements []string, err error) {
	for {
		raw, err := e.Next()
		if err != nil {
			if again, err2 := e.Next(); again != nil || err2 != err {
				return elements, fmt.Errorf("after %v came %v", err, err2)
			}
			if err == io.EOF {
				err = nil
			}
			return elements, err
		}
		if e.Index() != len(elements) {
			return elements, fmt.Errorf("element %d has index %d", len(elements), e.Index())
		}
		elements = append(elements, string(raw))
	}
}

func TestElements(t *testing.T) {
	const bom = "\xef\xbb\xbf"
	for _, test := range []struct {
		input  string
		layout canon.Layout
		want   string // elements, joined by |
	}{
		{``, canon.Lines, ``},
		{" \n\t", canon.Lines, ``},
		{bom, canon.Lines, ``},
		{`[]`, canon.List, ``},
		{" [ ] \n", canon.List, ``},
		{`[1]`, canon.List, `1`},
		{`[ 1 , "a,]" ,{"x":[1,{"y":"}"}]} , [ ] , null,-1.5e3 ]`, canon.List, `1|"a,]"|{"x":[1,{"y":"}"}]}|[ ]|null|-1.5e3`},
		{bom + `["` + bom + `"]`, canon.List, `"` + bom + `"`},
		{`["\"","\\","\\\"]"]`, canon.List, `"\""|"\\"|"\\\"]"`},
		{`{"a":1}`, canon.Single, `{"a":1}`},
		{"{\"a\":\n1}\r\n", canon.Single, "{\"a\":\n1}"},
		{`"x y"`, canon.Single, `"x y"`},
		{` 17 `, canon.Single, `17`},
		{"{}\n{\"a\":[1]}\n", canon.Lines, `{}|{"a":[1]}`},
		{"{} {}\t{}\r\n\r\n{}", canon.Lines, `{}|{}|{}|{}`},
		{"1 \"two\" null [3]", canon.Lines, `1|"two"|null|[3]`},
		{bom + "{}\n{}", canon.Lines, `{}|{}`},
	} {
		for name, r := range map[string]io.Reader{
			"whole":        strings.NewReader(test.input),
			"byte by byte": iotest.OneByteReader(strings.NewReader(test.input)),
			"data and EOF": iotest.DataErrReader(strings.NewReader(test.input)),
		} {
			e := canon.NewElements(r, canon.Options{})
			if e.Layout() != canon.Unread || e.Index() != -1 {
				t.Error("something was read before the first Next")
			}
			got, err := drain(e)
			if err != nil || strings.Join(got, "|") != test.want || e.Layout() != test.layout {
				t.Errorf("%q %s: got %q, layout %d, %v", test.input, name, got, e.Layout(), err)
			}
		}
	}
}

func TestElementsRefuse(t *testing.T) {
	for _, test := range []struct {
		input   string
		read    int // elements before the error
		kind    canon.Kind
		pointer string
		offset  int64
	}{
		{`[1,]`, 1, canon.Syntax, "/1", 3},
		{`[,1]`, 0, canon.Syntax, "/0", 1},
		{`[1,,2]`, 1, canon.Syntax, "/1", 3},
		{`[1 2]`, 1, canon.Syntax, "/1", 3},
		{`[{}{}]`, 1, canon.Syntax, "/1", 3},
		{`["a""b"]`, 1, canon.Syntax, "/1", 4},
		{`[1:2]`, 0, canon.Syntax, "/0", 2},
		{`[`, 0, canon.Syntax, "", 1},
		{`[1`, 1, canon.Syntax, "", 2},
		{`[1,`, 1, canon.Syntax, "", 3},
		{`[{"a":1`, 0, canon.Syntax, "/0", 7},
		{`["abc`, 0, canon.Syntax, "/0", 5},
		{`[1}`, 1, canon.Syntax, "/1", 2},
		{`[}]`, 0, canon.Syntax, "/0", 1},
		{`[{"a":]}]`, 0, canon.Syntax, "/0", 6},
		{`[1] 2`, 1, canon.Syntax, "", 4},
		{`[1],`, 1, canon.Syntax, "", 3},
		{`[]]`, 0, canon.Syntax, "", 2},
		{"[1]\n[2]", 1, canon.Syntax, "", 4},
		{`[0,{"a":1,"a":2}]`, 1, canon.DuplicateMember, "/1/a", 10},
		{`[0,{"n":[1e999]}]`, 1, canon.NumberOverflow, "/1/n/0", 9},
		{`[9007199254740993]`, 0, canon.IntegerInexact, "/0", 1},
		{`["` + "\xff" + `"]`, 0, canon.InvalidUTF8, "/0", 2},
		{`["\ud800"]`, 0, canon.LoneSurrogate, "/0", 2},
		{`[[[[[0]]]]]`, 0, canon.TooDeep, "/0/0/0/0", 4},
		{`[0,"0123456789012345678901234567890"]`, 1, canon.TooLarge, "/1", 35},
		{"{}\n{\"a\":tru}", 1, canon.Syntax, "/1/a", 11},
		{"{\"a\":1,\"a\":2}\n{}", 0, canon.DuplicateMember, "/0/a", 7},
		{`{"a":1,"a":2}`, 0, canon.DuplicateMember, "/a", 7},
		{"{}{}", 1, canon.Syntax, "/1", 2},
		{"1,2", 1, canon.Syntax, "/1", 1},
		{"{} x", 1, canon.Syntax, "/1", 3},
		{"{}]", 1, canon.Syntax, "/1", 2},
		{`{"a"`, 0, canon.Syntax, "/a", 4},
		{"// x\n{}", 0, canon.Syntax, "/0", 0},
		{"]", 0, canon.Syntax, "", 0},
		{"\xef\xbb\xbf[1,]", 1, canon.Syntax, "/1", 6},
		{"\xef\xbb", 0, canon.InvalidUTF8, "", 0},
	} {
		opt := canon.Options{Bytes: 32, Depth: 3}
		for _, r := range []io.Reader{strings.NewReader(test.input), iotest.OneByteReader(strings.NewReader(test.input))} {
			got, err := drain(canon.NewElements(r, opt))
			e, ok := errors.AsType[*canon.Error](err)
			if !ok || e.Kind != test.kind || e.Pointer != test.pointer || e.Offset != test.offset || len(got) != test.read {
				t.Errorf("%q: after %d elements %v (%q, %d); want after %d %v at %q byte %d", test.input, len(got), err, pointerOf(e), offsetOf(e), test.read, test.kind, test.pointer, test.offset)
			}
		}
	}
}

func pointerOf(e *canon.Error) string {
	if e == nil {
		return ""
	}
	return e.Pointer
}

func offsetOf(e *canon.Error) int64 {
	if e == nil {
		return -1
	}
	return e.Offset
}

// TestElementsCutOff: no beginning of a list passes for the list.
func TestElementsCutOff(t *testing.T) {
	const list = `[{"a":[1,"x\"]"]},-1.5e3,null,"é"]`
	for n := 1; n < len(list); n++ {
		if got, err := drain(canon.NewElements(strings.NewReader(list[:n]), canon.Options{})); err == nil {
			t.Errorf("%q passes as %q", list[:n], got)
		}
	}
}

// endless is a reader that repeats one character after a beginning. It counts.
type endless struct {
	begin string
	fill  byte
	given int64
	max   int64
}

func (r *endless) Read(p []byte) (int, error) {
	if r.given >= r.max {
		return 0, io.EOF
	}
	n := copy(p, r.begin)
	r.begin = r.begin[n:]
	for ; n < len(p); n++ {
		p[n] = r.fill
	}
	r.given += int64(n)
	return n, nil
}

// TestElementsBounded: one line of a gigabyte is refused at its limit, whatever its
// content.
func TestElementsBounded(t *testing.T) {
	const limit = 1 << 20
	for _, r := range []*endless{
		{begin: `"`, fill: 'a'}, {begin: `["`, fill: 'a'}, {begin: `{"`, fill: '\\'},
		{fill: '1'}, {fill: '{'}, {begin: `[1,`, fill: '['}, {begin: `{"a":`, fill: ' '}, {begin: `{`, fill: '"'},
	} {
		r.max = 1 << 30
		name := fmt.Sprintf("%s%c", r.begin, r.fill)
		_, err := drain(canon.NewElements(r, canon.Options{Bytes: limit}))
		if e, ok := errors.AsType[*canon.Error](err); !ok || e.Kind != canon.TooLarge {
			t.Errorf("%s…: %v", name, err)
		}
		if r.given > 2*limit {
			t.Errorf("%s…: %d bytes were read for a limit of %d", name, r.given, limit)
		}
	}
}

// repeated is a reader of n copies of a text.
type repeated struct {
	text string
	rest string
	n    int
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.rest == "" {
		if r.n == 0 {
			return 0, io.EOF
		}
		r.n--
		r.rest = r.text
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// TestElementsMemory: the memory in use does not grow with the stream.
func TestElementsMemory(t *testing.T) {
	const element, n = `{"a":[1,2,3],"b":"text"},`, 100_000 // 2.5 MB
	stream := io.MultiReader(strings.NewReader("["), &repeated{text: element, n: n}, strings.NewReader("0]"))
	e := canon.NewElements(stream, canon.Options{Bytes: 64})
	held := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := held()
	for {
		_, err := e.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if after := held(); after > before+1<<20 {
		t.Errorf("%d bytes are held", after-before)
	}
	if e.Index() != n {
		t.Errorf("the last index is %d", e.Index())
	}
}

// TestElementsReader: an error of the reader comes out unchanged, wherever it occurs.
func TestElementsReader(t *testing.T) {
	broken := errors.New("broken pipe")
	for _, input := range []string{"", "[", "[1", "[1,", `[{"a"`, "[1]", "1", "1 ", "1 2", "{", "{}", "{}\n{"} {
		r := io.MultiReader(strings.NewReader(input), iotest.ErrReader(broken))
		if _, err := drain(canon.NewElements(r, canon.Options{})); !errors.Is(err, broken) {
			t.Errorf("%q: %v", input, err)
		}
	}
}

// onceBroken fails once and then claims to be at its end.
type onceBroken struct {
	data string
	err  error
}

func (r *onceBroken) Read(p []byte) (int, error) {
	if n := copy(p, r.data); n > 0 {
		r.data = r.data[n:]
		return n, nil
	}
	err := r.err
	r.err = io.EOF
	return 0, err
}

// TestElementsReaderOnce: an error met while looking beyond the first value is not lost.
func TestElementsReaderOnce(t *testing.T) {
	broken := errors.New("broken pipe")
	got, err := drain(canon.NewElements(&onceBroken{data: "{} ", err: broken}, canon.Options{}))
	if !errors.Is(err, broken) || len(got) != 1 {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestElementsOffset(t *testing.T) {
	const stream = "\xef\xbb\xbf [ 1 , {\"a\": 2} ]"
	e := canon.NewElements(strings.NewReader(stream), canon.Options{})
	for {
		raw, err := e.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := stream[e.Offset():][:len(raw)]; got != string(raw) {
			t.Errorf("element %d is %q, at its offset is %q", e.Index(), raw, got)
		}
	}
	if e.Index() != 1 {
		t.Errorf("last index %d", e.Index())
	}
}

// Value returns the elements of Next as trees that do not change.
func TestElementsValue(t *testing.T) {
	e := canon.NewElements(strings.NewReader(`[{"a":1},"b"]`), canon.Options{})
	first, err := e.Value()
	if err != nil {
		t.Fatal(err)
	}
	if size := e.Size(); size != len(`{"a":1}`) {
		t.Errorf("%d bytes", size)
	}
	second, err := e.Value()
	if err != nil || first.Get("a").Float() != 1 || second.Text() != "b" {
		t.Errorf("%s, %s, %v", first.Append(nil), second.Append(nil), err)
	}
	if _, err := e.Value(); err != io.EOF {
		t.Errorf("got %v at the end", err)
	}
	broken := canon.NewElements(strings.NewReader(`[{"a":1,"a":2}]`), canon.Options{})
	if _, err := broken.Value(); err == nil {
		t.Error("a doubled member is taken")
	}
}
