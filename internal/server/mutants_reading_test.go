package server_test

import (
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/satchel-memory/satchel/canon"
)

// capable changes what capabilities answers.
func capable(patch string) meddle { return succeeds("/ump/capabilities", merged(patch)) }

// without removes a member, with sets one, by a path of names.
func without(path ...string) func(canon.Value) canon.Value {
	return func(v canon.Value) canon.Value {
		if len(path) == 1 {
			return v.Without(path[0])
		}
		if !v.Has(path[0]) {
			return v
		}
		return v.With(path[0], without(path[1:]...)(v.Get(path[0])))
	}
}

// readingMutants break rules of capabilities, recall and get.
func readingMutants() []mutant {
	return slices.Concat(capabilitiesMutants(), recallMutants(), getMutants(), errorMutants())
}

func capabilitiesMutants() []mutant {
	return []mutant{
		{"UMP-0-1 another edition is announced", capable(`{"ump":"0.2"}`)},
		{"UMP-3.1-2 max_recall is missing", capable(`{"max_recall":null}`)},
		{"UMP-3.1-2 the server has no version", capable(`{"server":{"version":null}}`)},
		{"UMP-3.1-2 a member too many", capable(`{"engine":"fast"}`)},
		{"UMP-3.1-3 a lower level than in force", capable(`{"conformance":"L2"}`)},
		{"UMP-3.1-4 UMP-4-1 http is no binding", capable(`{"bindings":["mcp","file"]}`)},
		{"UMP-1-2 a carrier of its own", capable(`{"bindings":["http","pigeon"]}`)},
		{"UMP-2.1-1 four kinds", capable(`{"kinds":["semantic","episodic","procedural","working"]}`)},
		{"UMP-3.1-5 a signal is not announced", capable(`{"retrieval_signals":["similarity","recency","salience","scope_match"]}`)},
		{"UMP-3.1-5 a signal is announced that never comes", eachHit(without("signals", "recency"))},
		{"UMP-3.1-6 more come than max_recall", capable(`{"max_recall":2}`)},
		{"UMP-3.1-7 it writes and says that it does not", capable(`{"writable":false}`)},
		{"UMP-4.2-6 capabilities need a token", header("/ump/capabilities", func(r *http.Request) {
			if r.Header.Get("Authorization") == "" {
				r.Header.Set("Authorization", "Bearer nobody")
			}
		})},
		{"UMP-7-6 UMP-4.3-5 the manifest says another level", succeeds("/.well-known/ump.json", merged(`{"conformance":"L1"}`))},
		{"UMP-4.3-5 there is no manifest", answers("/.well-known/ump.json", func(_ canon.Value, _ *http.Request, got *reply) { got.status = 404 })},
		{"UMP-4.3-6 the manifest names a record", succeeds("/.well-known/ump.json", merged(`{"first":"urn:ump:abc"}`))},
		{"UMP-4.3-6 the manifest points to what is not public", succeeds("/.well-known/ump.json", merged(`{"exports":[{"url":"/ump/export","format":"ump.json"}]}`))},
	}
}

