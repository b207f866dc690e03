package server_test

import (
	"crypto/rand"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/satchel-memory/satchel/canon"
)

// documentMutants break rules of exports.
func documentMutants() []mutant {
	add := func(when func(m *memoryOf, v canon.Value) bool) meddle {
		return haunted("forget", "/ump/export", func(m *memoryOf, _ canon.Value, r *http.Request, got *reply) {
			if !got.ok() || r.URL.Query().Get("format") != "json" {
				return
			}
			list := slices.Clone(got.json().Items())
			for _, v := range m.seen {
				if when(m, v) {
					list = append(list, v)
				}
			}
			got.set(canon.Array(list...))
		})
	}
	var turn atomic.Int64
	return []mutant{
		{"UMP-2.7-6 UMP-4.3-8 what may not be exported is", add(func(_ *memoryOf, v canon.Value) bool {
			e := v.Get("consent").Get("exportable")
			return e.Type() == canon.TypeBool && !e.True()
		})},
		{"UMP-3.6-4 UMP-4.3-8 what is forgotten is exported", add(func(m *memoryOf, v canon.Value) bool { return m.gone[v.Get("id").Text()] })},
		{"UMP-2.7-3 UMP-4.3-8 what is past its retention is exported", add(func(m *memoryOf, v canon.Value) bool {
			return strings.HasSuffix(v.Get("consent").Get("retention").Text(), "S") && !m.gone[v.Get("id").Text()]
		})},
		{"UMP-2.7-4 UMP-7-2 UMP-2.7-5 exports are not redacted", add(func(_ *memoryOf, v canon.Value) bool { return v.Get("consent").Has("redact") })},
		{"UMP-2.7-9 UMP-7-2 exports lose their consent", document(func(all []canon.Value) []canon.Value {
			for i := range all {
				all[i] = all[i].Without("consent")
			}
			return all
		})},
		{"UMP-4.3-1 an export is an object", succeeds("/ump/export", func(v canon.Value) canon.Value {
			return canon.Object(canon.Member{Name: "records", Value: v})
		})},
		{"UMP-4.3-1 an export holds what is no record", document(func(all []canon.Value) []canon.Value {
			all[0] = all[0].Without("kind")
			return all
		})},
		{"UMP-4.3-2 lines are not offered", header("/ump/export", func(r *http.Request) { r.URL.RawQuery = "format=json" })},
		{"UMP-4.3-7 exports come in any order", document(func(all []canon.Value) []canon.Value {
			if turn.Add(1)%2 == 0 {
				slices.Reverse(all)
			}
			return all
		})},
		{"UMP-0-2 UMP-5.1-5 an export tells something else", document(func(all []canon.Value) []canon.Value {
			for i := range all {
				all[i] = all[i].With("kind", canon.String("episodic"))
			}
			return all
		})},
		{"UMP-1-4 UMP-5.1-5 an export forgets the newest", document(func(all []canon.Value) []canon.Value {
			return slices.DeleteFunc(all, func(v canon.Value) bool { return !v.Has("consent") })
		})},
		{"UMP-2.7-8 a redacted copy keeps its old signature", ownersCopy(func(theirs, owners canon.Value) canon.Value {
			return theirs.With("integrity", owners.Get("integrity"))
		})},
		{"UMP-2.7-4 UMP-3.4-4 UMP-2.2-5 peers get what is redacted", ownersCopy(func(_, owners canon.Value) canon.Value { return owners })},
		{"UMP-2.7-7 a copy of what is redacted stays", ownersCopy(func(theirs, owners canon.Value) canon.Value {
			if s := owners.Get("body").Get("structured"); s.Has("aimem") {
				return theirs.With("body", theirs.Get("body").With("structured", s))
			}
			return theirs
		})},
		{"UMP-2.7-7 a redacted salience shows in the signal", withOwners(func(theirs, owners canon.Value) canon.Value {
			return theirs.With("signals", owners.Get("signals"))
		})},
		{"UMP-2.7-7 a redacted project answers for itself", asOwner("/ump/recall", func(_ *http.Request, v canon.Value) bool {
			return strings.HasSuffix(v.Get("scope").Get("project").Text(), "-c")
		})},
		{"UMP-2.7-7 a redacted project counts in the signal", withOwners(func(theirs, owners canon.Value) canon.Value {
			s := theirs.Get("signals")
			return theirs.With("signals", s.With("scope_match", owners.Get("signals").Get("scope_match")))
		})},
		{"UMP-2.7-7 redacted words find their record", guesses()},
	}
}

