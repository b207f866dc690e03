package codectest

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// encode writes records, and fails the test if the format refuses one.
func (s Suite) encode(t *testing.T, records ...memory.Record) ([]byte, []codec.Loss) {
	t.Helper()
	data, losses, err := s.write(records...)
	if err != nil {
		t.Fatalf("encoding: %v", err)
	}
	return data, losses
}

// write writes records into a document.
func (s Suite) write(records ...memory.Record) ([]byte, []codec.Loss, error) {
	var out bytes.Buffer
	tree := folder{}
	create := func() (codec.Writer, error) { return s.Format.Create(&out, s.Options) }
	if s.AsFolder {
		create = func() (codec.Writer, error) { return s.Format.CreateIn(tree, s.Options) }
	}
	w, err := create()
	if err != nil {
		return nil, nil, err
	}
	for _, r := range records {
		if err := w.Write(r); err != nil {
			return nil, nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, nil, err
	}
	if s.AsFolder {
		return tree.archive(), w.Losses(), nil
	}
	return out.Bytes(), w.Losses(), nil
}

// holdsOne reports whether a document of the format can hold one record only.
func (s Suite) holdsOne(t *testing.T) bool {
	t.Helper()
	first, second := full(t), full(t)
	second.ID = sampleOtherID
	_, _, err := s.write(first, second)
	if err != nil && memory.KindOf(err) != memory.Unsupported {
		t.Fatalf("encoding two records: %v", err)
	}
	return err != nil
}

// decode reads a document, and fails the test if the format refuses it.
func (s Suite) decode(t *testing.T, data []byte) ([]memory.Record, []codec.Loss) {
	t.Helper()
	records, losses, err := s.read(data, s.Options)
	if err != nil {
		t.Fatalf("decoding: %v\n%s", err, data)
	}
	return records, losses
}

// read reads a document to its end, or to the first error.
func (s Suite) read(data []byte, opt codec.Options) ([]memory.Record, []codec.Loss, error) {
	return readAll(s.Format, s.source(data), opt)
}

func (s Suite) source(data []byte) codec.Source {
	name := "sample"
	if len(s.Format.Extensions) > 0 {
		name += s.Format.Extensions[0]
	}
	if s.AsFolder {
		return codec.Source{Name: "sample", Tree: unarchive(data), Modified: sampleTime}
	}
	return codec.Source{Name: name, File: bytes.NewReader(data), Size: int64(len(data)), Modified: sampleTime}
}

func readAll(f codec.Format, src codec.Source, opt codec.Options) (records []memory.Record, losses []codec.Loss, err error) {
	r, err := f.Open(src, opt)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for {
		record, err := r.Next()
		if err == io.EOF {
			return records, r.Losses(), nil
		}
		if err != nil {
			return records, nil, err
		}
		records = append(records, record)
	}
}

// refused checks that err is a refusal that people may see: it has a kind, and repeats no
// content. Validate must report it, too.
func (s Suite) refused(t *testing.T, data []byte, opt codec.Options, err error) {
	t.Helper()
	if kind := memory.KindOf(err); kind == memory.Internal {
		t.Errorf("refused without a kind: %v", err)
	}
	if strings.Contains(err.Error(), canary) {
		t.Errorf("the error repeats the content: %v", err)
	}
	if s.Format.Validate == nil {
		return
	}
	found := 0
	failed := s.Format.Validate(s.source(data), opt, func(e *codec.ParseError) {
		found++
		if strings.Contains(e.Error(), canary) {
			t.Errorf("Validate repeats the content: %v", e)
		}
	})
	if failed == nil && found == 0 {
		t.Errorf("Validate finds nothing wrong where decoding says: %v", err)
	}
}
