package httpkit_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/httpkit"
)

// got describes a body, in the words of a test.
func got(data []byte, err error) string {
	broken, ok := errors.AsType[*httpkit.BodyError](err)
	switch {
	case errors.Is(err, httpkit.ErrTooLarge):
		return "too large"
	case ok && broken.Late:
		return "late"
	case ok:
		return "broken off"
	case err != nil:
		return err.Error()
	}
	return fmt.Sprintf("%d bytes", len(data))
}

func TestBody(t *testing.T) {
	cut := io.MultiReader(strings.NewReader("ab"), failing{})
	for _, c := range []struct {
		name, want string
		said       int64
		in         io.Reader
	}{
		{"as large as may be", "10 bytes", 10, strings.NewReader("0123456789")},
		{"larger, and says so: it is not read", "too large", 11, failing{}},
		{"larger, and does not say so", "too large", -1, strings.NewReader("0123456789a")},
		{"none", "0 bytes", 0, http.NoBody},
		{"one that breaks off", "broken off", -1, cut},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequestWithContext(t.Context(), "POST", "/", c.in)
			r.ContentLength = c.said
			if got := got(httpkit.NewBody(r, 10).Bytes()); got != c.want {
				t.Errorf("%s, not %s", got, c.want)
			}
		})
	}
	t.Run("somewhere without room", func(t *testing.T) {
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/", strings.NewReader("abc"))
		if _, err := httpkit.NewBody(r, 10).CopyTo(failing{}); !errors.Is(err, errFull) {
			t.Error(err)
		}
	})
	t.Run("read piece by piece", func(t *testing.T) {
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/", io.MultiReader(strings.NewReader("0123456789abc")))
		b := httpkit.NewBody(r, 10)
		if data, err := io.ReadAll(b); len(data) != 11 || err != nil || b.Broken() != nil {
			t.Errorf("%q %v %v", data, err, b.Broken())
		}
		b = httpkit.NewBody(httptest.NewRequestWithContext(t.Context(), "POST", "/", io.MultiReader(failing{})), 10)
		if _, err := io.ReadAll(b); err == nil || got(nil, b.Broken()) != "broken off" {
			t.Errorf("%v %v", err, b.Broken())
		}
	})
}

var errFull = errors.New("full")

// failing neither reads nor writes.
type failing struct{}

func (failing) Read([]byte) (int, error)  { return 0, errors.New("cut") }
func (failing) Write([]byte) (int, error) { return 0, errFull }

// slow serves a body of at most 1 MiB whose sender has patience for each piece, and reports
// the result. It returns a connection on which such a request has begun.
func slow(t *testing.T, patience time.Duration, length int) (net.Conn, <-chan string) {
	t.Helper()
	told := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		what := got(httpkit.NewBody(r, 1<<20).Within(patience, w, time.Now).Bytes())
		w.Header().Set("Connection", "close")
		told <- what
	}))
	connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close(); server.Close() })
	_, _ = fmt.Fprintf(connection, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", length)
	return connection, told
}

// heard waits for the result of a body.
func heard(t *testing.T, told <-chan string, want string) {
	t.Helper()
	select {
	case got := <-told:
		if got != want {
			t.Errorf("%s, not %s", got, want)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("nothing came of it")
	}
}

func TestSlowBody(t *testing.T) {
	t.Run("one that stops is cut off, and its connection closed", func(t *testing.T) {
		connection, told := slow(t, 200*time.Millisecond, 1000)
		_, _ = io.WriteString(connection, "a")
		heard(t, told, "late")
		_ = connection.SetReadDeadline(time.Now().Add(10 * time.Second))
		if _, err := io.Copy(io.Discard, connection); err != nil {
			t.Errorf("it stays open: %v", err)
		}
	})
	t.Run("one that trickles is cut off", func(t *testing.T) {
		connection, told := slow(t, 300*time.Millisecond, 1000)
		began := time.Now()
		go func() {
			for range 200 {
				time.Sleep(30 * time.Millisecond)
				if _, err := io.WriteString(connection, "a"); err != nil {
					return
				}
			}
		}()
		heard(t, told, "late")
		if took := time.Since(began); took > 4*time.Second {
			t.Errorf("after %v", took)
		}
	})
	t.Run("what has come gives time for more", func(t *testing.T) {
		const pieces, size = 10, 64 << 10
		connection, told := slow(t, time.Second, pieces*size)
		go func() {
			for range pieces {
				_, _ = io.WriteString(connection, strings.Repeat("a", size))
				time.Sleep(200 * time.Millisecond)
			}
		}()
		heard(t, told, fmt.Sprintf("%d bytes", pieces*size))
	})
	t.Run("the deadline of one that came whole ends, that of one that broke off stays", func(t *testing.T) {
		for in, want := range map[io.Reader]bool{strings.NewReader("abc"): true, failing{}: false} {
			w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
			_, err := httpkit.NewBody(httptest.NewRequestWithContext(t.Context(), "POST", "/", in), 10).Within(time.Hour, w, time.Now).Bytes()
			if w.last.IsZero() != want || w.set == 0 {
				t.Errorf("%v: %d deadlines, the last %v", err, w.set, w.last)
			}
		}
	})
	t.Run("without a clock nobody is cut off", func(t *testing.T) {
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/", strings.NewReader("abc"))
		w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
		if got := got(httpkit.NewBody(r, 10).Within(time.Nanosecond, w, func() time.Time { return time.Time{} }).Bytes()); got != "3 bytes" || w.set > 0 {
			t.Errorf("%s, %d deadlines", got, w.set)
		}
	})
	t.Run("a stream byte by byte sets few deadlines", func(t *testing.T) {
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/", strings.NewReader(strings.Repeat("a", 40<<10)))
		w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
		b := httpkit.NewBody(r, 1<<20).Within(time.Hour, w, time.Now)
		for p := make([]byte, 1); ; {
			if _, err := b.Read(p); err != nil {
				break
			}
		}
		b.Rest()
		if w.set != 4 { // at first, after 16 KiB each, and the one that ends
			t.Errorf("%d", w.set)
		}
	})
}

// deadlines counts the deadlines that are set, and keeps the last.
type deadlines struct {
	*httptest.ResponseRecorder
	set  int
	last time.Time
}

func (d *deadlines) SetReadDeadline(at time.Time) error {
	d.set++
	d.last = at
	return nil
}
