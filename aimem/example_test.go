package aimem_test

import (
	"fmt"
	"strings"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/codec"
)

// A bundle is checked whole before anything of it is used. This one was changed on its way.
func ExampleOpen() {
	const bundle = `{"format":"aimem-bundle","version":"1","producer":"home","tenant_id":"https://example.com/ana","exported_at":"2026-06-01T12:00:00Z","scope":"FULL",
		"chunks":[{"id":"urn:aimem:home:1","content":"The build uses pnpm.","memory_type":"fact","created_at":"2026-04-01T09:30:00Z"}],
		"checksum":"sha256:0000000000000000000000000000000000000000000000000000000000000000"}`
	in := strings.NewReader(bundle)
	_, err := aimem.Open(codec.Source{Name: "brain.aimem.json", File: in, Size: in.Size()}, aimem.Options{})
	fault, ok := err.(*aimem.Fault)
	fmt.Println(ok, fault.Code, fault.Code.Status())
	// Output: true checksum_mismatch 409
}
