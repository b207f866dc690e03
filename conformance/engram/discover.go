package engramsuite

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
)

func discoveryChecks() []check {
	return []check{
		{"ENGRAM-3.9-DISC-1", discovered(func(_ *run, v canon.Value) error {
			for _, name := range []string{"context", "diff", "keys"} { // a store that only serves does not offer correct
				if v.Get("endpoints").Get(name).Text() == "" {
					return fmt.Errorf("endpoints.%s is not there", name)
				}
			}
			if v.Get("engram_version").Text() != engram.Version || v.Get("issuer").Get("name").Text() == "" || v.Get("issuer").Get("url").Text() == "" {
				return errors.New("engram_version, issuer.name or issuer.url is not there")
			}
			return nil
		})},
		{"ENGRAM-3.9-DISC-2", discovered(func(r *run, v canon.Value) error {
			for _, m := range v.Get("endpoints").Members() {
				if !strings.HasPrefix(m.Value.Text(), "/") {
					return fmt.Errorf("endpoints.%s is no path", m.Name)
				}
				a := r.call(r.Token, http.MethodGet, m.Value.Text(), "")
				if a.Err != nil || a.Status == http.StatusNotFound || a.Status >= 500 {
					return fmt.Errorf("endpoints.%s answers %s", m.Name, a.Said())
				}
			}
			return nil
		})},
		{"ENGRAM-3.9-DISC-3", discovered(func(_ *run, v canon.Value) error {
			var scopes []engram.Scope
			for _, s := range v.Get("scopes_supported").Items() {
				scopes = append(scopes, engram.Scope(s.Text()))
			}
			slices.Sort(scopes)
			if want := slices.Sorted(slices.Values(engram.Scopes())); !slices.Equal(scopes, want) {
				return fmt.Errorf("scopes_supported lists %q", scopes)
			}
			return nil
		})},
		{"ENGRAM-3.9-DISC-4", discovered(func(r *run, v canon.Value) error {
			for _, s := range v.Get("scopes_supported").Items() {
				if err := r.get("?scope=" + s.Text()).Is(200); err != nil {
					return err
				}
			}
			return refuses(engram.InvalidScope, "scope=work", "scope=custom")(r)
		})},
		{"ENGRAM-3.9-DISC-5", discovered(func(r *run, v canon.Value) error {
			d, err := r.get("").document()
			if err == nil && (v.Get("issuer").Get("name").Text() != d.Issuer.Name || v.Get("issuer").Get("url").Text() != d.Issuer.URL) {
				err = errors.New("the issuer is another than that of the context")
			}
			return err
		})},
		{"ENGRAM-3.9-DISC-7", discovered(func(_ *run, v canon.Value) error {
			if v.Get("auth_note").Text() == "" {
				return errors.New("auth_note says nothing")
			}
			return nil
		})},
	}
}

// discovered tries the store's description of itself.
func discovered(try func(*run, canon.Value) error) func(*run) error {
	return func(r *run) error {
		a := r.open(engram.DiscoveryPath)
		if err := a.Is(http.StatusOK); err != nil {
			return err
		}
		return try(r, a.Value)
	}
}
