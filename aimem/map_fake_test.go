package aimem

import (
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// held is a bundle in memory, of which nothing was checked.
type held struct{ v canon.Value }

func (h held) Envelope() Envelope {
	v := h.v
	for _, name := range []string{memberChecksum, memberChunks, memberEdges, memberEntities, memberLinks} {
		v = v.Without(name)
	}
	e, _ := envelopeFrom(v)
	e.Value, e.Absent = v, nil
	for _, name := range []string{memberEdges, memberEntities, memberLinks} {
		if !h.v.Has(name) {
			e.Absent = append(e.Absent, name)
		}
	}
	return e
}

func walkHeld[T any](h held, list string, from func(canon.Value) T, yield func(T) error) error {
	return each(h.v.Get(list).Items(), func(v canon.Value) error { return yield(from(v)) })
}

func (h held) Chunks(yield func(Chunk) error) error {
	return walkHeld(h, memberChunks, chunkFrom, yield)
}
func (h held) Edges(yield func(Edge) error) error { return walkHeld(h, memberEdges, edgeFrom, yield) }
func (h held) Entities(yield func(Entity) error) error {
	return walkHeld(h, memberEntities, entityFrom, yield)
}
func (h held) Links(yield func(Link) error) error { return walkHeld(h, memberLinks, linkFrom, yield) }

func (h held) Chunk(id URN) (found Chunk, err error) {
	err = errNoGraph
	_ = h.Chunks(func(c Chunk) error {
		if c.ID == id {
			found, err = c, nil
		}
		return nil
	})
	return found, err
}

func (h held) Has(id URN) bool { _, err := h.Chunk(id); return err == nil }

func (h held) Entity(id URN) (found Entity, err error) {
	err = errNoGraph
	_ = h.Entities(func(e Entity) error {
		if e.ID == id {
			found, err = e, nil
		}
		return nil
	})
	return found, err
}

func (h held) EdgesFrom(id URN, yield func(Edge) error) error {
	return h.Edges(func(e Edge) error {
		if e.Source != id {
			return nil
		}
		return yield(e)
	})
}

func (h held) LinksOf(id URN, yield func(Link) error) error {
	return h.Links(func(l Link) error {
		if l.Chunk != id {
			return nil
		}
		return yield(l)
	})
}

func (h held) Stands(m Mapper, id memory.ID) (found bool, err error) {
	err = h.Chunks(func(c Chunk) error {
		origin, err := m.origin(c, h)
		found = found || origin == id
		return err
	})
	return found, err
}

func (h held) Order(yield func(string) error) error {
	return each(h.v.Get(memberCarrier).Get(carriedOrder).Items(), func(v canon.Value) error { return yield(v.Text()) })
}

func (h held) Carried(yield func(canon.Value) error) error {
	return each(h.v.Get(memberCarrier).Get(carriedRecords).Items(), yield)
}

func (h held) sum(t testing.TB) string {
	t.Helper()
	sum, err := Checksum(h)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

func bundle(t testing.TB, text []byte) held {
	t.Helper()
	v, err := canon.Parse(text, anyJSON)
	if err != nil {
		t.Fatalf("%v in %.300s", err, text)
	}
	return held{v}
}

var (
	testOwner = memory.DID("did:key:z6MkvDqGT54cXesYGvABpF1UapVNwjCqRcafi4Px6Thv5T3Z")
	testNow   = time.Date(2026, 6, 12, 10, 0, 0, 0, time.UTC)
	testOpt   = codec.Options{Owner: testOwner, Producer: "satchel-test", Now: func() time.Time { return testNow }}
)

// toRecords is A→U.
func toRecords(t testing.TB, b recordSource) ([]memory.Record, []codec.Loss) {
	t.Helper()
	sum, err := Checksum(b)
	if err != nil {
		t.Fatal(err)
	}
	r := newRecordReader(ump.Forms(), b, sum, testOpt, func() error { return nil })
	defer r.Close()
	var records []memory.Record
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return records, r.Losses()
		}
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, rec)
	}
}

// toBundle is U→A.
func toBundle(t testing.TB, records ...memory.Record) (held, []codec.Loss) {
	t.Helper()
	var out bytes.Buffer
	w, err := createRecords(ump.Forms(), &out, testOpt)
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
	return bundle(t, out.Bytes()), w.Losses()
}

func form(t testing.TB, r memory.Record) string {
	t.Helper()
	c, err := canon.Canonical(r.Form(), anyJSON)
	if err != nil {
		t.Fatal(err)
	}
	return string(c)
}
