package folder_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/webdav"

	"github.com/satchel-memory/satchel/internal/replica/folder"
	"github.com/satchel-memory/satchel/internal/replica/place"
)

// count counts requests.
type count struct {
	http.Handler
	mu sync.Mutex
	n  int
}

func (c *count) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	c.n++
	c.mu.Unlock()
	c.Handler.ServeHTTP(w, r)
}

// serveWebDAV serves a folder by WebDAV to one user.
func serveWebDAV(t testing.TB) (folder.Storage, *count) {
	t.Helper()
	dav := &webdav.Handler{Prefix: "/remote.php/dav", FileSystem: webdav.NewMemFS(), LockSystem: webdav.NewMemLS()}
	asked := &count{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "ada" || password != "her password" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if r.Method == http.MethodPut && r.ContentLength < 0 {
			w.WriteHeader(http.StatusLengthRequired)
			return
		}
		dav.ServeHTTP(w, r)
	})}
	server := httptest.NewServer(asked)
	t.Cleanup(server.Close)
	s, err := place.OpenWebDAV(server.URL+"/remote.php/dav/", "ada", "her password")
	if err != nil {
		t.Fatal(err)
	}
	return s, asked
}

// bucket is an S3-compatible service with one bucket. It verifies signatures, and lists
// three objects at a time.
type bucket struct {
	mu      sync.Mutex
	objects map[string][]byte
}

// serveS3 serves a bucket to one user.
func serveS3(t testing.TB) (folder.Storage, *count) {
	t.Helper()
	asked := &count{Handler: &bucket{objects: map[string][]byte{}}}
	server := httptest.NewServer(asked)
	t.Cleanup(server.Close)
	s, err := place.OpenS3(place.S3Options{Address: server.URL, Bucket: "memories", Prefix: "of/ada", KeyID: "ada", Secret: "her secret"})
	if err != nil {
		t.Fatal(err)
	}
	return s, asked
}

type listing struct {
	XMLName     xml.Name `xml:"ListBucketResult"`
	Contents    []object
	IsTruncated bool
	Next        string `xml:"NextContinuationToken,omitempty"`
}

type object struct {
	Key  string
	Size int
}

func (b *bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if sum := sha256.Sum256(body); err != nil || !signed(r, "her secret") || r.Header.Get("X-Amz-Content-Sha256") != hex.EncodeToString(sum[:]) {
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `<Error><Code>SignatureDoesNotMatch</Code></Error>`)
		return
	}
	key, ok := strings.CutPrefix(r.URL.Path+"/", "/memories/")
	if key = strings.TrimSuffix(key, "/"); !ok {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	switch {
	case r.Method == http.MethodPut:
		b.objects[key] = body
	case r.Method == http.MethodDelete:
		delete(b.objects, key)
		w.WriteHeader(http.StatusNoContent)
	case key != "":
		data, ok := b.objects[key]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `<Error><Code>NoSuchKey</Code></Error>`)
			return
		}
		_, _ = w.Write(data) // a client that left does not matter
	default:
		b.list(w, r.URL.Query())
	}
}

func (b *bucket) list(w http.ResponseWriter, q url.Values) {
	var found listing
	for _, key := range slices.Sorted(maps.Keys(b.objects)) {
		if !strings.HasPrefix(key, q.Get("prefix")) || key <= q.Get("continuation-token") {
			continue
		}
		if len(found.Contents) == 3 {
			found.IsTruncated, found.Next = true, found.Contents[2].Key
			break
		}
		found.Contents = append(found.Contents, object{key, len(b.objects[key])})
	}
	_ = xml.NewEncoder(w).Encode(found) // a client that left does not matter
}

// signed verifies AWS Signature Version 4.
func signed(r *http.Request, secret string) bool {
	fields := map[string]string{}
	for part := range strings.SplitSeq(strings.TrimPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 "), ", ") {
		name, value, _ := strings.Cut(part, "=")
		fields[name] = value
	}
	_, scope, _ := strings.Cut(fields["Credential"], "/")
	canonical := r.Method + "\n" + r.URL.EscapedPath() + "\n" + strings.ReplaceAll(r.URL.Query().Encode(), "+", "%20") + "\n"
	for name := range strings.SplitSeq(fields["SignedHeaders"], ";") {
		value := r.Header.Get(name)
		switch name {
		case "host":
			value = r.Host
		case "content-length":
			value = fmt.Sprint(r.ContentLength)
		}
		canonical += name + ":" + value + "\n"
	}
	canonical += "\n" + fields["SignedHeaders"] + "\n" + r.Header.Get("X-Amz-Content-Sha256")
	sum := sha256.Sum256([]byte(canonical))
	text := "AWS4-HMAC-SHA256\n" + r.Header.Get("X-Amz-Date") + "\n" + scope + "\n" + hex.EncodeToString(sum[:])
	mac := []byte("AWS4" + secret)
	for part := range strings.SplitSeq(scope, "/") {
		mac = sum256(mac, part)
	}
	mac = sum256(mac, text)
	return hex.EncodeToString(mac) == fields["Signature"]
}

func sum256(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}
