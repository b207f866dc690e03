package conformance

import (
	"context"
	"errors"
	"net/url"
	"slices"
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
