package aimem

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/ump"
)

// tagged is a bundle of one chunk with so many tags.
func tagged(t testing.TB, tags int) held {
	t.Helper()
	var list strings.Builder
	for i := range tags {
		fmt.Fprintf(&list, `,"t%d"`, i)
	}
	b := bundle(t, plainBundle(t))
	c := b.v.Get("chunks").Items()[1].With("tags", parsed("["+strings.TrimPrefix(list.String(), ",")+"]"))
	return held{b.v.With("chunks", canon.Array(c)).With("edges", canon.Array()).With("chunk_entities", canon.Array())}
}

func opens(t testing.TB, b held) (*Bundle, error) {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, b, b.sum(t)); err != nil {
		t.Fatal(err)
	}
	return Open(codec.Source{File: bytes.NewReader(out.Bytes()), Size: int64(out.Len())}, Options{})
}

// TestSizeOfRecords: whatever is taken in becomes a record that every reader takes,
// in every form it is written in.
func TestSizeOfRecords(t *testing.T) {
	t.Run("AIMEM-2.2-21 a chunk of 100,000 tags is taken, and its record can be read where it is written", func(t *testing.T) {
		b, err := opens(t, tagged(t, 100_000))
		if err != nil {
			t.Fatal(err)
		}
		records, _ := toRecords(t, b)
		for _, lines := range []bool{false, true} {
			var out bytes.Buffer
			w, err := ump.Format().Create(&out, codec.Options{Owner: testOwner, NDJSON: lines})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range records {
				if err := w.Write(r); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			r, err := ump.Format().Open(codec.Source{Name: "x.json", File: bytes.NewReader(out.Bytes()), Size: int64(out.Len())}, codec.Options{Owner: testOwner})
			if err != nil {
				t.Fatal(err)
			}
			again, err := r.Next()
			if err != nil || again.ID != records[0].ID {
				t.Errorf("lines %v: %v, %v", lines, again.ID, err)
			}
			_ = r.Close()
		}
	})
	t.Run("AIMEM-2.2-21 a chunk that makes too large a record is refused, with its place", func(t *testing.T) {
		_, err := opens(t, tagged(t, 260_000))
		f, ok := errors.AsType[*Fault](err)
		if !ok || f.Code != BodyTooLarge || f.Pointer != "/chunks/0" || f.Code.Status() != 413 {
			t.Errorf("got %v", err)
		}
	})
	t.Run("AIMEM-2.1-17 a large envelope has a part of the manifest to itself", func(t *testing.T) {
		b := bundle(t, plainBundle(t))
		b = held{b.v.With("x_large", canon.String(strings.Repeat("x", 3<<20)))}
		records, _ := toRecords(t, b)
		for _, r := range records {
			if _, err := ump.Forms().Decode(r.Form()); err != nil {
				t.Errorf("%d bytes: %v", len(r.Form()), err)
			}
		}
		if again, _ := toBundle(t, records...); again.sum(t) != b.sum(t) || len(records) != 4 {
			t.Errorf("%d records make another bundle", len(records))
		}
	})
}
