package aimemsuite

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
)

func httpChecks() []check {
	return []check{
		{"AIMEM-0-3", func(r *run) error {
			a := r.call("", http.MethodGet, specPath, nil)
			if a.Status == http.StatusNotFound {
				return notOffered("a description of itself")
			}
			if err := a.Is(200); err != nil {
				return err
			}
			switch a.Value.Get("role").Text() {
			case "Producer", "Consumer", "Bidirectional":
				return nil
			}
			return errors.New("the role is none of the three")
		}},
		{"AIMEM-3-1", func(r *run) error {
			_, exports := r.export("")
			_, _, streams := r.stream("")
			return first(exports, streams, r.takes(r.blank().sealed()))
		}},
		{"AIMEM-3-2", wrongMethods},
		{"AIMEM-3.1-3", unauthenticated},
		{"AIMEM-3.1-4", func(r *run) error {
			if r.Reader == "" {
				return notTried("there is no token that may neither export nor import")
			}
			return first(r.call(r.Reader, http.MethodGet, exportPath, nil).Is(403), r.call(r.Reader, http.MethodGet, streamPath, nil).Is(403))
		}},
	}
}

func wrongMethods(r *run) error {
	for _, c := range []struct{ method, path, allow string }{
		{http.MethodDelete, exportPath, http.MethodGet}, {http.MethodPost, exportPath, http.MethodGet},
		{http.MethodPost, streamPath, http.MethodGet}, {http.MethodGet, importPath, http.MethodPost},
	} {
		a := r.call(r.Token, c.method, c.path, nil)
		if err := a.Is(405); err != nil {
			return err
		}
		if !strings.Contains(a.Header.Get("Allow"), c.allow) {
			return fmt.Errorf("%s: Allow does not name %s", a.Asked, c.allow)
		}
	}
	a := r.call(r.Token, http.MethodHead, exportPath, nil)
	if len(a.Body) > 0 {
		return errors.New("HEAD is answered with a body")
	}
	return a.Is(200)
}

func unauthenticated(r *run) error {
	for _, token := range []string{"", "no-token-at-all"} {
		a := r.call(token, http.MethodGet, exportPath, nil)
		if err := a.Is(401); err != nil {
			return err
		}
		if !strings.HasPrefix(a.Header.Get("WWW-Authenticate"), "Bearer") {
			return errors.New("401 does not say WWW-Authenticate: Bearer")
		}
	}
	return nil
}
