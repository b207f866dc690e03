package place_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/replica/folder"
	"github.com/satchel-memory/satchel/internal/replica/place"
)

// Package folder tests what places have in common, and has machines meet in them. Here are
// addresses, and servers that mean harm.

func TestAddresses(t *testing.T) {
	for address, want := range map[string]string{
		"https://cloud.example.com/remote.php/dav/files/ada": "",
		"http://127.0.0.1:8080/dav":                          "",
		"http://localhost/dav":                               "",
		"http://cloud.example.com/dav":                       "use https",
		"ftp://cloud.example.com/dav":                        "use https",
		"https://ada:secret@cloud.example.com/dav":           "no URL",
		"https://cloud.example.com/dav?token=secret":         "no URL",
		"cloud.example.com/dav":                              "no URL",
		"":                                                   "no URL",
		"https://%zz:secret@x":                               "no URL",
	} {
		_, err := place.OpenWebDAV(address, "ada", "secret")
		if !says(err, want) {
			t.Errorf("WebDAV at %s: %v, want %v", address, err, want)
		}
		_, err = place.OpenS3(place.S3Options{Address: address, Bucket: "b", KeyID: "ada", Secret: "secret"})
		if !says(err, want) {
			t.Errorf("S3 at %s: %v, want %v", address, err, want)
		}
	}
	if _, err := place.OpenS3(place.S3Options{Address: "https://s3.example.com"}); err == nil {
		t.Error("no bucket is a bucket")
	}
}

// says reports whether an error says something, and no secret.
func says(err error, want string) bool {
	if err == nil {
		return want == ""
	}
	return want != "" && strings.Contains(err.Error(), want) && !strings.Contains(err.Error(), "secret")
}

// onServers runs a test over both kinds of server, which answer with h.
func onServers(t *testing.T, h http.HandlerFunc, test func(*testing.T, folder.Storage)) {
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	dav, err := place.OpenWebDAV(server.URL, "ada", "secret")
	if err != nil {
		t.Fatal(err)
	}
	s3, err := place.OpenS3(place.S3Options{Address: server.URL, Bucket: "b", KeyID: "ada", Secret: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	t.Run("webdav", func(t *testing.T) { test(t, dav) })
	t.Run("s3", func(t *testing.T) { test(t, s3) })
}

// Nothing goes to another host than the one that the owner named.
func TestNoAnswerLeadsElsewhere(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("another host is asked %s %s, with %v", r.Method, r.URL, r.Header)
	}))
	t.Cleanup(elsewhere.Close)
	for _, status := range []int{http.StatusMovedPermanently, http.StatusTemporaryRedirect} {
		onServers(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+r.URL.Path, status)
		}, func(t *testing.T, s folder.Storage) {
			if _, err := s.Get(context.Background(), "a/b/c", 10); err == nil {
				t.Error("a redirection is an answer")
			}
			if _, err := s.List(context.Background(), "a"); err == nil {
				t.Error("a redirection is a list")
			}
			if err := s.Put(context.Background(), "a/b/c", []byte("x")); err == nil {
				t.Error("a redirection takes a file")
			}
		})
	}
}

// An answer without an end ends.
func TestEndlessAnswers(t *testing.T) {
	onServers(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(http.StatusMultiStatus)
		piece := []byte("<a>" + strings.Repeat("x", 1<<20))
		for {
			if _, err := w.Write(piece); err != nil {
				return
			}
		}
	}, func(t *testing.T, s folder.Storage) {
		if _, err := s.Get(context.Background(), "a/b/c", 1000); err == nil {
			t.Error("a file without an end is a file")
		}
		if _, err := s.List(context.Background(), "a"); err == nil {
			t.Error("a list without an end is a list")
		}
	})
}

// A server that lists names from elsewhere gets no request for them.
func TestNamesStayWithin(t *testing.T) {
	onServers(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != "PROPFIND" {
			_, _ = io.WriteString(w, `<ListBucketResult><Contents><Key>../../x</Key><Size>1</Size></Contents><Contents><Key>a/b/c</Key><Size>1</Size></Contents></ListBucketResult>`)
			return
		}
		if strings.Contains(r.URL.Path, "..") {
			t.Errorf("it is asked for %s", r.URL.Path)
		}
		w.WriteHeader(http.StatusMultiStatus)
		response := func(href string, kind string) string {
			return `<D:response><D:href>` + href + `</D:href><D:propstat><D:prop><D:resourcetype>` + kind + `</D:resourcetype><D:getcontentlength>1</D:getcontentlength></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>`
		}
		_, _ = io.WriteString(w, `<D:multistatus xmlns:D="DAV:">`+response("/a/", "<D:collection/>")+response("/../../", "<D:collection/>")+
			response("/..", "<D:collection/>")+response("https://other.example/a/c", "")+response("/a/b/", "<D:collection/>")+`</D:multistatus>`)
	}, func(t *testing.T, s folder.Storage) {
		found, err := s.List(context.Background(), "a")
		if err != nil || len(found) > 10 {
			t.Fatalf("%v, %v", found, err)
		}
		for _, f := range found {
			if !strings.HasPrefix(f.Name, "a/") || strings.Contains(f.Name, "..") {
				t.Errorf("it lists %s", f.Name)
			}
		}
	})
}

// What a server refuses is told with what to do, and without the password.
func TestRefusals(t *testing.T) {
	for status, want := range map[int]string{401: "password", 403: "password", 507: "space", 404: "", 500: ""} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		s, err := place.OpenWebDAV(server.URL, "ada", "sesame")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Put(context.Background(), "a/b/c", []byte("x")); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "sesame") {
			t.Errorf("status %d: %v", status, err)
		}
		server.Close()
	}
}

func TestGetIsBounded(t *testing.T) {
	onServers(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "0123456789") }, func(t *testing.T, s folder.Storage) {
		if _, err := s.Get(context.Background(), "a", 9); !errors.Is(err, replica.ErrTooLarge) {
			t.Errorf("a file past the limit: %v", err)
		}
		if data, err := s.Get(context.Background(), "a", 10); err != nil || len(data) != 10 {
			t.Errorf("a file at the limit: %q, %v", data, err)
		}
	})
}
