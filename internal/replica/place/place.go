// Package place opens shared folders: a folder of this machine, a folder of a WebDAV server, and
// a bucket of an S3-compatible service. Each is a [folder.Storage]. Servers are not trusted: all
// answers are bounded, and no redirect is followed.
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

// maxFiles is the most files that List returns.
const maxFiles = 1 << 18

// checkCount fails with [replica.ErrTooLarge] for more than maxFiles files.
func checkCount(files int) error {
	if files > maxFiles {
		return fmt.Errorf("%w: more than %d files", replica.ErrTooLarge, maxFiles)
	}
	return nil
}

// maxAnswer is the most bytes of an answer of a server: a pack, or the list of a folder.
const maxAnswer = pack.MaxSealed + 1<<20

// errUnsafe refuses an address over which others could read the password.
var errUnsafe = errors.New("others could read the password on its way: use https, or a server on this machine")

// ErrAddress refuses a malformed address.
var ErrAddress = errors.New("the address is no URL of a server; write https://HOST/PATH, without a password in it")

// address parses the address of a server, and refuses http to another machine.
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

// client returns a client that follows no redirect, and fails if an answer does not begin within
// a minute. Only ctx bounds the time of the rest.
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
		CheckRedirect: httpkit.NoRedirect,
	}
}

// bounded is a transport whose answers fail with [replica.ErrTooLarge] after maxAnswer bytes.
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

// readAll reads and closes a file. It fails with [replica.ErrTooLarge] for more than most bytes.
func readAll(in io.ReadCloser, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(in, most+1))
	if err = errors.Join(err, in.Close()); err == nil && int64(len(data)) > most {
		return nil, replica.ErrTooLarge
	}
	return data, err
}
