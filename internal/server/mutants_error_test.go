package server_test

import (
	"bytes"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/satchel-memory/satchel/canon"
)

// errorMutants break rules of errors and routes.
func errorMutants() []mutant {
	recode := func(from, to string) meddle {
		return fails(func(got *reply) {
			got.body = bytes.Replace(got.body, []byte(`"code":"`+from+`"`), []byte(`"code":"`+to+`"`), 1)
		})
	}
	status := func(from, to int) meddle {
		return fails(func(got *reply) {
			if got.status == from {
				got.status = to
			}
		})
	}
	return []mutant{
		{"UMP-3-2 errors have no message", fails(func(got *reply) {
			got.body = []byte(`{"error":{"code":"` + got.json().Get("error").Get("code").Text() + `"}}`)
		})},
		{"UMP-3-2 errors are plain text", answers("/ump/memory/", func(_ canon.Value, _ *http.Request, got *reply) {
			if got.status == 404 {
				got.body = []byte("not found")
			}
		})},
		{"UMP-3.7-1 UMP-3.3-9 invalid_record has another name", recode("invalid_record", "bad_request")},
		{"UMP-3.7-1 UMP-3.3-8 signature_invalid has another name", recode("signature_invalid", "invalid_record")},
		{"UMP-3.7-1 UMP-3.3-7 consent_violation has another name", recode("consent_violation", "invalid_record")},
		{"UMP-3.7-4 UMP-2-2 unsupported has another name", recode("unsupported", "invalid_record")},
		{"UMP-3.7-2 no token is a matter of scope", recode("unauthorized", "forbidden_scope")},
		{"UMP-3.7-2 unauthorized comes as 403", status(401, 403)},
		{"UMP-3.7-2 nobody says how to sign in", fails(func(got *reply) { got.header.Del("WWW-Authenticate") })},
		{"UMP-3.7-3 forbidden_scope comes as 400", status(403, 400)},
		{"UMP-3.3-9 invalid_record comes as 422", status(400, 422)},
		{"UMP-3.7-6 errors repeat the text", answers("/ump/remember", func(asked canon.Value, _ *http.Request, got *reply) {
			text := asked.Get("record").Get("body").Get("text").Text()
			if e := got.json().Get("error"); got.status >= 400 && text != "" {
				got.set(got.json().With("error", e.With("message", canon.String("cannot store: "+text))))
			}
		})},
		{"UMP-4.2-8 errors come as text", fails(func(got *reply) { got.header.Set("Content-Type", "text/plain; charset=utf-8") })},
		{"UMP-4.2-10 an unknown route has no envelope", answers("/ump/nope", func(_ canon.Value, _ *http.Request, got *reply) { got.body = []byte("404 page not found\n") })},
		{"UMP-4.2-10 a wrong method is an unknown route", status(405, 404)},
		{"UMP-1-6 hostile input brings it down", answers("/ump/remember", func(asked canon.Value, _ *http.Request, got *reply) {
			if asked.Type() == canon.TypeUndefined && got.status == 400 {
				got.status, got.body = 500, []byte(`{"error":{"code":"internal","message":"it did not work"}}`)
			}
		})},
		{"UMP-3.7-5 a limit without Retry-After", throttling(429, "rate_limited", "")},
		{"UMP-3.7-5 a limit with another code", throttling(429, "forbidden_scope", "1")},
		{"UMP-4.2-7 UMP-2.2-3 UMP-3.4-4 no token is needed", header("/ump/", func(r *http.Request) {
			if r.Header.Get("Authorization") == "" && r.URL.Path != "/ump/capabilities" {
				r.Header.Set("Authorization", "Bearer "+token)
			}
		})},
	}
}

// throttling refuses some of a burst of requests for what is public.
func throttling(status int, code, after string) meddle {
	var n atomic.Int64
	return answers("/ump/capabilities", func(_ canon.Value, r *http.Request, got *reply) {
		if r.Header.Get("Authorization") != "" {
			return
		}
		if at := n.Add(1); at > 200 && at < 230 {
			got.status = status
			got.body = []byte(strings.Replace(`{"error":{"code":"C","message":"wait"}}`, "C", code, 1))
			if after != "" {
				got.header.Set("Retry-After", after)
			}
		}
	})
}