func recallMutants() []mutant {
	every := func(canon.Value) bool { return true }
	return []mutant{
		{"UMP-3.2-3 a result has no score", eachHit(without("score"))},
		{"UMP-3.2-3 a score is a text", eachHit(merged(`{"score":"1"}`))},
		{"UMP-3.2-3 a result has no record", eachHit(without("record"))},
		{"UMP-3.2-4 worst first", hits(func(all []canon.Value) []canon.Value { slices.Reverse(all); return all })},
		{"UMP-3.2-4 another order every time", shuffled()},
		{"UMP-3.2-5 a similarity above one", eachHit(merged(`{"signals":{"similarity":1.5}}`))},
		{"UMP-3.2-5 a depth that is no whole number", eachHit(merged(`{"signals":{"provenance_depth":0.5}}`))},
		{"UMP-3.2-6 UMP-2.1-3 the filter by kind is ignored", asks("/ump/recall", without("filter", "kind"))},
		{"UMP-3.2-6 an unknown kind is nothing found", accepts("/ump/recall", `{"results":[]}`, func(v canon.Value) bool { return v.Get("filter").Has("kind") })},
		{"UMP-3.2-7 UMP-2.3-1 UMP-2.3-3 UMP-3.5-4 valid_at is ignored", asks("/ump/recall", without("filter", "valid_at"))},
		{"UMP-3.2-8 superseded records come", ghosts("revise")},
		{"UMP-3.2-9 an unknown hint is an error", answers("/ump/recall", func(asked canon.Value, _ *http.Request, got *reply) {
			if asked.Get("ranking_hints").Has("x_conformance") {
				got.status, got.body = 400, []byte(`{"error":{"code":"invalid_record","message":"no such hint"}}`)
			}
		})},
		{"UMP-3.2-10 the limit is ignored", asks("/ump/recall", without("limit"))},
		{"UMP-3.2-10 without a limit fifty come", asks("/ump/recall", func(v canon.Value) canon.Value {
			if !v.Has("limit") {
				return v.With("limit", canon.Int(50))
			}
			return v
		})},
		{"UMP-3.2-10 a limit of nothing is nothing", accepts("/ump/recall", `{"results":[]}`, func(v canon.Value) bool { return v.Has("limit") })},
		{"UMP-3.2-2 an empty query finds nothing", accepts("/ump/recall", `{"results":[]}`, func(v canon.Value) bool { return strings.TrimSpace(v.Get("query").Text()) == "" })},
		{"UMP-3.2-11 the engine shows", eachHit(merged(`{"bm25":7}`))},
		{"UMP-3.2-12 UMP-3.6-4 what is forgotten comes", ghosts("forget")},
		{"UMP-3.2-13 the filter comes after the limit", lateFilter()},
		{"UMP-3.2-14 recall makes records more salient", salientAfterRecall()},
		{"UMP-2.2-6 the owner asked for is ignored", asks("/ump/recall", without("scope", "owner"))},
		{"UMP-2.2-1 scope counts for nothing", eachHit(merged(`{"signals":{"scope_match":1}}`))},
		{"UMP-2.4-2 salience is a guess", eachHit(merged(`{"signals":{"salience":0.7}}`))},
		{"UMP-2.4-2 what is less salient is not found", hits(func(all []canon.Value) []canon.Value {
			return slices.DeleteFunc(all, func(v canon.Value) bool {
				s := v.Get("record").Get("lifecycle").Get("salience")
				return s.Type() == canon.TypeNumber && s.Float() < 0.5
			})
		})},
		{"UMP-2.4-1 what nobody trusts is not found", hits(func(all []canon.Value) []canon.Value {
			return slices.DeleteFunc(all, func(v canon.Value) bool {
				c := v.Get("record").Get("lifecycle").Get("confidence")
				return c.Type() == canon.TypeNumber && c.Float() == 0
			})
		})},
		{"UMP-2.1-2 one kind is never found", hits(func(all []canon.Value) []canon.Value {
			return slices.DeleteFunc(all, func(v canon.Value) bool { return v.Get("record").Get("kind").Text() == "working" })
		})},
		{"UMP-2-1 recall tells less than get", eachHit(without("record", "provenance"))},
		{"UMP-3-1 a request that is an array is an empty one", accepts("/ump/recall", `{"results":[]}`, func(v canon.Value) bool { return v.Type() == canon.TypeArray })},
		{"UMP-3.2-1 an unknown member is an error", answers("/ump/recall", func(asked canon.Value, _ *http.Request, got *reply) {
			if asked.Has("x_conformance") {
				got.status, got.body = 400, []byte(`{"error":{"code":"invalid_record","message":"no such member"}}`)
			}
		})},
		{"UMP-4.2-1 recall answers 202", answers("/ump/recall", func(_ canon.Value, _ *http.Request, got *reply) {
			if got.ok() {
				got.status = 202
			}
		})},
		{"UMP-5.3-1 UMP-5.3-5 a frame without its end", succeeds("/ump/recall", unframed(`</ump:memory`, `<!-- /ump:memory`))},
		{"UMP-5.3-5 a frame that trusts", succeeds("/ump/recall", unframed(`trust="untrusted-data"`, `trust="operator"`))},
		{"UMP-5.3-7 a text ends its frame", succeeds("/ump/recall", unframed(`\u003c`, `<`))},
		{"UMP-5.3-7 a text begins a line", succeeds("/ump/recall", unframed(`\u000a`, "\n"))},
		{"UMP-5.3-9 procedures are marked as orders", succeeds("/ump/recall", unframed(`"kind":"procedural",`, `"kind":"procedural","authority":"operator",`))},
		{"UMP-5.3-4 what is superseded is framed", haunted("revise", "/ump/recall", func(m *memoryOf, asked canon.Value, _ *http.Request, got *reply) {
			v := got.json()
			for id := range m.gone {
				if v.Has("injected") && shares(m.seen[id], asked.Get("query").Text()) {
					v = v.With("injected", canon.Array(append(slices.Clone(v.Get("injected").Items()), canon.String(id))...))
				}
			}
			got.set(v)
		})},
		{"UMP-5.3-1 what is asked for is not framed", answers("/ump/recall", func(_ canon.Value, _ *http.Request, got *reply) {
			if v := got.json(); v.Has("injected") {
				got.set(v.With("injected", canon.Array()))
			}
		})},
		{"UMP-4.2-8 recall answers in HTML", answers("/ump/recall", func(_ canon.Value, _ *http.Request, got *reply) { got.header.Set("Content-Type", "text/html") })},
		{"UMP-4.2-8 broken JSON is an empty request", accepts("/ump/recall", `{"results":[]}`, func(v canon.Value) bool { return v.Type() == canon.TypeUndefined && every(v) })},
	}
}

