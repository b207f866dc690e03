package ump_test

import (
	"crypto/ed25519"
	"strconv"
	"strings"
	"testing"

	"lukechampine.com/blake3"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// typical is a draft of the size people write.
func typical() memory.Record {
	confidence := 0.9
	return memory.Record{
		Version: ump.Edition, Kind: memory.Procedural,
		Body:      memory.Body{Text: "Run make check before every push; the hook does not run the race detector."},
		Scope:     memory.Scope{Owner: ownerDID, Project: "github.com/example/garden", Agent: "planner", Visibility: memory.Private},
		Time:      memory.Times{Created: birthTime, Observed: birthTime, ValidFrom: birthTime},
		Lifecycle: memory.Lifecycle{Confidence: &confidence, Status: memory.Active},
		Provenance: &memory.Provenance{
			Actor: string(ownerDID), ActorKind: memory.ByUser, Method: "user_correction", Source: &memory.Source{Ref: "sess_1#turn_2"},
		},
	}
}

// BenchmarkAuthor measures the birth of a record, to be compared with
// BenchmarkBareLibraries. The budget is 1.3 times that.
func BenchmarkAuthor(b *testing.B) {
	r, key := typical(), ownerKey(b)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		r.Scope.Session = strconv.Itoa(i)
		if _, err := ump.Author(r, key); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBareLibraries measures what the libraries alone need for the same
// record: two canonical forms (for id and hash), three hashes, one signature.
func BenchmarkBareLibraries(b *testing.B) {
	r, key := typical(), ownerKey(b)
	born, err := ump.Author(r, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		for range 2 {
			form, err := canon.Canonical(born.Origin, canon.Options{})
			if err != nil {
				b.Fatal(err)
			}
			blake3.Sum256(form)
		}
		message := blake3.Sum256([]byte("blake3:jd7lvor6nytwa35tfffac6lj4uztalwi2y6eg5fauava27j2esbq"))
		key.Sign(message[:])
	}
}

// BenchmarkDecode measures what recall does for every record it returns.
func BenchmarkDecode(b *testing.B) {
	r, err := ump.Author(typical(), ownerKey(b))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(r.Origin)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ump.Decode(r.Origin, codec.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEncode measures the export of an unchanged record.
func BenchmarkEncode(b *testing.B) {
	r, err := ump.Author(typical(), ownerKey(b))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ump.Encode(r); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAmend measures the closing of a record by its successor.
func BenchmarkAmend(b *testing.B) {
	key := ownerKey(b)
	r, err := ump.Author(typical(), key)
	if err != nil {
		b.Fatal(err)
	}
	r.SupersededBy = []memory.ID{"urn:ump:bbbb"}
	r.Time.ValidTo = birthTime.AddDate(0, 0, 1)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ump.Amend(r, key); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkVerify measures the check of one signature.
func BenchmarkVerify(b *testing.B) {
	r, err := ump.Author(typical(), ownerKey(b))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := ump.Verify(r.Origin); err != nil {
			b.Fatal(err)
		}
	}
}

// kilobyte is a signed form of about 1 kB.
func kilobyte(b *testing.B) []byte {
	r := typical()
	r.Body.Text += strings.Repeat(" The gate is closed before dusk.", 12)
	born, err := ump.Author(r, ownerKey(b))
	if err != nil || len(born.Origin) < 1000 || len(born.Origin) > 1500 {
		b.Fatalf("%d bytes, %v", len(born.Origin), err)
	}
	return born.Origin
}

// BenchmarkVerifyKilobyte measures the first reading of a record.
func BenchmarkVerifyKilobyte(b *testing.B) {
	form := kilobyte(b)
	b.SetBytes(int64(len(form)))
	b.ReportAllocs()
	for b.Loop() {
		if err := ump.Verify(form); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkVerifyBare measures what the libraries alone need for that: one
// canonical form, two hashes, one check of a signature.
func BenchmarkVerifyBare(b *testing.B) {
	form, key := kilobyte(b), ownerKey(b)
	message := blake3.Sum256([]byte("blake3:jd7lvor6nytwa35tfffac6lj4uztalwi2y6eg5fauava27j2esbq"))
	signature := key.Sign(message[:])
	b.ReportAllocs()
	for b.Loop() {
		written, err := canon.Canonical(form, canon.Options{})
		if err != nil {
			b.Fatal(err)
		}
		blake3.Sum256(written)
		message := blake3.Sum256([]byte("blake3:jd7lvor6nytwa35tfffac6lj4uztalwi2y6eg5fauava27j2esbq"))
		if !ed25519.Verify(key.Public(), message[:], signature) {
			b.Fatal("not verified")
		}
	}
}

// BenchmarkFingerprint measures every later reading.
func BenchmarkFingerprint(b *testing.B) {
	form := kilobyte(b)
	b.SetBytes(int64(len(form)))
	b.ReportAllocs()
	for b.Loop() {
		ump.Fingerprint(form)
	}
}

// BenchmarkReadToken measures what every request with a token costs.
func BenchmarkReadToken(b *testing.B) {
	token := mint(b, claims)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ump.ReadToken(token); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFrame measures the framing of what a recall finds, but for the
// verification, of which BenchmarkVerify tells.
func BenchmarkFrame(b *testing.B) {
	records := make([]memory.Record, 20)
	for i := range records {
		r := typical()
		r.Scope.Session = strconv.Itoa(i)
		born, err := ump.Author(r, ownerKey(b))
		if err != nil {
			b.Fatal(err)
		}
		records[i] = born
	}
	o := framing()
	o.Verified = func(memory.Record) error { return nil }
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ump.Frame(records, o); err != nil {
			b.Fatal(err)
		}
	}
}
