package codectest

import (
	"bytes"
	"testing"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// testBytes decodes and encodes documents. An encoded document must come back byte for
// byte; any other document must stay the same after one round.
func (s Suite) testBytes(t *testing.T) {
	if !s.writes() {
		t.Skip("the format is only read")
	}
	for _, d := range s.all(t) {
		t.Run(d.Name, func(t *testing.T) {
			first, _ := s.decode(t, d.Data)
			once, _ := s.encode(t, first...)
			if d.Name == "sample" && !bytes.Equal(once, d.Data) {
				t.Errorf("our own document changed:\n%s\nis now\n%s", d.Data, once)
			}
			second, _ := s.decode(t, once)
			twice, _ := s.encode(t, second...)
			if !bytes.Equal(once, twice) {
				t.Errorf("a second round changed the document:\n%s\nis now\n%s", once, twice)
			}
		})
	}
	again, _ := s.encode(t, full(t))
	if sample, _ := s.encode(t, full(t)); !bytes.Equal(sample, again) {
		t.Error("the same record gives different bytes")
	}
}

// Documents of one record, with unknown members and unusual spellings of numbers and times:
// as the author wrote it, and after the engine closed it.
const (
	authored = `{"x-own":{"b":1,"a":[2.50]},"ump":"0.1","id":"` + string(sampleID) + `","kind":"semantic",` +
		`"body":{"text":"The well is deep. ` + canary + `","note":"kept"},"scope":{"owner":"` + string(sampleOwner) + `","visibility":"private"},` +
		`"time":{"created":"2026-06-04T12:00:00.000+02:00","valid_to":null},"lifecycle":{"confidence":1.0},"superseded_by":[]}`
	closed = `{"x-own":{"b":1,"a":[2.50]},"ump":"0.1","id":"` + string(sampleID) + `","kind":"semantic",` +
		`"body":{"text":"The well is deep. ` + canary + `","note":"kept"},"scope":{"owner":"` + string(sampleOwner) + `","visibility":"private"},` +
		`"time":{"created":"2026-06-04T12:00:00.000+02:00","valid_to":"2126-06-05T10:00:00Z"},"lifecycle":{"confidence":1.0},"superseded_by":["` + string(sampleOtherID) + `"]}`
)

// testForms encodes records that have a document, and expects that document back.
func (s Suite) testForms(t *testing.T) {
	if !s.writes() {
		t.Skip("the format is only read")
	}
	one := 1.0
	r := memory.Record{
		Version: "0.1", ID: sampleID, Kind: memory.Semantic,
		Body:      memory.Body{Text: "The well is deep. " + canary},
		Scope:     memory.Scope{Owner: sampleOwner, Visibility: memory.Private},
		Time:      memory.Times{Created: sampleTime},
		Lifecycle: memory.Lifecycle{Confidence: &one},
		Origin:    []byte(authored),
	}
	t.Run("as authored", func(t *testing.T) { s.keepsForm(t, r) })
	r.Current = []byte(closed)
	r.Time.ValidTo = sampleTime.AddDate(100, 0, 1)
	r.SupersededBy = []memory.ID{sampleOtherID}
	t.Run("as it became", func(t *testing.T) {
		losses := s.keepsForm(t, r)
		if !excused(losses, r.ID, "") {
			t.Error("the record as authored is not written, and no loss says so")
		}
	})
}

func (s Suite) keepsForm(t *testing.T, r memory.Record) []codec.Loss {
	t.Helper()
	data, losses := s.encode(t, r)
	got, further := s.decode(t, data)
	losses = append(losses, further...)
	if len(got) != 1 {
		if !excused(losses, r.ID, "") {
			t.Fatalf("one record became %d without a loss that says so", len(got))
		}
		return losses
	}
	form := got[0].Form()
	if form == nil && len(losses) == 0 {
		t.Error("the record's document is gone, and no loss says so")
	}
	if form != nil && len(further) == 0 && canonical(form) != canonical(r.Form()) && !excused(losses, r.ID, "/x-own") {
		t.Errorf("the record's document is\n%s\nnot\n%s\nand no loss says so", form, r.Form())
	}
	return losses
}
