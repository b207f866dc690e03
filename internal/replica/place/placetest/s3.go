package placetest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Bucket is the name of the bucket that [ServeS3] serves.
const Bucket = "memories"

// bucket is an S3-compatible service with one bucket. It verifies signatures, and lists
// three objects at a time.
type bucket struct {
	mu      sync.Mutex
	objects map[string][]byte
}

// ServeS3 serves an empty bucket to [User].
func ServeS3(t testing.TB) *Server {
	t.Helper()
	return serve(t, &bucket{objects: map[string][]byte{}})
}

func (b *bucket) files() map[string]string {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := map[string]string{}
	for key, data := range b.objects {
		all[key] = string(data)
	}
	return all
}

type objectList struct {
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
	sum := sha256.Sum256(body)
	whole := signed(r, Password) && r.Header.Get("X-Amz-Content-Sha256") == hex.EncodeToString(sum[:])
	if err != nil || !whole && r.Context().Value(halved{}) == nil {
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `<Error><Code>SignatureDoesNotMatch</Code></Error>`)
		return
	}
	key, ok := strings.CutPrefix(r.URL.Path+"/", "/"+Bucket+"/")
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
	var found objectList
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
