package aimem

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/codec"
)

// TestPythonNumbers: a checksum over numbers as Python spells them is refused, and the
// message names the cause and what helps (decision AD-4).
func TestPythonNumbers(t *testing.T) {
	const text = `"content":"costs 0.00009, or 9e-05 \"0.00009"`
	document := func(sum, weight string) string {
		return `{"checksum":"` + sum + `","chunk_entities":[],"chunks":[{` + text + `,"created_at":"2026-04-01T09:30:00Z","id":"urn:aimem:prod-a:c1","memory_type":"fact"}],` +
			`"edges":[{"created_at":"2026-04-01T09:30:00Z","edge_type":"hebbian","source_id":"urn:aimem:prod-a:c1","target_id":"urn:aimem:prod-a:c1","weight":` + weight + `}],` +
			`"entities":[],"exported_at":"2026-06-12T10:00:00Z","format":"aimem-bundle","producer":"prod-a","scope":"FULL","tenant_id":"urn:x:t","version":"1"}`
	}
	sumOf := func(weight string) string {
		sum := sha256.Sum256([]byte(strings.Replace(document("", weight), `"checksum":"",`, "", 1)))
		return checksumPrefix + hex.EncodeToString(sum[:])
	}
	open := func(text string) error {
		b, err := Open(codec.Source{Name: "x.aimem.json", File: strings.NewReader(text), Size: int64(len(text))}, Options{})
		if err == nil {
			err = b.Close()
		}
		return err
	}
	for _, tt := range []struct{ written, python, canonical string }{
		{"0.00009", "9e-05", "0.00009"},
		{"9e-05", "9e-05", "0.00009"},
		{"0.000012345", "1.2345e-05", "0.000012345"},
		{"3e-7", "3e-07", "3e-7"},
		{"1e-120", "1e-120", "1e-120"}, // both spell it alike
	} {
		t.Run(tt.written, func(t *testing.T) {
			if err := open(document(sumOf(tt.canonical), tt.written)); err != nil {
				t.Error(err)
			}
			fault, ok := errors.AsType[*Fault](open(document(sumOf(tt.python), tt.written)))
			if tt.python == tt.canonical {
				return
			}
			if !ok || fault.Code != ChecksumMismatch || fault.Pointer != "/checksum" {
				t.Fatalf("%v", fault)
			}
			for _, want := range []string{tt.python, tt.canonical, "RFC 8785", "/edges/0/weight", sumOf(tt.canonical)} {
				if !strings.Contains(fault.Detail, want) {
					t.Errorf("%q does not name %s", fault.Detail, want)
				}
			}
		})
	}
	t.Run("a changed bundle is not excused", func(t *testing.T) {
		changed := strings.Replace(document(sumOf("9e-05"), "0.00009"), "hebbian", "causal", 1)
		fault, ok := errors.AsType[*Fault](open(changed))
		if !ok || fault.Code != ChecksumMismatch || strings.Contains(fault.Detail, "RFC 8785") {
			t.Errorf("%v", fault)
		}
	})
	t.Run("numbers are found across the pieces of a writer", func(t *testing.T) {
		var out bytes.Buffer
		p := &pythonNumbers{out: &out}
		for _, c := range []byte(`{"a\\":[0.00009,-0.00002],"b\"0.00009":"0.00009","c":0.5,"d":0,"e":3e-7}`) {
			if _, err := p.Write([]byte{c}); err != nil {
				t.Fatal(err)
			}
		}
		if want := `{"a\\":[9e-05,-2e-05],"b\"0.00009":"0.00009","c":0.5,"d":0,"e":3e-07}`; out.String() != want {
			t.Errorf("got %s", out.String())
		}
	})
}
