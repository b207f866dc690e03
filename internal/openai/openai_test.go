package openai

import (
	"errors"
	"testing"
)

func TestNew(t *testing.T) {
	for address, want := range map[string]string{
		"http://127.0.0.1:11434":             "http://127.0.0.1:11434/v1/embeddings",
		"http://localhost:11434/v1/":         "http://localhost:11434/v1/embeddings",
		"http://[::1]:8080/v1/embeddings":    "http://[::1]:8080/v1/embeddings",
		"https://api.example.com/v1":         "https://api.example.com/v1/embeddings",
		"https://api.example.com/v2/openai/": "https://api.example.com/v2/openai/embeddings",
	} {
		s, err := New(address, "/embeddings", "")
		if err != nil || s.address.String() != want {
			t.Errorf("%s: %v, %v; want %s", address, s, err, want)
		}
	}
	for address, want := range map[string]error{
		"":                               errAddress,
		"nowhere":                        errAddress,
		"https://":                       errAddress,
		"https://a:secret@example.com":   errAddress,
		"https://example.com/?key=1":     errAddress,
		"https://example.com/#a":         errAddress,
		"http://192.0.2.1/v1":            errUnsafe,
		"http://localhost.example.com":   errUnsafe,
		"ftp://127.0.0.1":                errUnsafe,
		"https://a:secret@exa mple.com/": errAddress,
	} {
		if _, err := New(address, "/embeddings", ""); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", address, err, want)
		}
	}
}
