package server_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/keys"
)

// engramKeyMutants break rules of the list of keys, and of what they verify.
func engramKeyMutants(key, other keys.Private) []engramMutant {
	listed := func(edit editing) meddle { return shown(atKeys, within(edit, "keys")) }
	everyKey := func(edit editing) meddle { return listed(each(edit)) }
	public := base64.RawURLEncoding.EncodeToString(other.Public())
	htmlEscaped := func(canonical []byte) []byte {
		var b bytes.Buffer
		json.HTMLEscape(&b, canonical)
		return b.Bytes()
	}
	all := []engramMutant{
		{name: "ENGRAM-3.8-1 ENGRAM-3.8-2 ENGRAM-3.8-3 ENGRAM-3.8-31 ENGRAM-3.9-CTX-4 ENGRAM-3.9-SCOPE-2 the key was rotated, and the name kept", does: everyKey(has("public_key", public))},
		{name: "ENGRAM-3.8-1 ENGRAM-3.8-2 ENGRAM-3.8-3 ENGRAM-3.8-31 the key that signs is not listed", does: everyKey(has("kid", "another"))},
		{name: "ENGRAM-3.8-1 ENGRAM-3.8-16 ENGRAM-3.8-17 ENGRAM-3.8-20 ENGRAM-3.8-28 the list is empty", does: listed(empty)},
		{name: "ENGRAM-3.8-16 the list is text", does: answers(atKeys, func(_ canon.Value, _ *http.Request, got *reply) { got.header.Set("Content-Type", "text/plain") })},
		{name: "ENGRAM-3.8-17 a key for another algorithm", does: everyKey(has("alg", "ES256"))},
		{name: "ENGRAM-3.8-17 a key for another use", does: everyKey(has("use", "enc"))},
		{name: "ENGRAM-3.8-18 a key that is cut short", does: everyKey(has("public_key", public[:40]))},
		{name: "ENGRAM-3.8-18 a key in base64 with padding", does: everyKey(has("public_key", public+"="))},
		{name: "ENGRAM-3.8-19 a key that ends before it begins", does: everyKey(has("expires_at", "2001-01-01T00:00:00Z"))},
		{name: "ENGRAM-3.8-19 a key made at no time", does: everyKey(has("created_at", "once"))},
		{name: "ENGRAM-3.8-20 two keys of one name", does: listed(func(v canon.Value) canon.Value { return canon.Array(append(slices.Clone(v.Items()), v.Items()...)...) })},
		{name: "ENGRAM-3.8-28 the private key is listed", does: everyKey(has("d", public))},
		{name: "ENGRAM-3.8-7 the signature is padded", does: tellsOf(func(v canon.Value) canon.Value { return has("signature", v.Get("signature").Text()+"==")(v) })},
		{name: "ENGRAM-3.8-4 what is signed is escaped for pages", does: signing(key, func(v canon.Value) canon.Value { return v }, htmlEscaped)},
		{name: "ENGRAM-3.8-2 ENGRAM-3.8-3 a member is left out of what is signed", does: signing(key, func(v canon.Value) canon.Value { return v }, func(canonical []byte) []byte {
			v, _ := canon.Parse(canonical, canon.Options{Bytes: 64 << 20})
			return v.Without("subject").AppendCanonical(nil)
		})},
		{name: "ENGRAM-3.9-CTX-4 the context expires at once", does: signing(key, func(v canon.Value) canon.Value {
			return has("expires_at", time.Now().Add(30*time.Second).UTC().Format(time.RFC3339))(v)
		}, slices.Clone)},
		{name: "ENGRAM-3.7-21 ENGRAM-3.9-SCOPE-2 a part has the signature of the whole", does: fromWhole("signature")},
		{name: "ENGRAM-3.9-SCOPE-2 ENGRAM-3.7-21 a part is changed after it was signed", does: contexts(func(q url.Values, v canon.Value) canon.Value {
			if len(q) > 0 {
				v = has("schema", "https://example.com/other")(v)
			}
			return v
		})},
	}
	for _, name := range []string{"kid", "alg", "use", "public_key", "created_at", "expires_at"} {
		all = append(all, engramMutant{name: "ENGRAM-3.8-17 a key without " + name, does: everyKey(lacks(name))})
	}
	return all
}

// engramDiscoveryMutants break rules of what a store says of itself.
func engramDiscoveryMutants() []engramMutant {
	says := func(edit editing) meddle { return shown(atDiscovery, edit) }
	all := []engramMutant{
		{name: "ENGRAM-3.9-DISC-1 another version", does: says(has("engram_version", "0.2"))},
		{name: "ENGRAM-3.9-DISC-1 ENGRAM-3.9-DISC-5 the issuer has no name", does: says(within(lacks("name"), "issuer"))},
		{name: "ENGRAM-3.9-DISC-2 an endpoint that is not there", does: says(within(has("diff", "/v1/changes"), "endpoints"))},
		{name: "ENGRAM-3.9-DISC-2 an endpoint elsewhere", does: says(within(has("keys", "https://elsewhere.example/keys"), "endpoints"))},
		{name: "ENGRAM-3.9-DISC-3 a scope is not listed", does: says(within(func(v canon.Value) canon.Value { return canon.Array(v.Items()[1:]...) }, "scopes_supported"))},
		{name: "ENGRAM-3.9-DISC-3 ENGRAM-3.9-DISC-4 custom is listed", does: says(within(func(v canon.Value) canon.Value {
			return canon.Array(append(slices.Clone(v.Items()), canon.String("custom"))...)
		}, "scopes_supported"))},
		{name: "ENGRAM-3.9-DISC-4 ENGRAM-3.9-SCOPE-1 a listed scope is refused", does: refusing(400, engram.InvalidScope, func(r *http.Request) bool { return r.URL.RawQuery == "scope=financial" })},
		{name: "ENGRAM-3.9-DISC-5 another issuer", does: says(within(has("url", "https://other.example"), "issuer"))},
		{name: "ENGRAM-3.9-DISC-7 nothing says where tokens come from", does: says(lacks("auth_note"))},
		{name: "ENGRAM-6-6 the context names no project", does: tellsOf(within(has("name", ""), "issuer"))},
		{name: "ENGRAM-3.9-CTX-3 JSON is not acceptable", does: refusing(406, engram.InvalidRequest, func(r *http.Request) bool { return strings.Contains(r.Header.Get("Accept"), "json") })},
		{name: "ENGRAM-3.9-CTX-3 anything is not acceptable", does: refusing(406, engram.InvalidRequest, func(r *http.Request) bool { return r.Header.Get("Accept") == "*/*" })},
		{name: "ENGRAM-3.9-CTX-1 ENGRAM-6-2 ENGRAM-6-5 the context is text", does: answers(atContext, func(_ canon.Value, _ *http.Request, got *reply) { got.header.Set("Content-Type", "text/plain") })},
		{name: "ENGRAM-3.9-CORR-10 ENGRAM-6-3 proposals are forbidden", does: refusing(403, engram.Forbidden, to("POST", atCorrect))},
		{name: "ENGRAM-3.9-DIFF-3 ENGRAM-6-4 there are no changes", does: changed(lacks("changes"))},
	}
	for _, name := range []string{"context", "diff", "keys"} {
		all = append(all, engramMutant{name: "ENGRAM-3.9-DISC-1 nothing says where there is the route of the " + name, does: says(within(lacks(name), "endpoints"))})
	}
	return all
}
