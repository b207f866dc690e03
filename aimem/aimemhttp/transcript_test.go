package aimemhttp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aimem/aimemhttp"
	"github.com/satchel-memory/satchel/internal/openapi/openapitest"
	"github.com/satchel-memory/satchel/internal/transcript"
)

// TestTranscripts sends every testdata/*.in and compares the conversation with
// testdata/*.golden, see [transcript.HTTP]. A body BUNDLE n is a bundle of n chunks,
// and LINES n the same as lines.
func TestTranscripts(t *testing.T) {
	transcript.Run(t, func(t *testing.T, _, script string) []byte {
		s := serve(t, &service{}, aimemhttp.Options{})
		described := openapitest.Of(t, aimemhttp.New(&service{}, aimemhttp.Options{}).Describe())
		return transcript.HTTP(script, func(method, path, body string, header ...string) transcript.Answer {
			whole := spelledOut(t, body)
			got := s.do(t, method, path, whole, header...)
			if err := described.Check(openapitest.Exchange{Method: method, Path: path, Asked: got.Request.Header, Body: []byte(whole), Status: got.StatusCode, Said: got.Header, Answer: got.body}); err != nil {
				t.Errorf("not as described: %v", err)
			}
			return transcript.Answer{Status: got.Status, Header: got.Header, Body: got.body}
		})
	})
}

// spelledOut is a body in full.
func spelledOut(t *testing.T, body string) string {
	t.Helper()
	form, size, ok := strings.Cut(body, " ")
	n := 0
	if _, err := fmt.Sscan(size, &n); !ok || err != nil {
		return body
	}
	switch form {
	case "BUNDLE":
		return bundle(n)
	case "LINES":
		whole := object("%s", bundle(n, `edges=[]`, `entities=[]`, `chunk_entities=[]`))
		envelope := whole
		for _, array := range []string{"chunks", "edges", "entities", "chunk_entities"} {
			envelope = envelope.Without(array)
		}
		lines := string(envelope.Append(nil)) + "\n"
		for _, c := range whole.Get("chunks").Items() {
			lines += strings.Replace(string(c.Append(nil)), "{", `{"_kind":"chunk",`, 1) + "\n"
		}
		return lines
	}
	return body
}