// trustMutants break rules of tokens, feedback and subscriptions.
func trustMutants() []mutant {
	return slices.Concat(tokenMutants(), streamMutants(), feedbackMutants())
}

func tokenMutants() []mutant {
	later := canon.String("2999-01-01T00:00:00Z")
	past := func(v canon.Value, name string) bool {
		at, err := time.Parse(time.RFC3339, v.Get(name).Text())
		return err == nil && at.Before(time.Now().Add(-time.Hour))
	}
	return []mutant{
		{"UMP-5.2-1 UMP-5.2-9 expiry is ignored", tokens("/", func(v canon.Value) (canon.Value, bool) { return v.With("exp", later), past(v, "exp") })},
		{"UMP-5.2-9 a token needs no end", tokens("/", func(v canon.Value) (canon.Value, bool) { return v.With("exp", later), !v.Has("exp") })},
		{"UMP-5.2-9 a token is good before its time", tokens("/", func(v canon.Value) (canon.Value, bool) { return v.Without("nbf"), v.Has("nbf") })},
		{"UMP-3.7-3 UMP-5.2-4 UMP-5.2-5 verbs are ignored", tokens("/", func(v canon.Value) (canon.Value, bool) {
			return v.With("verbs", canon.Array(canon.String("read"), canon.String("write"), canon.String("derive"), canon.String("export"))), v.Get("scope").Has("project") && v.Get("verbs").Len() > 0
		})},
		{"UMP-5.2-2 unknown verbs are passed over", tokens("/", func(v canon.Value) (canon.Value, bool) {
			known := slices.DeleteFunc(slices.Clone(v.Get("verbs").Items()), func(verb canon.Value) bool { return verb.Text() == "admin" })
			return v.With("verbs", canon.Array(known...)), len(known) < v.Get("verbs").Len()
		})},
		{"UMP-5.2-2 no verbs are all verbs", tokens("/", func(v canon.Value) (canon.Value, bool) {
			return v.With("verbs", canon.Array(canon.String("read"))), v.Get("verbs").Len() == 0
		})},
		{"UMP-5.2-7 the audience is ignored", tokens("/", func(v canon.Value) (canon.Value, bool) { return v.Without("aud"), v.Has("aud") })},
		{"UMP-5.2-3 signatures of tokens are ignored", tokens("/", func(v canon.Value) (canon.Value, bool) { return v, true })},
		{"UMP-5.2-3 the issuer may be anybody", tokens("/", func(v canon.Value) (canon.Value, bool) {
			owner := canon.String(string(tried().DID()))
			return v.With("iss", owner), v.Get("iss").Text() != owner.Text()
		})},
		{"UMP-5.2-8 nothing can be revoked", tokens("/", func(v canon.Value) (canon.Value, bool) { return v.With("jti", canon.String(rand.Text())), true })},
		{"UMP-5.2-1 UMP-2.2-4 the project of a token is ignored", tokens("/", func(v canon.Value) (canon.Value, bool) {
			return v.With("scope", v.Get("scope").Without("project").With("visibility", canon.String("shared"))), v.Get("scope").Has("project")
		})},
		{"UMP-2.2-3 UMP-3.4-4 a token reaches what is private", tokens("/", func(v canon.Value) (canon.Value, bool) {
			return v.With("scope", v.Get("scope").With("visibility", canon.String("private"))), v.Get("scope").Has("project")
		})},
		{"UMP-2.2-4 a token reaches only what is public", tokens("/", func(v canon.Value) (canon.Value, bool) {
			return v.With("scope", v.Get("scope").With("visibility", canon.String("public"))), v.Get("scope").Has("project")
		})},
		{"UMP-5.2-7 UMP-3.6-6 a token erases", asOwner("/ump/forget", func(_ *http.Request, v canon.Value) bool { return v.Get("hard").True() })},
		{"UMP-5.2-7 a token publishes", asOwner("/ump/revise", becomes("public"))},
		{"UMP-5.2-7 a token hides", asOwner("/ump/revise", becomes("private"))},
		{"UMP-5.2-7 a token writes in public", asOwner("/ump/remember", func(_ *http.Request, v canon.Value) bool {
			return v.Get("record").Get("scope").Get("visibility").Text() == "public"
		})},
		{"UMP-5.2-4 deriving needs no verb", asOwner("/ump/remember", func(_ *http.Request, v canon.Value) bool { return v.Get("record").Has("relations") })},
		{"UMP-5.2-4 citing evidence needs no verb", asOwner("/ump/remember", func(_ *http.Request, v canon.Value) bool { return v.Get("record").Has("provenance") })},
		{"UMP-5.2-4 deriving by a revision needs no verb", asOwner("/ump/revise", func(_ *http.Request, v canon.Value) bool { return v.Get("patch").Has("relations") })},
		{"UMP-5.2-4 citing evidence in a revision needs no verb", asOwner("/ump/revise", func(_ *http.Request, v canon.Value) bool { return v.Get("patch").Has("provenance") })},
		{"UMP-5.2-4 nobody may derive", answers("/ump/remember", func(asked canon.Value, r *http.Request, got *reply) {
			if asked.Get("record").Has("relations") && strings.HasPrefix(r.Header.Get("Authorization"), "Bearer umpcap.") {
				got.status, got.body = 403, []byte(`{"error":{"code":"forbidden_scope","message":"owners only"}}`)
			}
		})},
		{"UMP-5.2-5 exporting needs no verb", asOwner("/ump/export", func(*http.Request, canon.Value) bool { return true })},
		{"UMP-5.2-5 a token never exports", answers("/ump/export", func(_ canon.Value, r *http.Request, got *reply) {
			if strings.HasPrefix(r.Header.Get("Authorization"), "Bearer umpcap.") {
				got.status, got.body = 403, []byte(`{"error":{"code":"forbidden_scope","message":"owners only"}}`)
			}
		})},
		{"UMP-3.2-13 UMP-5.2-1 UMP-4.2-7 tokens are not known", answers("/ump/recall", func(_ canon.Value, r *http.Request, got *reply) {
			if strings.HasPrefix(r.Header.Get("Authorization"), "Bearer umpcap.") {
				got.status, got.body = 401, []byte(`{"error":{"code":"unauthorized","message":"who?"}}`)
			}
		})},
	}
}

