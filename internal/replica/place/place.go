// Package place opens the places where machines meet: a folder of this machine, which a
// stick or another program carries, a folder of a WebDAV server, and a bucket of an
// S3-compatible service. Each is a [folder.Storage]. Nobody there needs to be trusted, so
// all that comes from there is bounded, and no answer leads to another host.
package place

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/replica/pack"
)

// maxFiles is how many files List lists at most.
const maxFiles = 1 << 18

// full refuses a place that holds more files than anybody's machines put there.
func full(files int) error {
	if files > maxFiles {
		return fmt.Errorf("%w: more than %d files", replica.ErrTooLarge, maxFiles)
	}
	return nil
}

// maxAnswer bounds any answer of a server, in bytes: a pack, or the list of a folder.
const maxAnswer = pack.MaxSealed + 1<<20

// errUnsafe refuses an address over which others could read the password.
var errUnsafe = errors.New("others could read the password on its way: use https, or a server on this machine")

// ErrAddress refuses an address that is none.
var ErrAddress = errors.New("the address is no URL of a server; write https://HOST/PATH, without a password in it")

// address reads the address of a server.
func address(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, ErrAddress // without the cause, which may quote a password
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !httpkit.OnThisMachine(u)) {
		return nil, errUnsafe
	}
	return u, nil
}

// client returns a client of one server: it follows no redirect, and waits for an answer to
// begin for a minute at most. ctx limits the rest.
func client() *http.Client {
	return &http.Client{
		Transport: bounded{&http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           (&net.Dialer{Timeout: 30 * time.Second}).DialContext,
			ForceAttemptHTTP2:     true,
			MaxIdleConns:          4,
			IdleConnTimeout:       90 * time.Second,
			TLSHandshakeTimeout:   15 * time.Second,
			ResponseHeaderTimeout: time.Minute,
		}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// bounded cuts the answers of a server with an error.
type bounded struct{ http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		answer.Body = &boundedBody{answer.Body, maxAnswer}
	}
	return answer, err
}

type boundedBody struct {
	io.ReadCloser
	left int64
}

// Read implements [io.Reader].
func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("%w: the answer of the server", replica.ErrTooLarge)
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// readAll reads a file of at most most bytes, and closes it.
func readAll(in io.ReadCloser, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(in, most+1))
	if err = errors.Join(err, in.Close()); err == nil && int64(len(data)) > most {
		return nil, replica.ErrTooLarge
	}
	return data, err
}
