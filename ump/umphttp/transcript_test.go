package umphttp_test

import (
	"testing"

	"github.com/satchel-memory/satchel/internal/openapi/openapitest"
	"github.com/satchel-memory/satchel/internal/transcript"
	"github.com/satchel-memory/satchel/ump/umphttp"
	"github.com/satchel-memory/satchel/ump/umptest"
)

// TestTranscripts sends every testdata/*.in and compares the conversation with
// testdata/*.golden, see [transcript.HTTP].
func TestTranscripts(t *testing.T) {
	transcript.Run(t, func(t *testing.T, _, script string) []byte {
		o := umphttp.Options{Endpoint: "/ump", Exports: []umphttp.Export{{URL: "/manual.ump.json", Format: "ump.json"}}}
		described := openapitest.Of(t, umphttp.New(umptest.New(), o).Describe())
		server := serve(t, plain{filled(t)}, o)
		return transcript.HTTP(script, func(method, path, body string, header ...string) transcript.Answer {
			got := do(t, server, method, path, body, header...)
			if err := described.Check(openapitest.Exchange{Method: method, Path: path, Asked: got.Request.Header, Body: []byte(body), Status: got.StatusCode, Said: got.Header, Answer: got.body}); err != nil {
				t.Errorf("not as described: %v", err)
			}
			return transcript.Answer{Status: got.Status, Header: got.Header, Body: got.body}
		})
	})
}
