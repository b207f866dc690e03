package server_test

import (
	"net/http"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	engramsuite "github.com/satchel-memory/satchel/conformance/engram"
	"github.com/satchel-memory/satchel/engram"
)

// engramAccessMutants break rules of who is let in.
func engramAccessMutants(target engramsuite.Target) []engramMutant {
	whole := func(when func(*http.Request) bool) meddle { return asIf(target.Token, when) }
	said := func(words string) func(*http.Request) bool {
		return func(r *http.Request) bool { return r.Header.Get("Authorization") == words }
	}
	asked := func(query string, when func(*http.Request) bool) func(*http.Request) bool {
		return func(r *http.Request) bool { return r.URL.RawQuery == query && when(r) }
	}
	return []engramMutant{
		{name: "ENGRAM-3.9-AUTH-1 there is no diff", does: refusing(404, engram.InvalidRequest, to("GET", atDiff))},
		{name: "ENGRAM-3.9-AUTH-1 corrections are not offered", does: refusing(405, engram.InvalidRequest, to("POST", atCorrect))},
		{name: "ENGRAM-3.9-AUTH-1 there are no categories", does: refusing(404, engram.InvalidRequest, asked("categories=projects", to("GET", atContext)))},
		{name: "ENGRAM-3.9-AUTH-1 there is no discovery", does: refusing(404, engram.InvalidRequest, to("GET", atDiscovery))},
		{name: "ENGRAM-3.9-AUTH-1 ENGRAM-3.8-10 ENGRAM-3.8-16 ENGRAM-3.9-AUTH-7 there are no keys", does: refusing(404, engram.InvalidRequest, to("GET", atKeys))},
		{name: "ENGRAM-3.9-AUTH-2 ENGRAM-3.9-ERR-2 ENGRAM-3.9-DIFF-16 nobody has to sign in", does: whole(tokenless)},
		{name: "ENGRAM-3.9-AUTH-2 a scope is for all", does: whole(asked("scope=minimal", tokenless))},
		{name: "ENGRAM-3.9-AUTH-2 ENGRAM-3.9-DIFF-16 changes are for all", does: whole(both(tokenless, to("GET", atDiff)))},
		{name: "ENGRAM-3.9-AUTH-2 anybody may propose", does: whole(both(tokenless, to("POST", atCorrect)))},
		{name: "ENGRAM-3.9-AUTH-2 ENGRAM-3.9-AUTH-3 ENGRAM-3.9-ERR-2 strangers are forbidden", does: recoded(engram.Unauthorized, 403, engram.Forbidden)},
		{name: "ENGRAM-3.9-AUTH-3 a password will do", does: whole(said("Basic x"))},
		{name: "ENGRAM-3.9-AUTH-3 an empty token will do", does: whole(said("Bearer"))},
		{name: "ENGRAM-3.9-AUTH-3 any token will do", does: whole(said("Bearer nope"))},
		{name: "ENGRAM-3.9-AUTH-3 nothing says how to sign in", does: refused(engram.Unauthorized, func(got *reply) { got.header.Del("WWW-Authenticate") })},
		{name: "ENGRAM-3.9-AUTH-4 ENGRAM-3.9-ERR-3 tokens do not expire", does: whole(by(target.Expired))},
		{name: "ENGRAM-3.9-AUTH-4 ENGRAM-3.9-ERR-3 an expired token is unknown", does: recoded(engram.TokenExpired, 401, engram.Unauthorized)},
		{name: "ENGRAM-3.9-AUTH-5 ENGRAM-3.9-ERR-4 a token for less opens all", does: whole(asked("scope=full", by(target.Narrow)))},
		{name: "ENGRAM-3.9-AUTH-5 ENGRAM-3.9-ERR-4 a token for less has all", does: whole(asked("", by(target.Narrow)))},
		{name: "ENGRAM-3.9-AUTH-5 ENGRAM-3.9-ERR-4 what is forbidden is 401", does: recoded(engram.Forbidden, 401, engram.Unauthorized)},
		{name: "ENGRAM-3.9-AUTH-5 who reads may propose", does: accepting(func(r *http.Request, _ canon.Value) bool { return by(target.Reads)(r) })},
		{name: "ENGRAM-3.9-AUTH-7 discovery takes a token", does: refusing(401, engram.Unauthorized, both(tokenless, to("GET", atDiscovery)))},
		{name: "ENGRAM-3.9-AUTH-7 ENGRAM-3.8-31 keys take a token", does: refusing(401, engram.Unauthorized, both(tokenless, to("GET", atKeys)))},
		{name: "ENGRAM-3.9-AUTH-8 errors repeat the token", does: repeating(func(r *http.Request) bool { return by(target.Narrow)(r) || by(target.Expired)(r) })},
		{name: "ENGRAM-3.9-AUTH-8 errors repeat a token that opens nothing", does: repeating(func(r *http.Request) bool { return strings.Contains(r.Header.Get("Authorization"), "conformance") })},
		{name: "ENGRAM-3.9-AUTH-8 a header repeats the token", does: answers("/v1/", func(_ canon.Value, r *http.Request, got *reply) {
			got.header.Set("X-Request", r.Header.Get("Authorization"))
		})},
		{name: "ENGRAM-3.2-23 another token is for somebody else", does: good("GET", atContext, func(r *http.Request, v canon.Value) canon.Value {
			if by(target.Narrow)(r) {
				v = within(sets("id", `"11111111-1111-4111-8111-111111111111"`), "subject")(v)
			}
			return v
		})},
	}
}

