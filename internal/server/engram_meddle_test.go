package server_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"sync/atomic"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/keys"
)

// The routes of contexts.
const (
	atContext   = "/v1/context"
	atDiff      = "/v1/context/diff"
	atCorrect   = "/v1/context/correct"
	atDiscovery = "/.well-known/engram"
	atKeys      = "/.well-known/engram-keys"
)

// to holds for requests to a route.
func to(method, path string) func(*http.Request) bool {
	return func(r *http.Request) bool { return r.Method == method && r.URL.Path == path }
}

// good changes the successes of a route.
func good(method, path string, edit func(r *http.Request, v canon.Value) canon.Value) meddle {
	return answers(path, func(_ canon.Value, r *http.Request, got *reply) {
		if to(method, path)(r) && got.status < 300 {
			got.set(edit(r, got.json()))
		}
	})
}

// contexts changes contexts, by what was asked for.
func contexts(edit func(q url.Values, v canon.Value) canon.Value) meddle {
	return good(http.MethodGet, atContext, func(r *http.Request, v canon.Value) canon.Value { return edit(r.URL.Query(), v) })
}

// tellsOf changes every context.
func tellsOf(edit editing) meddle {
	return contexts(func(_ url.Values, v canon.Value) canon.Value { return edit(v) })
}

// beliefs, evolution and correcting change what every context lists.
func beliefs(edit editing) meddle    { return tellsOf(within(each(edit), "beliefs")) }
func evolution(edit editing) meddle  { return tellsOf(within(each(edit), "evolution")) }
func correcting(edit editing) meddle { return tellsOf(within(each(edit), "corrections")) }

// changed changes what is told of changes.
func changed(edit editing) meddle {
	return good(http.MethodGet, atDiff, func(_ *http.Request, v canon.Value) canon.Value { return edit(v) })
}

// proposing changes the answers to proposals.
func proposing(edit editing) meddle {
	return good(http.MethodPost, atCorrect, func(_ *http.Request, v canon.Value) canon.Value { return edit(v) })
}

// shown changes what is shown to all.
func shown(path string, edit editing) meddle {
	return good(http.MethodGet, path, func(_ *http.Request, v canon.Value) canon.Value { return edit(v) })
}

// besideWhole changes a part of the context beside the whole of it.
func besideWhole(edit func(part, whole canon.Value) canon.Value) meddle {
	return func(next http.Handler) http.Handler {
		return on(atContext, next, func(w http.ResponseWriter, r *http.Request) {
			all := r.Clone(r.Context())
			all.URL.RawQuery = ""
			got := serve(next, r)
			if got.ok() && to(http.MethodGet, atContext)(r) && r.URL.RawQuery != "" {
				got.set(edit(got.json(), serve(next, all).json()))
			}
			got.write(w)
		})
	}
}

// fromWhole is besideWhole for one member, which is that of the whole.
func fromWhole(name string) meddle {
	return besideWhole(func(part, whole canon.Value) canon.Value { return part.With(name, whole.Get(name)) })
}

// asIf lets requests in with another token.
func asIf(token string, when func(*http.Request) bool) meddle {
	return header("/v1/", func(r *http.Request) {
		if when(r) {
			r.Header.Set("Authorization", "Bearer "+token)
		}
	})
}

// by holds for requests with a token.
func by(token string) func(*http.Request) bool {
	return func(r *http.Request) bool { return r.Header.Get("Authorization") == "Bearer "+token }
}

// tokenless holds for requests without a token.
func tokenless(r *http.Request) bool { return r.Header.Get("Authorization") == "" }

// asksFor takes one query for another.
func asksFor(from, to string) meddle {
	return header(atContext, func(r *http.Request) {
		if r.URL.RawQuery == from {
			r.URL.RawQuery = to
		}
	})
}

// refusal is an error of the standard.
func refusal(status int, code engram.Code) *reply {
	got := &reply{status: status, header: http.Header{"Content-Type": {"application/json"}}}
	got.set((&engram.Fault{Code: code, Detail: "it is refused"}).Wire())
	got.set(within(func(canon.Value) canon.Value { return canon.Int(int64(status)) }, "error", "status")(got.json()))
	return got
}

// refusing refuses requests, whatever they ask for.
func refusing(status int, code engram.Code, when func(*http.Request) bool) meddle {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if when(r) {
				refusal(status, code).write(w)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// refused changes the errors of a code, or every error if that is empty.
func refused(code engram.Code, edit func(got *reply)) meddle {
	return answers("/", func(_ canon.Value, _ *http.Request, got *reply) {
		if got.status >= 400 && (code == "" || got.json().Get("error").Get("code").Text() == string(code)) {
			edit(got)
		}
	})
}

// recoded answers with another error.
func recoded(from engram.Code, status int, code engram.Code) meddle {
	return refused(from, func(got *reply) {
		other := refusal(status, code)
		got.status, got.body = other.status, other.body
	})
}

// accepting takes proposals that have to be refused.
func accepting(when func(r *http.Request, asked canon.Value) bool) meddle {
	return answers(atCorrect, func(asked canon.Value, r *http.Request, got *reply) {
		if got.status >= 400 && r.Method == http.MethodPost && when(r, asked) {
			got.status = http.StatusCreated
			got.body = []byte(`{"correction_id":"11111111-1111-4111-8111-111111111111","belief_id":"","status":"pending_user_confirmation","message":"Recorded."}`)
		}
	})
}

// proposed holds for proposals of which that holds.
func proposed(holds func(canon.Value) bool) func(*http.Request, canon.Value) bool {
	return func(_ *http.Request, asked canon.Value) bool { return holds(asked) }
}

// signing changes contexts and signs another form of them.
func signing(key keys.Private, edit editing, form func(canonical []byte) []byte) meddle {
	return tellsOf(func(v canon.Value) canon.Value {
		v = edit(v.Without("signature"))
		return v.With("signature", canon.String(base64.RawURLEncoding.EncodeToString(key.Sign(form(v.AppendCanonical(nil))))))
	})
}

// sendingAway sends the first request away.
func sendingAway(edit func(got *reply)) meddle {
	var asked atomic.Int64
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if asked.Add(1) > 1 {
				next.ServeHTTP(w, r)
				return
			}
			got := refusal(http.StatusTooManyRequests, engram.RateLimited)
			got.header.Set("Retry-After", "1")
			edit(got)
			got.write(w)
		})
	}
}
