package aaifsuite

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// clearing is the longest time for removing what the run left.
const clearing = 30 * time.Second

// clear removes everything that the run put onto the platform, runs and states before their agents.
// It works even after the run was cancelled. Items that it could not remove stay listed.
func (r *run) clear() {
	ctx, stop := context.WithTimeout(context.WithoutCancel(r.ctx), clearing)
	defer stop()
	was := r.ctx
	r.ctx = ctx
	defer func() { r.ctx = was }()
	for _, sort := range []struct{ word, path string }{{"run ", r.Runs}, {"state ", r.States}, {"agent ", r.intake}} {
		r.left = slices.DeleteFunc(r.left, func(left string) bool {
			id, ok := strings.CutPrefix(left, sort.word)
			if !ok {
				return false
			}
			a := r.do(ask{method: http.MethodDelete, path: strings.TrimSuffix(sort.path, "/") + "/" + url.PathEscape(id)})
			return a.Err == nil && (a.Status/100 == 2 || a.Status == http.StatusNotFound)
		})
	}
}
