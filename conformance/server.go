package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Base returns the address of a server without a slash at its end.
func Base(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return "", errors.New("the address must be http:// or https://, a host, and perhaps a path")
	}
	return strings.TrimSuffix(address, "/"), nil
}

// Wants reports whether a row is to be tried: one of those in only, each an id or the
// beginning of one, or any where there are none.
func Wants(only []string, id string) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(only string) bool {
		return id == only || strings.HasPrefix(id, strings.TrimSuffix(only, "-")+"-") || strings.HasPrefix(id, only+".")
	})
}

// Pause lets time pass, or the context end.
func Pause(ctx context.Context, d time.Duration) {
	ctx, done := context.WithTimeout(ctx, d)
	defer done()
	<-ctx.Done()
}

// maxWait is how long a throttled request is held back at once.
const maxWait = 20 * time.Second

// RetryAfter returns how long an answer tells to wait: a number of seconds, or until
// a date. It is a second where it does not say, and never longer than 20.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	said := h.Get("Retry-After")
	wait := time.Second
	if seconds, err := strconv.ParseUint(said, 10, 31); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(said); err == nil {
		wait = max(at.Sub(now), 0)
	}
	return min(wait, maxWait)
}

// maxRetries is how often a request is sent.
const maxRetries = 8

// Patiently sends a request by once, which returns status and headers of the answer,
// again as long as it is throttled, after the time it is told to wait, which is a
// second at least. The error is for a server that throttles it each time.
func Patiently(ctx context.Context, now func() time.Time, once func() (int, http.Header)) error {
	for range maxRetries {
		status, header := once()
		if status != http.StatusTooManyRequests {
			return nil
		}
		Pause(ctx, max(RetryAfter(header, now()), time.Second))
	}
	return errors.New("the server throttles again and again")
}

// Body reads a whole answer, at most so many bytes of it, and closes it.
func Body(got *http.Response, most int64) ([]byte, error) {
	defer func() { _ = got.Body.Close() }() // what could be read has been read
	body, err := io.ReadAll(io.LimitReader(got.Body, most))
	if err != nil {
		return body, fmt.Errorf("the answer breaks off: %w", err)
	}
	return body, nil
}
