package codec_test

import (
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

var errDisk = errors.New("the disk is gone")

// steps is a walk through records and errors. It counts the taken ones.
func steps(taken *int, list ...any) codec.Walk {
	return func(yield func(memory.Record, error) bool) {
		for _, step := range list {
			*taken++
			id, _ := step.(memory.ID)
			err, _ := step.(error)
			if !yield(memory.Record{ID: id}, err) {
				return
			}
		}
	}
}

func wrong(rule string) error {
	return codec.Rules{Format: "f"}.Violation(rule, "", errors.New("is wrong"))
}

func TestWalked(t *testing.T) {
	taken := 0
	lost := []codec.Loss{{Reason: "gone"}}
	r := codec.WalkReader(steps(&taken, memory.ID("a"), wrong("F-1"), memory.ID("b")), func() []codec.Loss { return lost })
	if got, err := r.Next(); got.ID != "a" || err != nil {
		t.Errorf("got %v, %v", got.ID, err)
	}
	for range 2 {
		if _, err := r.Next(); err == nil || err == io.EOF {
			t.Errorf("after what is wrong: %v", err)
		}
	}
	if taken != 2 || !slices.Equal(r.Losses(), lost) {
		t.Errorf("%d steps, %v", taken, r.Losses())
	}
	t.Run("to its end", func(t *testing.T) {
		r := codec.WalkReader(steps(&taken, memory.ID("a")), nil)
		if _, err := r.Next(); err != nil {
			t.Error(err)
		}
		for range 2 {
			if _, err := r.Next(); err != io.EOF {
				t.Errorf("after the end: %v", err)
			}
		}
	})
	t.Run("closed before", func(t *testing.T) {
		taken := 0
		r := codec.WalkReader(steps(&taken, memory.ID("a"), memory.ID("b"), memory.ID("c")), nil)
		if _, err := r.Next(); err != nil || r.Close() != nil {
			t.Error(err)
		}
		if _, err := r.Next(); err != io.EOF || taken != 1 {
			t.Errorf("%d steps, %v", taken, err)
		}
	})
}

func TestJudge(t *testing.T) {
	for name, test := range map[string]struct {
		list    []any
		opening error
		want    []string
		err     error
	}{
		"all that is wrong":     {list: []any{memory.ID("a"), wrong("F-1"), memory.ID("b"), wrong("F-2")}, want: []string{"F-1", "F-2"}},
		"nothing":               {list: []any{memory.ID("a")}},
		"it cannot be read":     {list: []any{wrong("F-1"), errDisk, wrong("F-2")}, want: []string{"F-1"}, err: errDisk},
		"wrong as a whole":      {list: []any{wrong("F-2")}, opening: wrong("F-1"), want: []string{"F-1"}},
		"it cannot be opened":   {opening: errDisk, err: errDisk},
		"nothing is in it, too": {},
	} {
		t.Run(name, func(t *testing.T) {
			taken := 0
			var got []string
			err := codec.ValidateWalk(steps(&taken, test.list...), test.opening, func(p *codec.ParseError) { got = append(got, p.Rule) })
			if !errors.Is(err, test.err) || !slices.Equal(got, test.want) {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}
