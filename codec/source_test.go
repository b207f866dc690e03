package codec_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// broken is a file that cannot be read.
type broken struct{}

func (broken) ReadAt([]byte, int64) (int, error) { return 0, errors.New("the disk is gone") }

func TestHead(t *testing.T) {
	for _, c := range []struct {
		name, text, head, object string
		isObject                 bool
	}{
		{"an object", "\ufeff \n{}", " \n{}", "{}", true},
		{"an array", "[{}]", "[{}]", "[{}]", false},
		{"nothing", "", "", "", false},
		{"one byte order mark alone is left out", "\ufeff\ufeff{}", "\ufeff{}", "\ufeff{}", false},
		{"more than is looked at", "{" + strings.Repeat("x", codec.HeadSize), "{" + strings.Repeat("x", codec.HeadSize-1), "{" + strings.Repeat("x", codec.HeadSize-1), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := codec.Source{File: strings.NewReader(c.text), Size: int64(len(c.text))}
			if head, err := src.Head(); string(head) != c.head || err != nil {
				t.Errorf("the head is %.20q, %v", head, err)
			}
			if head, ok := src.ObjectHead(); string(head) != c.object || ok != c.isObject {
				t.Errorf("the object is %.20q, %v", head, ok)
			}
		})
	}
	t.Run("a file that is shorter by now", func(t *testing.T) {
		if head, err := (codec.Source{File: strings.NewReader("{"), Size: 5}).Head(); string(head) != "{" || err != nil {
			t.Errorf("%q, %v", head, err)
		}
	})
	t.Run("a file that cannot be read", func(t *testing.T) {
		src := codec.Source{File: broken{}, Size: 5}
		if _, err := src.Head(); err == nil {
			t.Error("it has a head")
		}
		if _, ok := src.ObjectHead(); ok {
			t.Error("it is an object")
		}
	})
	t.Run("a folder", func(t *testing.T) {
		if _, ok := (codec.Source{}).ObjectHead(); ok {
			t.Error("it is an object")
		}
	})
}

func TestMade(t *testing.T) {
	m := codec.ListReader{Records: []memory.Record{{ID: "a"}, {ID: "b"}}, Lost: []codec.Loss{{ID: "c"}}}
	for _, want := range []memory.ID{"a", "b"} {
		if r, err := m.Next(); r.ID != want || err != nil {
			t.Errorf("%s, %v; want %s", r.ID, err, want)
		}
	}
	if _, err := m.Next(); err != io.EOF {
		t.Error(err)
	}
	if lost := m.Losses(); len(lost) != 1 || lost[0].ID != "c" {
		t.Errorf("%v", lost)
	}
}
