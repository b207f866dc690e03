package modelhttp

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
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

func TestAt(t *testing.T) {
	for _, c := range [][3]string{
		{"http://127.0.0.1:11434", "/api/chat", "http://127.0.0.1:11434/api/chat"},
		{"https://api.example.com/v1beta/", "/models/a%2Fb:generate?alt=sse", "https://api.example.com/v1beta/models/a%2Fb:generate?alt=sse"},
	} {
		s, err := At(c[0], c[1], nil, nil)
		if err != nil || s.address.String() != c[2] {
			t.Errorf("%s%s: %v, %v", c[0], c[1], s, err)
		}
	}
	for _, address := range []string{"http://192.0.2.1", "https://example.com?", "https://example.com/?a=b", "https://u@example.com"} {
		if _, err := At(address, "/x", nil, nil); err == nil {
			t.Errorf("%s is taken", address)
		}
	}
}

// A name that led to a public address when it was checked is not dialled once it leads to
// this machine.
func TestGuarded(t *testing.T) {
	asked := 0
	far := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer far.Close()
	_, port, _ := net.SplitHostPort(far.Listener.Addr().String())
	for _, permitted := range []bool{false, true} {
		var dialled netip.Addr
		s, err := At("http://localhost:"+port, "/x", nil, Guarded(func(to netip.Addr) bool { dialled = to; return permitted }))
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Post(t.Context(), nil)
		if errors.Is(err, ErrClosed) == permitted || !dialled.IsLoopback() || asked > 0 != permitted {
			t.Errorf("permitted %v: %v, dialled %v, %d requests", permitted, err, dialled, asked)
		}
	}
}
