package server

import (
	"net/http"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif/a2ahttp"
	"github.com/satchel-memory/satchel/aaif/aaifhttp"
	"github.com/satchel-memory/satchel/aimem/aimemhttp"
	"github.com/satchel-memory/satchel/engram/engramhttp"
	"github.com/satchel-memory/satchel/internal/oauth"
	"github.com/satchel-memory/satchel/internal/pages"
)

// memoryRoute is followed by the id of a record.
const memoryRoute = "/ump/memory/"

// routes are the paths that logs and metrics tell apart.
func routes() []string {
	return append(slices.Concat(aimemhttp.Paths(), engramhttp.Paths(), aaifhttp.Paths(), oauth.Paths()),
		"/", "/mcp", "/healthz", "/readyz", "/metrics",
		"/.well-known/ump.json", "/.well-known/ump/public.ump.json", "/.well-known/ump/public.ndjson",
		"/ump/capabilities", "/ump/recall", "/ump/remember", "/ump/revise", "/ump/forget",
		"/ump/export", "/ump/feedback", "/ump/subscribe",
	)
}

// routeOf returns a path for the log, without text that a stranger chose and without a
// record's id, from which somebody can guess a short text.
func routeOf(path string) string {
	if slices.Contains(routes(), path) {
		return path
	}
	if len(path) > len(memoryRoute) && strings.HasPrefix(path, memoryRoute) {
		return memoryRoute + "{id}"
	}
	if route, ok := engramhttp.RouteOf(path); ok {
		return route
	}
	if route, ok := aaifhttp.RouteOf(path); ok {
		return route
	}
	if route, ok := a2ahttp.RouteOf(path); ok {
		return route
	}
	if route, ok := pages.RouteOf(path); ok {
		return route
	}
	return "other"
}

// methodOf returns a request's method for the log, if the method exists.
func methodOf(r *http.Request) string {
	known := []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions}
	if slices.Contains(known, r.Method) {
		return r.Method
	}
	return "other"
}