// repeating puts the token of a request that is refused into the message.
func repeating(when func(*http.Request) bool) meddle {
	return answers("/v1/", func(_ canon.Value, r *http.Request, got *reply) {
		if got.status >= 400 && when(r) {
			got.set(within(func(canon.Value) canon.Value { return canon.String(r.Header.Get("Authorization")) }, "error", "message")(got.json()))
		}
	})
}

// engramErrorMutants break rules of errors.
func engramErrorMutants() []engramMutant {
	error1 := func(edit editing) func(*reply) {
		return func(got *reply) { got.set(within(edit, "error")(got.json())) }
	}
	on := func(status int, edit func(*reply)) meddle {
		return refused("", func(got *reply) {
			if got.status == status {
				edit(got)
			}
		})
	}
	text := func(got *reply) { got.header.Set("Content-Type", "text/plain") }
	all := []engramMutant{
		{name: "ENGRAM-3.9-ERR-1 errors are text", does: refused("", text)},
		{name: "ENGRAM-3.9-ERR-1 errors have no message", does: refused("", error1(lacks("message")))},
		{name: "ENGRAM-3.9-ERR-1 the status is a text", does: refused("", error1(sets("status", `"400"`)))},
		{name: "ENGRAM-3.9-ERR-1 the status is always 400", does: refused("", error1(sets("status", "400")))},
		{name: "ENGRAM-3.9-ERR-1 the error stands for itself", does: refused("", func(got *reply) { got.set(got.json().Get("error")) })},
		{name: "ENGRAM-3.9-ERR-6 ENGRAM-3.9-ERR-12 what is unknown is taken", does: accepting(proposed(is("belief_id", "b_999")))},
		{name: "ENGRAM-3.9-ERR-6 ENGRAM-3.9-ERR-12 what is unknown is malformed", does: recoded(engram.BeliefNotFound, 400, engram.InvalidRequest)},
		{name: "ENGRAM-3.9-ERR-7 ENGRAM-3.9-SCOPE-3 ENGRAM-3.9-SCOPE-5 ENGRAM-3.9-DISC-4 a wrong scope is a wrong request", does: recoded(engram.InvalidScope, 400, engram.InvalidRequest)},
		{name: "ENGRAM-3.9-ERR-8 ENGRAM-3.9-CORR-11 a malformed request is 422", does: recoded(engram.InvalidRequest, 422, engram.InvalidRequest)},
		{name: "ENGRAM-3.9-ERR-10 ENGRAM-3.10-9 versions are not looked at", does: asksFor("engram_version=2.0", "")},
		{name: "ENGRAM-3.9-ERR-10 ENGRAM-3.10-9 the header is not looked at", does: header("/v1/", func(r *http.Request) { r.Header.Del("Engram-Version") })},
		{name: "ENGRAM-3.9-ERR-10 ENGRAM-3.10-9 no version will do", does: refusing(400, engram.UnsupportedVersion, func(r *http.Request) bool { return r.Header.Get("Engram-Version") == "0.1" })},
		{name: "ENGRAM-3.9-ERR-12 the message does not say what", does: refused(engram.BeliefNotFound, error1(sets("message", `"Not found"`)))},
		{name: "ENGRAM-3.9-ERR-13 a code of its own for routes", does: on(404, error1(sets("code", `"not_found"`)))},
		{name: "ENGRAM-3.9-ERR-13 a code of its own for beliefs", does: refused(engram.BeliefNotFound, error1(sets("code", `"unknown_belief"`)))},
		{name: "ENGRAM-3.9-ERR-13 405 does not say what is allowed", does: on(405, func(got *reply) { got.header.Del("Allow") })},
		{name: "ENGRAM-3.9-ERR-13 a wrong method is a wrong request", does: on(405, func(got *reply) { got.status = 400 })},
		{name: "ENGRAM-3.9-ERR-9 nothing says how long to wait", waits: true, does: sendingAway(func(got *reply) { got.header.Del("Retry-After") })},
		{name: "ENGRAM-3.9-ERR-9 to wait for a while", waits: true, does: sendingAway(func(got *reply) { got.header.Set("Retry-After", "soon") })},
		{name: "ENGRAM-3.9-ERR-9 too many requests are forbidden ones", waits: true, does: sendingAway(error1(sets("code", `"forbidden"`)))},
		{name: "ENGRAM-3.9-ERR-1 too many requests are an empty page", waits: true, does: sendingAway(func(got *reply) { got.body = nil })},
	}
	for _, status := range []int{401, 403, 404, 405, 413} {
		all = append(all, engramMutant{name: "ENGRAM-3.9-ERR-1 a page of text for " + http.StatusText(status), does: on(status, text)})
	}
	return all
}