// becomes tells a revision after which a record has a visibility.
func becomes(visibility string) func(*http.Request, canon.Value) bool {
	return func(_ *http.Request, v canon.Value) bool {
		return v.Get("patch").Get("scope").Get("visibility").Text() == visibility
	}
}

func feedbackMutants() []mutant {
	return []mutant{
		{"UMP-3.8-1 UMP-4.2-9 feedback says nothing", succeeds("/ump/feedback", merged(`{"ok":null}`))},
		{"UMP-3.8-1 any outcome is taken", accepts("/ump/feedback", `{"ok":true}`, func(v canon.Value) bool { return v.Get("outcome").Text() == "good" })},
		{"UMP-3.8-1 feedback on what is not there", accepts("/ump/feedback", `{"ok":true}`, func(v canon.Value) bool { return v.Get("id").Text() == "urn:ump:aaaa" })},
		{"UMP-3.1-3 UMP-4.2-9 there is no feedback", answers("/ump/feedback", func(_ canon.Value, _ *http.Request, got *reply) {
			got.status, got.body = 400, []byte(`{"error":{"code":"unsupported","message":"not here"}}`)
		})},
		{"UMP-3.8-2 feedback alters the record", func(next http.Handler) http.Handler {
			var judged atomic.Bool
			heard := answers("/ump/feedback", func(asked canon.Value, _ *http.Request, got *reply) {
				judged.Store(judged.Load() || got.ok() && asked.Get("outcome").Text() == "contradicted")
			})(next)
			return records(func(v canon.Value) canon.Value {
				if judged.Load() {
					return merged(`{"lifecycle":{"salience":0.01}}`)(v)
				}
				return v
			})(heard)
		}},
	}
}
