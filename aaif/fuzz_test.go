package aaif_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/privacy"
	"github.com/satchel-memory/satchel/canon"
)

// Whatever is read survives its types, CBOR and judgement.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		f.Fatal("no samples", err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
		f.Add(toCBOR(f, doc(f, string(raw)).Value))
	}
	v := validator(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		d, err := aaif.Read(raw, aaif.ReadOptions{})
		if err != nil {
			if aaif.CodeOf(err) == "" {
				t.Fatalf("an error without a code: %v", err)
			}
			return
		}
		v.Lint(d)
		privacy.Secrets(d, privacy.SecretOptions{})
		v.Produced(d)
		same(t, d.Value, aaif.ReadDefinition(d.Value).Document())
		same(t, d.Value, aaif.ReadState(d.Value).Document())
		same(t, d.Value, aaif.ReadManifest(d.Value).Document())
		same(t, d.Value, aaif.ReadReport(d.Value).Document())
		back, err := aaif.FromCBOR(toCBOR(t, d.Value), aaif.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if string(back.AppendCanonical(nil)) != string(d.Value.AppendCanonical(nil)) {
			t.Fatal("CBOR changed it")
		}
	})
}

func same(t *testing.T, want, got canon.Value) {
	t.Helper()
	if string(got.Append(nil)) != string(want.Append(nil)) {
		t.Fatalf("got %s, want %s", got.Append(nil), want.Append(nil))
	}
}
