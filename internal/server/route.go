package server

import (
	"net/http"
	"slices"

	"github.com/satchel-memory/satchel/aaif/a2ahttp"
	"github.com/satchel-memory/satchel/aaif/aaifhttp"
	"github.com/satchel-memory/satchel/aimem/aimemhttp"
	"github.com/satchel-memory/satchel/engram/engramhttp"
	"github.com/satchel-memory/satchel/internal/oauth"
	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/ump/umphttp"
	"github.com/satchel-memory/satchel/ump/umpmcp"
)

// memoryRoute is followed by the id of a record.
const memoryRoute = "/ump/memory/"

// routeOf returns a path for the log, without text that a stranger chose and without a
// record's id, from which somebody can guess a short text.
func routeOf(path string) string {
	if path == umpmcp.Path {
		return path
	}
	for _, find := range []func(string) (string, bool){
		umphttp.PathOf, engramhttp.PathOf, ownRoutes().PathOf, aimemhttp.PathOf, aaifhttp.PathOf, a2ahttp.PathOf, oauth.PathOf, pages.RouteOf,
	} {
		if route, ok := find(path); ok {
			return route
		}
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
