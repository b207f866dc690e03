package umphttp_test

import (
	"testing"

	"github.com/satchel-memory/satchel/internal/transcript"
	"github.com/satchel-memory/satchel/ump/umphttp"
)

// TestTranscripts sends every testdata/*.in and compares the conversation with
// testdata/*.golden, see [transcript.HTTP].
func TestTranscripts(t *testing.T) {
	transcript.Run(t, func(t *testing.T, _, script string) []byte {
		server := serve(t, plain{filled(t)}, umphttp.Options{Endpoint: "/ump", Exports: []umphttp.Export{{URL: "/manual.ump.json", Format: "ump.json"}}})
		return transcript.HTTP(script, func(method, path, body string, header ...string) transcript.Answer {
			got := do(t, server, method, path, body, header...)
			return transcript.Answer{Status: got.Status, Header: got.Header, Body: got.body}
		})
	})
}
