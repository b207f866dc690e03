package aimem_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// once is a Brain with records beside the chunks that counts how often its chunks
// are walked.
type once struct {
	generator
	walks int
	fails error
}

func (o *once) Chunks(yield func(aimem.Chunk) error) error {
	o.walks++
	return errors.Join(o.generator.Chunks(yield), o.fails)
}

func (o *once) Carried(yield func(canon.Value) error) error {
	return yield(canon.Object(canon.Member{Name: "id", Value: canon.String("urn:ump:old")}))
}

func (o *once) Order(func(string) error) error { return nil }

// TestLaid writes a brain down and compares what is read from there.
func TestLaid(t *testing.T) {
	room, err := codec.Options{}.NewSpool()
	if err != nil {
		t.Fatal(err)
	}
	from := &once{generator: generator{n: 40, padding: "é"}}
	laid := aimem.SpoolBrain(from, room)
	if from.walks != 0 {
		t.Error("it was written down before anybody asked")
	}
	sum, size, err := aimem.Measure(laid)
	if err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func(*bytes.Buffer, aimem.Brain) error{
		"document": func(w *bytes.Buffer, b aimem.Brain) error { return aimem.Write(w, b, sum) },
		"stream":   func(w *bytes.Buffer, b aimem.Brain) error { return aimem.WriteStream(w, b, sum) },
		"payload":  func(w *bytes.Buffer, b aimem.Brain) error { return aimem.WritePayload(w, b) },
	} {
		t.Run(name, func(t *testing.T) {
			var got, want bytes.Buffer
			if err := errors.Join(write(&got, laid), write(&want, &once{generator: from.generator})); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want.Bytes()) || got.Len() < 40*100 {
				t.Errorf("got %d bytes, want %d:\n%.300s\n%.300s", got.Len(), want.Len(), got.Bytes(), want.Bytes())
			}
			if name == "payload" && int64(got.Len()) != size {
				t.Errorf("%d bytes, measured as %d", got.Len(), size)
			}
		})
	}
	if from.walks != 1 {
		t.Errorf("the brain was walked %d times", from.walks)
	}
	t.Run("fails as the brain does", func(t *testing.T) {
		broken := errors.New("broken")
		if _, _, err := aimem.Measure(aimem.SpoolBrain(&once{fails: broken}, room)); !errors.Is(err, broken) {
			t.Error(err)
		}
	})
}
