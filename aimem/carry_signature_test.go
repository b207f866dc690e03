package aimem_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aimem"
)

func TestSignatureHeader(t *testing.T) {
	message := []byte{0xd2, 0x84, 0xfb, 0xff, 0xfe}
	padded, url := base64.StdEncoding.EncodeToString(message), base64.URLEncoding.EncodeToString(message)
	t.Run("AIMEM-5.3-2 the header is padded base64", func(t *testing.T) {
		if got := aimem.FormatHeader(message); got != padded {
			t.Errorf("FormatHeader = %s", got)
		}
	})
	t.Run("AIMEM-5.3-2 every spelling of it is read", func(t *testing.T) {
		for _, line := range []string{
			padded, strings.TrimRight(padded, "="), url, strings.TrimRight(url, "="), ":" + padded + ":", " " + padded + "\t",
		} {
			if got, err := aimem.ParseHeader([]string{line}); err != nil || !bytes.Equal(got, message) {
				t.Errorf("%q: %x, %v", line, got, err)
			}
		}
		if got, err := aimem.ParseHeader(nil); err != nil || got != nil {
			t.Errorf("no header: %x, %v", got, err)
		}
	})
	t.Run("AIMEM-5.3-9 another is no signature, and not the same as none", func(t *testing.T) {
		for _, lines := range [][]string{
			{padded, padded}, {""}, {"="}, {":" + padded}, {"AA=A"}, {"AAA=="}, {"A"}, {"AAAA===="}, {"AB"}, {"A\nAA"}, {"+-AA"}, {strings.Repeat("A", 90_000)},
		} {
			got, err := aimem.ParseHeader(lines)
			fault, ok := errors.AsType[*aimem.Fault](err)
			if !ok || fault.Code != aimem.SignatureInvalid || fault.Code.Status() != 422 || got != nil {
				t.Errorf("%.20q: %x, %v", lines, got, err)
			}
		}
	})
}

func TestSignatureFile(t *testing.T) {
	t.Run("AIMEM-5.3-3 the file is called after the bundle's", func(t *testing.T) {
		if got := aimem.SignatureName("a/brain.aimem.json"); got != "a/brain.aimem.json.sig" {
			t.Errorf("SignatureName = %s", got)
		}
		for bundle, want := range map[string][]string{
			"brain.aimem.json": {"brain.aimem.json.sig", "brain.sig", "brain.aimem.sig"},
			"brain.json":       {"brain.json.sig", "brain.sig"},
			"brain.ndjson":     {"brain.ndjson.sig", "brain.sig"},
			"brain":            {"brain.sig"},
			"a/.json":          {"a/.json.sig"},
		} {
			if got := aimem.SignatureNames(bundle); !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", bundle, got, want)
			}
		}
	})
	t.Run("AIMEM-5.3-3 it holds the message, or base64 of it", func(t *testing.T) {
		message := signed(t, seeded(t, 1), "payload")
		for _, data := range [][]byte{message, message[1:], []byte(aimem.FormatHeader(message) + "\n")} {
			got, err := aimem.ParseSignatureFile(data)
			if err != nil || codeOf(t, got, text("payload"), "require", aimem.PublicKey(seeded(t, 1))) != "verified" {
				t.Errorf("%x: %v", data, err)
			}
		}
		if _, err := aimem.ParseSignatureFile(nil); err == nil {
			t.Error("an empty file is a signature")
		}
	})
}
