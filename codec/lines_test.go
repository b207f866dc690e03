package codec_test

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/satchel-memory/satchel/codec"
)

func TestLines(t *testing.T) {
	in, err := rules.Begin(file(""), codec.Options{Owner: "did:key:a", Limits: codec.Limits{Record: 20}}, "F-3")
	if err != nil || in.Text != nil {
		t.Fatal(in, err)
	}
	for name, test := range map[string]struct {
		in   io.Reader
		want []string
		rule string // of the error at the end, if it is one of the format
		fail error
	}{
		"lines":             {in: strings.NewReader("{\"a\":1}\n5\n\n[]"), want: []string{`/0 {"a":1}`, "/1 5", "/2 []"}},
		"a list":            {in: strings.NewReader(`[1, 2]`), want: []string{"/0 [1,2]"}},
		"nothing":           {in: strings.NewReader(" \n")},
		"no JSON":           {in: strings.NewReader("1\n{\n3"), want: []string{"/0 1", "/2 3"}, rule: "F-1"},
		"too long":          {in: strings.NewReader("1\n\"a line that is longer\"\n3"), want: []string{"/0 1", "/2 3"}, rule: "F-2"},
		"the last too long": {in: strings.NewReader("1\n\"a line that is longer\""), want: []string{"/0 1"}, rule: "F-2"},
		"ends of Windows":   {in: strings.NewReader("\ufeff1\r\n2\r\n"), want: []string{"/0 1", "/1 2"}},
		"a disk":            {in: iotest.ErrReader(errDisk), fail: errDisk},
		"what unpacks it":   {in: iotest.ErrReader(rules.Violation("F-4", "", errDisk)), rule: "F-4"},
		"doubled members":   {in: strings.NewReader(`{"a":1,"a":2}`), rule: "F-1"},
		"a cut last value":  {in: strings.NewReader("1\n[2"), want: []string{"/0 1"}, rule: "F-1"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			var last error
			for it, err := range in.Lines(test.in) {
				last = cmp.Or(last, err)
				if err == nil {
					got = append(got, it.Pointer+" "+string(it.Value.Append(nil)))
				}
			}
			p, ok := errors.AsType[*codec.ParseError](last)
			switch {
			case !slices.Equal(got, test.want):
				t.Errorf("got %q", got)
			case ok != (test.rule != "") || ok && p.Rule != test.rule, test.fail != nil && !errors.Is(last, test.fail):
				t.Errorf("got %v", last)
			case last != nil && !ok && test.fail == nil:
				t.Errorf("got %v", last)
			}
		})
	}
	n := 0
	for range in.Lines(strings.NewReader("1\n2\n")) {
		n++
		break
	}
	if n != 1 {
		t.Errorf("%d after the stop", n)
	}
	if _, err := rules.Begin(file(""), codec.Options{}, "F-3"); err == nil {
		t.Error("nobody owns it")
	}
}
