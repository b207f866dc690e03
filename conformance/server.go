package conformance

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Base returns the address of a server without a trailing slash.
func Base(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return "", errors.New("the address must be http:// or https://, a host, and perhaps a path")
	}
	return strings.TrimSuffix(address, "/"), nil
}

// Wants reports whether a run tries a row. Each entry of only is an id or the beginning of
// one; an empty only requests every row.
func Wants(only []string, id string) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(only string) bool {
		return id == only || strings.HasPrefix(id, strings.TrimSuffix(only, "-")+"-") || strings.HasPrefix(id, only+".")
	})
}

// Pause waits until the time passes or the context ends.
func Pause(ctx context.Context, d time.Duration) {
	ctx, done := context.WithTimeout(ctx, d)
	defer done()
	<-ctx.Done()
}
