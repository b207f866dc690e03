package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestSmallFiles: what is remembered stays readable, however much there is of it.
func TestSmallFiles(t *testing.T) {
	h := home{dir: t.TempDir()}
	for i := range 400 {
		if err := h.remember(fmt.Sprintf("https://%03d.%s.example", i, strings.Repeat("p", 150)), strings.Repeat("n", 100)); err != nil {
			t.Fatal(i, err)
		}
	}
	known, err := h.readPlatforms()
	if last := fmt.Sprintf("https://399.%s.example", strings.Repeat("p", 150)); err != nil || len(known) < 100 || known[last] == "" {
		t.Errorf("%d platforms are known, %v", len(known), err)
	}
	signed := make(signatures, mostSignatures)
	for i := range signed {
		signed[i] = strings.Repeat("s", 88)
	}
	if err := writeJSON(h.signatures(), signed); err != nil {
		t.Error(err)
	}
	if again, err := h.readSignatures(); err != nil || len(again) != mostSignatures {
		t.Errorf("%d signatures are known, %v", len(again), err)
	}
}
