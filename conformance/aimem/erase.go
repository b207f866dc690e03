package aimemsuite

import (
	"errors"
	"net/http"
	"net/url"
)

func eraseChecks() []check {
	return []check{
		{"AIMEM-5.2-1", func(r *run) error {
			if err := r.mayErase(); err != nil {
				return err
			}
			if _, err := r.taken(r.sample()); err != nil {
				return err
			}
			if err := r.eraseAll(); err != nil {
				return err
			}
			v, err := r.export("")
			if err == nil && len(v.Get(chunks).Items()) > 0 {
				err = errors.New("chunks are exported after an erasure")
			}
			return err
		}},
		{"AIMEM-5.2-2", func(r *run) error {
			if err := r.mayErase(); err != nil {
				return err
			}
			if _, err := r.taken(r.sample()); err != nil {
				return err
			}
			if err := r.eraseAll(); err != nil {
				return err
			}
			v, err := r.export("")
			if err == nil && len(v.Get(edges).Items())+len(v.Get(entities).Items())+len(v.Get(links).Items()) > 0 {
				err = errors.New("edges, entities or links are exported after an erasure")
			}
			return err
		}},
		{"AIMEM-5.2-9", func(r *run) error {
			if err := r.mayErase(); err != nil {
				return err
			}
			if err := first(r.eraseAll(), r.eraseAll()); err != nil {
				return err
			}
			_, err := r.export("")
			return err
		}},
	}
}

// mayErase ends a row that erases, unless the run may erase.
func (r *run) mayErase() error {
	if !r.Erase {
		return notTried("the run may not erase everything that the token's owner has")
	}
	return nil
}

// eraseAll erases everything, by the route of decision AD-28. The specification does not
// name a route.
func (r *run) eraseAll() error {
	a := r.call(r.Token, http.MethodDelete, brainPath+"?confirm="+url.QueryEscape(r.first.Get("tenant_id").Text()), nil)
	if a.Status == http.StatusNotFound || a.Status == http.StatusMethodNotAllowed {
		return notTried("the server does not offer erasure over HTTP")
	}
	r.erased = r.erased || a.Status == 200
	return a.Is(200)
}
