package aicf_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/satchel-memory/satchel/aicf"
)

// packed packs each text as a member of one gzip file.
func packed(t testing.TB, texts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, text := range texts {
		w := gzip.NewWriter(&b)
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func expand(data []byte, limits aicf.Limits) (string, error) {
	in, err := aicf.Expand(bytes.NewReader(data), aicf.Options{Limits: limits})
	if err != nil {
		return "", err
	}
	out, err := io.ReadAll(in)
	return string(out), err
}

func TestExpand(t *testing.T) {
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"AICF-FILE-2 a packed file is what was packed", packed(t, short), short},
		{"AICF-FILE-3 a file that is not packed stays as it is", []byte(short), short},
		{"AICF-FILE-3 one byte is too few to be packed", []byte{0x1f}, "\x1f"},
		{"AICF-FILE-3 nothing stays nothing", nil, ""},
		{"AICF-FILE-4 all members are read", packed(t, short, "15|@STATE\n"), short + "15|@STATE\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, err := expand(c.data, aicf.Limits{}); err != nil || got != c.want {
				t.Errorf("got %q, %v", got, err)
			}
			if got, err := expand(c.data, aicf.Limits{File: max(1, int64(len(c.want)))}); err != nil || got != c.want {
				t.Errorf("at the limit: got %q, %v", got, err)
			}
		})
	}
}

func TestExpandRefuses(t *testing.T) {
	whole := packed(t, short)
	bomb := packed(t, strings.Repeat("0", 8<<20))
	for _, c := range []struct {
		name, rule string
		data       []byte
		limit      int64
	}{
		{"more than the limit", "AICF-FILE-5", whole, int64(len(short) - 1)},
		{"more than the limit, not packed", "AICF-FILE-5", []byte(short), int64(len(short) - 1)},
		{"a bomb", "AICF-FILE-5", bomb, 1 << 20},
		{"a header that is none", "AICF-FILE-4", []byte("\x1f\x8bnot packed at all"), 0},
		{"a torn member", "AICF-FILE-4", whole[:len(whole)-5], 0},
		{"something behind the last member", "AICF-FILE-4", append(bytes.Clone(whole), "stray"...), 0},
	} {
		t.Run(c.rule+" "+c.name, func(t *testing.T) {
			got, err := expand(c.data, aicf.Limits{File: c.limit})
			if ruleOf(err) != c.rule {
				t.Errorf("got %v", err)
			}
			if c.limit > 0 && int64(len(got)) > c.limit {
				t.Errorf("%d bytes came out, beyond the limit of %d", len(got), c.limit)
			}
		})
	}
	torn, err := expand(whole[:len(whole)-5], aicf.Limits{})
	if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.HasPrefix(short, torn) {
		t.Errorf("of a torn member came %q, %v", torn, err)
	}
	down := errors.New("the line is down")
	if _, err := aicf.Expand(iotest.ErrReader(down), aicf.Options{}); !errors.Is(err, down) {
		t.Errorf("got %v, want %v", err, down)
	}
}
