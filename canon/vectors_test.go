package canon_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/canon"
)

// vector is one file of testdata: lines "name: value", an empty line, the input,
// a newline. With "input: quoted" the input is a Go string literal.
type vector struct {
	says    string
	rule    string
	expect  string // "ok" or a kind
	output  string // canonical form, if ok
	pointer string
	offset  int64
	opt     canon.Options
	input   []byte
}

func readVectors(t testing.TB) map[string]vector {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no vectors in testdata: %v", err)
	}
	vectors := map[string]vector{}
	for _, path := range paths {
		v, err := readVector(path)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		vectors[strings.TrimSuffix(filepath.Base(path), ".txt")] = v
	}
	return vectors
}

func readVector(path string) (v vector, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return v, err
	}
	head, body, ok := strings.Cut(string(text), "\n\n")
	if !ok {
		return v, errors.New("no empty line after the head")
	}
	body = strings.TrimSuffix(body, "\n")
	for line := range strings.SplitSeq(head, "\n") {
		name, value, _ := strings.Cut(line, ": ")
		switch strings.TrimSuffix(name, ":") {
		case "says":
			v.says = value
		case "rule":
			v.rule = value
		case "expect":
			v.expect = value
		case "output":
			v.output = value
		case "pointer":
			v.pointer = value
		case "offset":
			v.offset, err = strconv.ParseInt(value, 10, 64)
		case "options":
			err = v.option(value)
		case "input":
			body, err = strconv.Unquote(body)
		default:
			err = fmt.Errorf("unknown line %q", name)
		}
		if err != nil {
			return v, err
		}
	}
	v.input = []byte(body)
	if v.expect == "" || v.rule == "" || (v.expect == "ok") != (v.output != "") {
		return v, errors.New("head is incomplete")
	}
	return v, nil
}

func (v *vector) option(s string) error {
	name, value, _ := strings.Cut(s, "=")
	n, err := strconv.Atoi(value)
	switch name {
	case "inexact":
		v.opt.Inexact, err = true, nil
	case "depth":
		v.opt.Depth = n
	case "bytes":
		v.opt.Bytes = int64(n)
	default:
		return fmt.Errorf("unknown option %q", name)
	}
	return err
}

func TestVectors(t *testing.T) {
	for name, v := range readVectors(t) {
		t.Run(v.rule+" "+name, func(t *testing.T) {
			got, err := canon.Canonical(v.input, v.opt)
			if v.expect == "ok" {
				checkAccepted(t, v, got, err)
			} else {
				checkRefused(t, v, err)
			}
		})
	}
}

func checkAccepted(t *testing.T, v vector, got []byte, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: refused: %v", v.says, err)
	}
	if string(got) != v.output {
		t.Errorf("%s:\n got %s\nwant %s", v.says, got, v.output)
	}
	if err := canon.Check(v.input, v.opt); err != nil {
		t.Errorf("Check refuses what Canonical takes: %v", err)
	}
	tree, err := canon.Parse(v.input, v.opt)
	if err != nil {
		t.Fatalf("Parse refuses what Canonical takes: %v", err)
	}
	if got := tree.AppendCanonical(nil); string(got) != v.output {
		t.Errorf("%s: AppendCanonical:\n got %s\nwant %s", v.says, got, v.output)
	}
}

func checkRefused(t *testing.T, v vector, err error) {
	t.Helper()
	got, ok := errors.AsType[*canon.Error](err)
	if !ok {
		t.Fatalf("%s: got %v, want %s", v.says, err, v.expect)
	}
	if got.Kind.String() != v.expect || got.Pointer != v.pointer || got.Offset != v.offset {
		t.Errorf("%s: got %s at %q byte %d, want %s at %q byte %d", v.says,
			got.Kind, got.Pointer, got.Offset, v.expect, v.pointer, v.offset)
	}
	if err2 := canon.Check(v.input, v.opt); err2 == nil || err2.Error() != err.Error() {
		t.Errorf("Check says %v, Canonical %v", err2, err)
	}
	if _, err2 := canon.Parse(v.input, v.opt); err2 == nil || err2.Error() != err.Error() {
		t.Errorf("Parse says %v, Canonical %v", err2, err)
	}
}
