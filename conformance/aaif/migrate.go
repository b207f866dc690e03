package aaifsuite

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/conformance"
)

func migrateChecks() []check {
	return []check{
		{"AAIF-8.2-3", func(r *run) error { return r.moves() }},
		{"AAIF-8.2-4", order},
		{"AAIF-12-14", flipped},
		{"AAIF-12-15", func(r *run) error {
			return r.lands(0, aaif.TokenBinding, func(v canon.Value) canon.Value {
				return aaif.WithChecksum(set(v, "/variables/count", canon.String("4")))
			})
		}},
		{"AAIF-8.2-9", func(r *run) error {
			if err := r.moves(); err != nil {
				return blocked(err)
			}
			v, err := r.state()
			if err != nil {
				return err
			}
			for _, scope := range []string{"user", "session"} {
				ready, err := r.ready(v.With("memory_snapshot", canon.Array(text("scope", scope, "key", "name", "content", "Ada"))))
				if err != nil {
					return err
				}
				if err := r.refuses("memory of scope "+scope, 0, ready, aaif.PrincipalMismatch); err != nil {
					return err
				}
			}
			return nil
		}},
		{"AAIF-12-3", func(r *run) error {
			if err := r.moves(); err != nil {
				return blocked(err)
			}
			for what, secret := range planted() {
				v, err := r.state()
				if err != nil {
					return err
				}
				ready, err := r.ready(set(v, "/variables/note", canon.String("Say "+secret)))
				if err != nil {
					return err
				}
				if err := r.refuses(what, 0, ready, aaif.InlineSecret); err != nil {
					return err
				}
			}
			return nil
		}},
	}
}

// moves moves a state to the platform, once. If the platform does not trust the key or does
// not accept states, the run can try nothing about states.
func (r *run) moves() error {
	return r.moving.once(func() error {
		if r.Key.IsZero() {
			return conformance.Lacks(noKey)
		}
		if err := r.present(); err != nil {
			return blocked(err)
		}
		v, err := r.fresh()
		if err != nil {
			return err
		}
		a := r.land(v)
		switch {
		case a.Err == nil && (a.Status == http.StatusNotFound && a.code() != aaif.AgentUnknown || a.Status == http.StatusMethodNotAllowed):
			return conformance.NotOffered("to take states in at " + r.States)
		case a.Status == http.StatusUpgradeRequired:
			return conformance.Lacks("states are taken in over TLS only: name the platform by https")
		case a.Status == http.StatusUnauthorized && a.code() == aaif.TokenInvalid:
			return conformance.Lacks("the platform does not trust the key, under the name " + r.Issuer + ", for migration tokens")
		}
		if err := a.is(http.StatusCreated, http.StatusOK); err != nil {
			return err
		}
		r.moved = v.Get("state_id").Text()
		if a.Value.Get("state_id").Text() != r.moved {
			return fmt.Errorf("%s answers with another state_id", a.Asked)
		}
		return nil
	})
}

// land sends a state as a single document.
func (r *run) land(v canon.Value) answer {
	a := r.do(ask{method: http.MethodPost, path: r.States, media: jsonType, body: v.Append(nil)})
	if a.taken() == nil {
		r.left = append(r.left, "state "+v.Get("state_id").Text())
	}
	return a
}

// refuses sends a state that the platform must refuse and must not keep.
func (r *run) refuses(what string, status int, v canon.Value, codes ...aaif.Code) error {
	if err := r.land(v).refused(status, codes...); err != nil {
		return named(what, err)
	}
	return r.nothingOf(what, v)
}

// nothingOf reports an error if the platform keeps the state.
func (r *run) nothingOf(what string, v canon.Value) error {
	id := v.Get("state_id").Text()
	if r.get(r.States+"/"+url.PathEscape(id)).Status == http.StatusOK || strings.Contains(string(r.listed().Body), id) {
		r.left = append(r.left, "state "+id)
		return fmt.Errorf("%s is refused, and kept all the same", what)
	}
	return nil
}

// shows checks that the platform lists the states that it keeps. Otherwise nobody can tell
// whether a refused one left something behind.
func (r *run) shows() error {
	if a := r.listed(); a.Status != http.StatusOK || !strings.Contains(string(a.Body), r.moved) {
		return conformance.Lacks("the platform does not list the states that it keeps")
	}
	return nil
}

// listed fetches the agent's states.
func (r *run) listed() answer { return r.get(r.States + "?limit=100&agent_id=" + r.agentID) }

// lands changes a state after its token was made, and sends it.
func (r *run) lands(status int, code aaif.Code, edit func(canon.Value) canon.Value) error {
	if err := r.moves(); err != nil {
		return blocked(err)
	}
	v, err := r.fresh()
	if err != nil {
		return err
	}
	return r.refuses("a state that was changed", status, edit(v), code)
}

// flipped changes states in ten places.
func flipped(r *run) error {
	if err := r.moves(); err != nil {
		return blocked(err)
	}
	for i, at := range []string{"/iteration", "/status", "/variables/count", "/conversation", "/memory_snapshot", "/pending_tool_calls", "/pipeline_position/current_step",
		"/checkpoint_at", "/x-conformance", "/provenance/source_platform"} {
		v, err := r.fresh()
		if err != nil {
			return err
		}
		to := canon.String("2026-01-01T00:00:00Z")
		switch i {
		case 0:
			to = canon.Int(0)
		case 1:
			to = canon.String("migrating")
		case 3, 4, 5:
			to = canon.Array()
		}
		if err := r.refuses(at, http.StatusUnprocessableEntity, set(v, at, to), aaif.ChecksumMismatch); err != nil {
			return err
		}
	}
	return nil
}

// order breaks the checksum, the token and the agent in turn, and then two at once.
func order(r *run) error {
	if err := r.moves(); err != nil {
		return blocked(err)
	}
	unknown, err := r.newID()
	if err != nil {
		return err
	}
	v, err := r.state()
	if err != nil {
		return err
	}
	forged, err := r.forged(v)
	if err != nil {
		return err
	}
	elsewhere, err := r.ready(v.With("agent_id", canon.String(unknown)))
	if err != nil {
		return err
	}
	both, err := r.forged(v.With("agent_id", canon.String(unknown)))
	if err != nil {
		return err
	}
	broken := func(v canon.Value) canon.Value { return set(v, "/variables/count", canon.String("9")) }
	good, err := r.ready(v)
	return conformance.First(err,
		r.refuses("a wrong checksum", http.StatusUnprocessableEntity, broken(good), aaif.ChecksumMismatch),
		r.refuses("a forged token", http.StatusUnauthorized, forged, aaif.TokenInvalid),
		r.refuses("an unknown agent", http.StatusNotFound, elsewhere, aaif.AgentUnknown),
		r.refuses("a wrong checksum and a forged token", http.StatusUnprocessableEntity, broken(forged), aaif.ChecksumMismatch),
		r.refuses("a forged token of an unknown agent", http.StatusUnauthorized, both, aaif.TokenInvalid),
		r.shows())
}
