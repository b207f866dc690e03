package canon_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/canon"
)

func textOf(t testing.TB, s string, opt canon.Options) *canon.Text {
	t.Helper()
	text, err := canon.NewText(strings.NewReader(s), 0, int64(len(s)), opt)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// spaced draws a JSON text: a tree of short values, with white space anywhere.
func spaced(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		gap := rapid.SampledFrom([]string{"", "", " ", "\n\t"})
		kind := rapid.IntRange(0, 4).Draw(t, "kind")
		if depth == 0 || kind == 0 {
			return rapid.SampledFrom([]string{"null", "true", "-0", "1e2", "12", `""`, `"\\\""`, `"é"`, `"\u00e9]"`, `"{,"`, "9007199254740993"}).Draw(t, "scalar")
		}
		var b strings.Builder
		seen := map[string]bool{}
		for range rapid.IntRange(0, 5).Draw(t, "size") {
			name := rapid.SampledFrom([]string{`"a"`, `"b"`, `"\u0062b"`, `"é"`, `"😀"`, `"\ufb33"`, `"\r"`}).Draw(t, "name")
			if kind < 3 && seen[name] {
				continue
			}
			seen[name] = true
			if b.Len() > 0 {
				b.WriteString(gap.Draw(t, "gap") + "," + gap.Draw(t, "gap"))
			}
			if kind < 3 {
				b.WriteString(name + gap.Draw(t, "gap") + ":" + gap.Draw(t, "gap"))
			}
			b.WriteString(spaced(depth-1).Draw(t, "value"))
		}
		inside := gap.Draw(t, "gap") + b.String() + gap.Draw(t, "gap")
		if kind < 3 {
			return "{" + inside + "}"
		}
		return "[" + inside + "]"
	})
}

// TestTextIsCanonical: a text read in pieces, however small, has the same canonical form as
// a text read as a whole.
func TestTextIsCanonical(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := spaced(5).Draw(rt, "text")
		want, err := canon.Canonical([]byte(s), canon.Options{Inexact: true})
		if err != nil {
			rt.Fatal(err)
		}
		text := textOf(t, " "+s+"\n", canon.Options{Bytes: rapid.Int64Range(18, 60).Draw(rt, "piece"), Inexact: true})
		var got bytes.Buffer
		if err := text.WriteCanonical(&got, text.Root()); err != nil || got.String() != string(want) {
			rt.Fatalf("%s\ngot  %s (%v)\nwant %s", s, &got, err, want)
		}
		if err := text.Check(); err != nil {
			rt.Fatal(err)
		}
	})
}