// unframed replaces a text in frames.
func unframed(old, by string) func(canon.Value) canon.Value {
	return func(v canon.Value) canon.Value {
		if !v.Has("framed") {
			return v
		}
		return v.With("framed", canon.String(strings.ReplaceAll(v.Get("framed").Text(), old, by)))
	}
}

// shuffled gives equal scores and begins elsewhere every time.
func shuffled() meddle {
	var n atomic.Int64
	return hits(func(all []canon.Value) []canon.Value {
		for i := range all {
			all[i] = all[i].With("score", canon.Int(1))
		}
		at := int(n.Add(1)) % max(len(all), 1)
		return slices.Concat(all[at:], all[:at])
	})
}

// lateFilter finds as many as asked for among all that the owner would find, and
// then leaves out what the caller may not see.
func lateFilter() meddle {
	return func(next http.Handler) http.Handler {
		return on("/ump/recall", next, func(w http.ResponseWriter, r *http.Request) {
			body := bodyOf(r)
			asked, _ := canon.Parse(body, canon.Options{})
			mine := r.Clone(r.Context())
			got := serve(next, r)
			if asked.Get("limit").Float() == 1 && got.ok() {
				mine.Header.Set("Authorization", "Bearer "+token)
				replaceBody(mine, body)
				best := serve(next, mine).json().Get("results").Items()
				if len(best) > 0 && best[0].Get("record").Get("scope").Get("visibility").Text() == "private" {
					got.body = []byte(`{"results":[]}`)
				}
			}
			got.write(w)
		})
	}
}

// salientAfterRecall counts recalls in the record.
func salientAfterRecall() meddle {
	return func(next http.Handler) http.Handler {
		var n atomic.Int64
		count := eachHit(func(v canon.Value) canon.Value { n.Add(1); return v })(next)
		return records(func(v canon.Value) canon.Value {
			if v.Has("lifecycle") {
				return v.With("lifecycle", v.Get("lifecycle").With("salience", canon.Number(1-1/float64(n.Load()+2))))
			}
			return v
		})(count)
	}
}

