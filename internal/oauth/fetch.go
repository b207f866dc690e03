package oauth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/internal/httpkit"
)

// newFetcher returns a client that follows no redirect.
func newFetcher(by http.RoundTripper, within time.Duration) *http.Client {
	return &http.Client{Transport: by, Timeout: within, CheckRedirect: httpkit.NoRedirect}
}

// get gets a JSON document of another server, of at most so many bytes. Its errors reveal nothing
// of what answered.
func get(ctx context.Context, c *http.Client, address string, most int64) (http.Header, []byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, nil, errors.New("it has no address that can be asked")
	}
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", "satchel")
	got, err := c.Do(r)
	if err != nil {
		return nil, nil, errors.New("it could not be had")
	}
	defer func() { _ = got.Body.Close() }() // an error loses nothing
	if got.StatusCode != http.StatusOK {
		return nil, nil, errors.New("its server does not answer with status 200")
	}
	body, err := io.ReadAll(io.LimitReader(got.Body, most+1))
	if err != nil || int64(len(body)) > most {
		return nil, nil, fmt.Errorf("it is longer than %d KiB, or broke on the way", most>>10)
	}
	return got.Header, body, nil
}
