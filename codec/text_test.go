package codec_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/codec"
)

var rules = codec.Rules{Format: "f", JSON: "F-1", Limit: "F-2"}

func file(text string) codec.Source {
	return codec.Source{Name: "x.json", File: strings.NewReader(text), Size: int64(len(text))}
}

func TestText(t *testing.T) {
	opt := codec.Options{Limits: codec.Limits{Document: 60, Record: 20, Depth: 3}.Filled()}
	for name, test := range map[string]struct {
		src        codec.Source
		rule, path string
	}{
		"a folder":        {codec.Source{Name: "x"}, "F-1", ""},
		"no JSON":         {file(`{"a":[1,}`), "F-1", "/a"},
		"nothing":         {file(""), "F-1", ""},
		"doubled members": {file(`{"a":1,"a":2}`), "F-1", "/a"},
		"nested":          {file(`[[[[]]]]`), "F-2", "/0/0/0"},
		"a long text":     {file(`{"a":"` + strings.Repeat("x", 30) + `"}`), "F-2", "/a"},
		"a long document": {file(`[` + strings.Repeat(" ", 60) + `]`), "F-2", ""},
		"a list":          {file(`[[1],[2]]`), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := rules.Text(test.src, opt)
			p, ok := errors.AsType[*codec.ParseError](err)
			switch {
			case test.rule == "" && err != nil, test.rule != "" && !ok:
				t.Errorf("got %v", err)
			case ok && (p.Rule != test.rule || p.Path != test.path || p.Format != "f"):
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("a disk that is gone", func(t *testing.T) {
		if _, err := rules.Text(codec.Source{File: broken{}, Size: 5}, opt); err == nil || errors.As(err, new(*codec.ParseError)) {
			t.Errorf("got %v", err)
		}
	})
}

func TestItems(t *testing.T) {
	opt := codec.Options{Limits: codec.Limits{Record: 20}.Filled()}
	text, err := rules.Text(file(`{"n":1,"list":[ {"a":1}, ["a long one","it is longer"], 5 ]}`), opt)
	if err != nil {
		t.Fatal(err)
	}
	parts, ok, err := rules.Members(text, text.Root())
	if err != nil || !ok || len(parts) != 2 || parts[1].Name != "list" {
		t.Fatalf("members %v, %v, %v", parts, ok, err)
	}
	if _, ok, err := rules.Members(text, parts[1].At); ok || err != nil {
		t.Errorf("a list has members: %v, %v", ok, err)
	}
	var got []string
	for it, err := range rules.Items(text, parts[1].At, "/list", opt) {
		if err != nil {
			p, _ := errors.AsType[*codec.ParseError](err)
			got = append(got, p.Rule+" "+p.Path)
			continue
		}
		got = append(got, it.Pointer+" "+string(it.Value.Append(nil)))
	}
	if want := `/list/0 {"a":1}|F-2 /list/1|/list/2 5`; strings.Join(got, "|") != want {
		t.Errorf("got %q, want %q", got, want)
	}
	n := 0
	for range rules.Items(text, parts[1].At, "/list", opt) {
		n++
		break
	}
	if n != 1 {
		t.Errorf("%d items after the stop", n)
	}
	t.Run("of what is no list", func(t *testing.T) {
		for _, err := range rules.Items(text, parts[0].At, "/n", opt) {
			if err == nil {
				t.Error("it has items")
			}
		}
	})
}