func getMutants() []mutant {
	return []mutant{
		{"UMP-4.2-3 escaped ids are not found", answers("/ump/memory/", func(_ canon.Value, r *http.Request, got *reply) {
			if strings.Contains(r.URL.EscapedPath(), "%3A") {
				got.status, got.body = 404, []byte(`{"error":{"code":"not_found","message":"no such record"}}`)
			}
		})},
		{"UMP-3.4-3 UMP-3.6-2 what is forgotten is not got", answers("/ump/memory/", func(_ canon.Value, _ *http.Request, got *reply) {
			if got.json().Get("record").Get("lifecycle").Get("status").Text() == "tombstoned" {
				got.status, got.body = 404, []byte(`{"error":{"code":"not_found","message":"no such record"}}`)
			}
		})},
		{"UMP-3.6-2 what is forgotten is still active", records(merged(`{"lifecycle":{"status":"active"}}`))},
		{"UMP-3.4-1 get shortens texts", records(merged(`{"body":{"text":"It is long."}}`))},
		{"UMP-3.4-2 an unknown id is invalid", answers("/ump/memory/", func(_ canon.Value, _ *http.Request, got *reply) {
			if got.status == 404 {
				got.status, got.body = 400, []byte(`{"error":{"code":"invalid_record","message":"no such record"}}`)
			}
		})},
		{"UMP-3.4-2 not_found comes as 400", answers("/ump/memory/", func(_ canon.Value, _ *http.Request, got *reply) {
			if got.status == 404 {
				got.status = 400
			}
		})},
		{"UMP-3.4-5 any id is somebody's", accepts("/ump/memory/x", `{"record":{}}`, func(canon.Value) bool { return true })},
		{"UMP-2-24 UMP-2.6-3 records come without provenance", records(without("provenance"))},
		{"UMP-2-26 UMP-2.8-4 UMP-3.3-2 records come unsigned", records(without("integrity"))},
		{"UMP-2.8-2 integrity names no signer", records(without("integrity", "signer"))},
		{"UMP-2.8-1 UMP-6.1-1 the hash is of something else", records(merged(`{"lifecycle":{"decay":"later"}}`))},
		{"UMP-6.1-3 UMP-2.8-1 the hash is of another kind", records(merged(`{"integrity":{"content_hash":"sha256:abc"}}`))},
		{"UMP-6.1-4 the signature is of something else", records(func(v canon.Value) canon.Value {
			signature := v.Get("integrity").Get("signature").Text()
			if len(signature) < 20 {
				return v
			}
			flipped := "A"
			if signature[12] == 'A' {
				flipped = "B"
			}
			return v.With("integrity", v.Get("integrity").With("signature", canon.String(signature[:12]+flipped+signature[13:])))
		})},
		{"UMP-2.8-3 UMP-5.1-2 somebody else signs", records(merged(`{"integrity":{"signer":"did:web:example.com"}}`))},
		{"UMP-1-3 records have a member of the engine's", records(merged(`{"embedding_model":"small"}`))},
		{"UMP-2-13 UMP-2-14 records come without created", records(without("time", "created"))},
		{"UMP-2-3 ids come without urn", records(func(v canon.Value) canon.Value {
			return v.With("id", canon.String(strings.TrimPrefix(v.Get("id").Text(), "urn:ump:")))
		})},
		{"UMP-2-2 records are of another edition", records(merged(`{"ump":"1.0"}`))},
		{"UMP-2-11 an agent is invented", records(merged(`{"scope":{"agent":"somebody"}}`))},
		{"UMP-2-10 a user is invented", records(merged(`{"scope":{"user":"somebody"}}`))},
		{"UMP-8-2 records carry vectors", records(func(v canon.Value) canon.Value {
			return v.With("vector", canon.Array(slices.Repeat([]canon.Value{canon.Number(0.5)}, 64)...))
		})},
		{"UMP-8-1 entities are objects", answers("/ump/memory/entity:", func(_ canon.Value, _ *http.Request, got *reply) {
			got.status, got.body = 200, []byte(`{"record":{"name":"pump"}}`)
		})},
		{"UMP-8-3 there is an operation to consolidate", answers("/ump/consolidate", func(_ canon.Value, _ *http.Request, got *reply) {
			got.status, got.body = 200, []byte(`{"merged":0}`)
		})},
	}
}