// TestTextRefusesWhatCheckRefuses: a damaged text gets one verdict from reading it in
// pieces and as a whole. If it is JSON but not strict, both name the same place.
func TestTextRefusesWhatCheckRefuses(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := spaced(5).Draw(rt, "text")
		at := rapid.IntRange(0, len(s)).Draw(rt, "at")
		spoil := rapid.SampledFrom([]string{"", ",", ":", "[", "}", `"`, "\xff", `\`, "0", `{"a":1,"a":2}`, `"\ud800"`, "1e999", "[[[[[[[[1]]]]]]]]"}).Draw(rt, "spoil")
		s = s[:at] + spoil + s[at+rapid.IntRange(0, min(1, len(s)-at)).Draw(rt, "cut"):]
		want := canon.Check([]byte(s), canon.Options{Inexact: true, Depth: 8})
		text := textOf(t, s, canon.Options{Bytes: rapid.Int64Range(18, 60).Draw(rt, "piece"), Inexact: true, Depth: 8})
		got := text.Check()
		if e := kindOf(got); e != nil && e.Kind == canon.TooLarge {
			return // a name that is longer than a piece
		}
		if (got == nil) != (want == nil) {
			rt.Fatalf("%q\ngot  %v\nwant %v", s, got, want)
		}
		written := text.WriteCanonical(io.Discard, text.Root())
		if want == nil && written != nil || want != nil && written == nil && text.Rest() == int64(len(s)) {
			rt.Fatalf("%q is written: %v, want %v", s, written, want)
		}
		g, w := kindOf(got), kindOf(want)
		if g != nil && w != nil && g.Kind == canon.Syntax && g.Offset == w.Offset {
			return // outside of strings the kind of fault may differ
		}
		if w != nil && w.Kind != canon.Syntax && w.Kind != canon.InvalidUTF8 && (g.Kind != w.Kind || g.Pointer != w.Pointer) {
			rt.Fatalf("%q\ngot  %v\nwant %v", s, got, want)
		}
	})
}

func kindOf(err error) *canon.Error {
	e, _ := errors.AsType[*canon.Error](err)
	return e
}

// TestTextCutOff: no beginning of a text passes for the text.
func TestTextCutOff(t *testing.T) {
	const whole = ` {"a":[1,{"b":"x\"]"},[[]],-1.5e3],"c":{"d":null,"é":"\\"}}`
	for n := range len(whole) {
		text := textOf(t, whole[:n], canon.Options{Bytes: 9})
		if err := text.Check(); err == nil {
			t.Errorf("%q passes", whole[:n])
		}
		if err := text.WriteCanonical(io.Discard, text.Root()); err == nil && n > 0 {
			t.Errorf("%q is written", whole[:n])
		}
	}
}

func TestTextParts(t *testing.T) {
	const s = "\xef\xbb\xbf {\"a\" : [1, 22 ,{\"x\":3}] ,\"b/c\":\"" + "0123456789" + "\"} "
	text := textOf(t, s, canon.Options{Bytes: 12})
	parts, err := text.Members(text.Root())
	if err != nil || len(parts) != 2 || parts[0].Name != "a" || parts[1].Name != "b/c" {
		t.Fatal(parts, err)
	}
	if got := s[parts[0].At.Start:parts[0].At.End]; got != `[1, 22 ,{"x":3}]` {
		t.Errorf("a lies at %q", got)
	}
	var items []string
	err = text.Items(parts[0].At, func(i int, at canon.Extent, raw []byte) error {
		items = append(items, fmt.Sprintf("%d %s %t", i, raw, s[at.Start:at.End] == string(raw)))
		return nil
	})
	if got := strings.Join(items, "|"); err != nil || got != `0 1 true|1 22 true|2 {"x":3} true` {
		t.Errorf("items %q, %v", got, err)
	}
	if v, err := text.Value(parts[1].At); err != nil || v.Text() != "0123456789" {
		t.Errorf("b/c is %q, %v", v.Text(), err)
	}
	if _, err := text.Value(parts[0].At); kindOf(err) == nil || kindOf(err).Kind != canon.TooLarge {
		t.Errorf("a value that cannot be held: %v", err)
	}
	var out bytes.Buffer
	if err := text.WriteCanonical(&out, text.Root(), "a"); err != nil || out.String() != `{"b/c":"0123456789"}` {
		t.Errorf("without a: %s, %v", &out, err)
	}
	if err := text.Items(text.Root(), nil); err == nil {
		t.Error("an object has items")
	}
	if _, err := text.Members(parts[0].At); err == nil {
		t.Error("an array has members")
	}
}

func TestTextRest(t *testing.T) {
	for s, want := range map[string]int64{"{} ": 3, "{}\n{}": 3, "1 2": 2, "": 0, "  ": 2, `"a"x`: 3} {
		if got := textOf(t, s, canon.Options{}).Rest(); got != want {
			t.Errorf("%q goes on at %d, want %d", s, got, want)
		}
	}
	if err := textOf(t, "{} {}", canon.Options{}).Check(); kindOf(err) == nil || kindOf(err).Offset != 3 {
		t.Errorf("two values: %v", err)
	}
}

// TestTextLimits: a value that cannot be held is refused, wherever it lies.
func TestTextLimits(t *testing.T) {
	long := strings.Repeat("x", 200<<10)
	var names strings.Builder
	for i := range 5_000 {
		fmt.Fprintf(&names, `"%d":1,`, i)
	}
	for name, s := range map[string]string{
		"string":        `[1,"` + long + `"]`,
		"number":        `[` + strings.Repeat("1", 200<<10) + `]`,
		"name":          `{"` + long + `":1}`,
		"string member": `{"a":"` + long + `"}`,
		"names":         `{` + names.String() + `"a":1}`,
	} {
		text := textOf(t, s, canon.Options{Bytes: 20 << 10, Inexact: true})
		for _, err := range []error{text.Check(), text.WriteCanonical(io.Discard, text.Root())} {
			if e := kindOf(err); e == nil || e.Kind != canon.TooLarge {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	deep := textOf(t, strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000), canon.Options{Bytes: 100})
	if e := kindOf(deep.Check()); e == nil || e.Kind != canon.TooDeep {
		t.Errorf("deep: %v", e)
	}
}

var errDisk = errors.New("the disk is broken")

// failing fails from an offset on.
type failing struct {
	s    string
	from int64
}

func (f failing) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > f.from {
		return 0, errDisk
	}
	return strings.NewReader(f.s).ReadAt(p, off)
}

// TestTextReader: an error of the reader is no error of the text.
func TestTextReader(t *testing.T) {
	s := `{"a":[` + strings.Repeat(`"0123456789",`, 50_000) + `1]}`
	if _, err := canon.NewText(failing{s, 100_000}, 0, int64(len(s)), canon.Options{}); !errors.Is(err, errDisk) {
		t.Errorf("got %v", err)
	}
	if _, err := canon.NewText(strings.NewReader(s), 0, int64(len(s))+10, canon.Options{}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a source that is shorter than it says: %v", err)
	}
	text := textOf(t, s, canon.Options{Bytes: 1000})
	if err := text.WriteCanonical(brokenPipe{}, text.Root()); !errors.Is(err, errDisk) {
		t.Errorf("got %v", err)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errDisk }

// TestTextMemory: the memory in use does not grow with the text, whatever its shape.
func TestTextMemory(t *testing.T) {
	record := `{"id":"` + strings.Repeat("i", 90) + `","n":[1,2,3]},`
	records := strings.Repeat(record, 400_000)
	s := `{"z":[` + records + `0],"a":{"m":[[` + records[:len(records)-1] + `]]}}` // 92 MB
	records = ""
	text := textOf(t, s, canon.Options{Bytes: 1 << 20})
	var before, during runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	peak := &watcher{every: 16 << 20, see: func() {
		runtime.GC()
		runtime.ReadMemStats(&during)
	}}
	if err := text.WriteCanonical(peak, text.Root()); err != nil {
		t.Fatal(err)
	}
	if grown := int64(during.HeapAlloc) - int64(before.HeapAlloc); grown > 8<<20 || during.NumGC == 0 {
		t.Errorf("%d bytes are held of %d", grown, len(s))
	}
	runtime.KeepAlive(s)
}

// watcher calls a function after every so many bytes.
type watcher struct {
	n, every int64
	see      func()
}

func (w *watcher) Write(p []byte) (int, error) {
	if w.n += int64(len(p)); w.n >= w.every {
		w.n = 0
		w.see()
	}
	return len(p), nil
}

// BenchmarkText measures the canonical form in pieces beside that in memory.
func BenchmarkText(b *testing.B) {
	var s strings.Builder
	s.WriteString(`{"chunks":[`)
	for i := range 50_000 {
		fmt.Fprintf(&s, `{"id":"urn:aimem:p:%d","content":"%x","memory_type":"fact","created_at":"2026-01-01T00:00:00Z","w":0.25},`, i, rand.Uint64())
	}
	s.WriteString(`0]}`)
	data := s.String()
	b.Run("in pieces", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			text, err := canon.NewText(strings.NewReader(data), 0, int64(len(data)), canon.Options{Bytes: 1 << 20})
			if err != nil {
				b.Fatal(err)
			}
			if err := text.WriteCanonical(io.Discard, text.Root()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("in memory", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			if _, err := canon.Canonical([]byte(data), canon.Options{Bytes: 1 << 30}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
