package canon_test

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/satchel-memory/satchel/canon"
)

// record is of the size and shape of a signed memory.
const record = `{
  "ump": "0.1",
  "id": "urn:ump:7k3q2jv4xw5y6zabcdefghijklmnopqrstuvwx234567abcdefgh",
  "kind": "procedural",
  "body": {"text": "Prefer tabs over spaces in this repository, and run \"make check\" before every push."},
  "scope": {"owner": "did:key:z6MkvDqGT54cXesYGvABpF1UapVNwjCqRcafi4Px6Thv5T3Z", "project": "github.com/example/garden", "visibility": "private"},
  "time": {"created": "2026-03-01T08:30:00.000Z", "observed": "2026-03-01T08:29:58.000Z", "valid_to": null},
  "lifecycle": {"status": "active", "confidence": 0.85, "salience": 0.5},
  "provenance": {"actor": "planner", "actor_kind": "agent", "method": "stated"}
}`

// BenchmarkCanonical measures the strict canonical form beside what jsontext
// does alone, without the checks.
func BenchmarkCanonical(b *testing.B) {
	data := []byte(record)
	b.Run("canon", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := canon.Canonical(data, canon.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("jsontext", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			v := jsontext.Value(data).Clone()
			if err := v.Canonicalize(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkValue measures the tree: reading it, and its two compact forms.
func BenchmarkValue(b *testing.B) {
	data := []byte(record)
	tree, err := canon.Parse(data, canon.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("Parse", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := canon.Parse(data, canon.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	var buf []byte
	b.Run("Append", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			buf = tree.Append(buf[:0])
		}
	})
	b.Run("AppendCanonical", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			buf = tree.AppendCanonical(buf[:0])
		}
	})
}

// BenchmarkCheck measures the checks alone.
func BenchmarkCheck(b *testing.B) {
	data := []byte(record)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if err := canon.Check(data, canon.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkElements measures a stream of records, with all checks.
func BenchmarkElements(b *testing.B) {
	b.SetBytes(int64(len(record)) + 1)
	b.ReportAllocs()
	e := canon.NewElements(&repeated{text: record + "\n", n: b.N + 1<<30}, canon.Options{})
	for b.Loop() {
		if _, err := e.Next(); err != nil {
			b.Fatal(err)
		}
	}
}
