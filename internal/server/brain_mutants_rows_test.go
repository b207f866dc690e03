package server_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/satchel-memory/satchel/canon"
)

const brainImport, brainExport = "/v1/brain/import", "/v1/brain/export"

// anyChunk is true of a bundle in which a chunk is as described.
func anyChunk(is func(chunk canon.Value) bool) func(canon.Value) bool {
	return func(v canon.Value) bool { return slices.ContainsFunc(v.Get("chunks").Items(), is) }
}

// contentBegins is true of a chunk whose content begins so.
func contentBegins(text string) func(canon.Value) bool {
	return func(chunk canon.Value) bool { return strings.HasPrefix(chunk.Get("content").Text(), text) }
}

// rewritten changes chunks of bundles before the server sees them, and seals the bundles again.
func rewritten(when func(chunk canon.Value) bool, edit func(canon.Value) canon.Value) meddle {
	return asks(brainImport, func(v canon.Value) canon.Value {
		items := slices.Clone(v.Get("chunks").Items())
		for i := range items {
			if when(items[i]) {
				items[i] = edit(items[i])
			}
		}
		return resealed(v.With("chunks", canon.Array(items...)))
	})
}

// misreports changes the answers to imports of some bundles.
func misreports(when func(asked canon.Value) bool, patch string) meddle {
	return answers(brainImport, func(asked canon.Value, _ *http.Request, got *reply) {
		if got.ok() && when(asked) {
			got.set(merged(patch)(got.json()))
		}
	})
}

func always(canon.Value) bool { return true }

// own is true of a bundle that the server itself wrote.
func own(v canon.Value) bool { return v.Get("producer").Text() == "home-test" }

// large changes the status of answers to imports of more than so many bytes.
func large(bytes int64, status int) meddle {
	return answers(brainImport, func(_ canon.Value, r *http.Request, got *reply) {
		if r.ContentLength > bytes {
			got.status = status
		}
	})
}

// mentions is true of a bundle that has a text.
func mentions(text string) func(canon.Value) bool {
	return func(v canon.Value) bool { return strings.Contains(string(v.Append(nil)), text) }
}

// brainBundleMutants refuse good bundles, or take bad ones.
func brainBundleMutants() []mutant {
	embedded := func(c canon.Value) bool { return c.Get("embedding").Type() == canon.TypeString }
	bare := func(c canon.Value) bool { return !c.Has("embedding") }
	return []mutant{
		{"AIMEM-1.2-2 no tenant is a DID", refuses(func(v canon.Value) bool { return strings.HasPrefix(v.Get("tenant_id").Text(), "did:") })},
		{"AIMEM-1.2-6 the server's own exports are refused", refuses(own)},
		{"AIMEM-2.1-12 since needs its scope", refuses(func(v canon.Value) bool { return v.Has("since") && v.Get("scope").Text() != "SINCE" })},
		{"AIMEM-2.1-15 AIMEM-2.2-24 null is an embedding", refuses(anyChunk(func(c canon.Value) bool { return c.Get("embedding").Type() == canon.TypeNull }))},
		{"AIMEM-2.2-6 long content is refused", large(200_000, http.StatusUnprocessableEntity)},
		{"AIMEM-2.2-7 longer content is an error of the server", large(60_000, http.StatusInternalServerError)},
		{"AIMEM-2.2-13 content_hash is required", refuses(anyChunk(func(c canon.Value) bool { return !c.Has("content_hash") }))},
		{"AIMEM-2.2-23 AIMEM-2.7-2 forgives bad_embedding", forgives("bad_embedding", "embedding_dim_mismatch")},
		{"AIMEM-2.3-2 forgives another case of the producer", forgives("invalid_urn", "producer_mismatch")},
		{"AIMEM-2.3-4 ids are short", refuses(anyChunk(func(c canon.Value) bool { return len(c.Get("id").Text()) > 200 }))},
		{"AIMEM-2.4-7 AIMEM-2.5-5 forgives invalid_timestamp", forgives("invalid_timestamp")},
		{"AIMEM-2.5-1 AIMEM-2.6-1 forgives missing_field", forgives("missing_field")},
		{"AIMEM-2.7-1 AIMEM-2.7-7 embeddings are refused", refuses(anyChunk(embedded))},
		{"AIMEM-2.7-4 forgives a dimension that is none", forgives("invalid_type", "embedding_dim_mismatch", "embedding_envelope_missing")},
		{"AIMEM-2.7-5 forgives a model without name", forgives("invalid_type", "missing_field", "embedding_envelope_missing")},
		{"AIMEM-2.7-11 all chunks have embeddings, or none", refuses(func(v canon.Value) bool { return anyChunk(embedded)(v) && anyChunk(bare)(v) })},
		{"AIMEM-2.8-2 odd numbers are hashed otherwise", refuses(mentions(`"x_n"`))},
		{"AIMEM-2.8-5 unknown members are not hashed", refuses(mentions(`"x_nested"`))},
		{"AIMEM-3.1-15 streams cannot be imported mixed", answers(brainImport, func(_ canon.Value, r *http.Request, got *reply) {
			if r.Header.Get("Content-Type") == "application/x-ndjson" {
				got.status = http.StatusUnprocessableEntity
			}
		})},
		{"AIMEM-4-2 all arrays are required", refuses(func(v canon.Value) bool { return !v.Has("edges") })},
	}
}

// brainRepeatMutants treat bundles wrongly of which something is there already.
func brainRepeatMutants() []mutant {
	var turn atomic.Int64
	again := answers(brainImport, func(_ canon.Value, _ *http.Request, got *reply) {
		if v := got.json(); got.ok() {
			got.set(v.With("inserted", canon.Int(int64(v.Get("inserted").Float()+v.Get("skipped").Float()))).With("skipped", canon.Int(0)))
		}
	})
	return []mutant{
		{"AIMEM-2.3-7 ids are compared unescaped", misreports(anyChunk(func(c canon.Value) bool { return strings.HasSuffix(c.Get("id").Text(), "-%31") }), `{"inserted":2,"skipped":1}`)},
		{"AIMEM-2.3-8 an id tells the type", rewritten(
			func(c canon.Value) bool { return strings.Contains(c.Get("id").Text(), ":preference-") }, has("memory_type", "preference"))},
		{"AIMEM-2.3-9 AIMEM-5.4-1 AIMEM-5.4-4 the same is inserted again", again},
		{"AIMEM-2.4-9 edges are inserted again", misreports(always, `{"edges":{"inserted":1}}`)},
		{"AIMEM-2.6-4 links are inserted twice", misreports(always, `{"chunk_entities":{"inserted":2}}`)},
		{"AIMEM-2.9-1 entities change", exports(func(v canon.Value) canon.Value {
			items := slices.Clone(v.Get("entities").Items())
			for i := range items {
				items[i] = items[i].With("x_turn", canon.Int(turn.Add(1)))
			}
			return v.With("entities", canon.Array(items...))
		})},
		{"AIMEM-2.9-4 a newer chunk is the same", misreports(anyChunk(contentBegins("Newer ")), `{"updated":0,"skipped":1,"rejected":[]}`)},
		{"AIMEM-2.9-6 dates are compared as text", misreports(anyChunk(func(c canon.Value) bool { return strings.HasSuffix(c.Get("created_at").Text(), ".000Z") }),
			`{"skipped":0,"rejected":[{"code":"field_conflict"}]}`)},
		{"AIMEM-2.9-7 an older chunk is taken", rewritten(contentBegins("Older "), func(c canon.Value) canon.Value { return c.With("id", canon.String(c.Get("id").Text()+"-older")) })},
		{"AIMEM-2.9-9 a conflict holds up the bundle", refuses(func(v canon.Value) bool { return v.Get("chunks").Len() == 3 && anyChunk(contentBegins("Clash "))(v) })},
		{"AIMEM-4-1 AIMEM-4-4 the server's own export is new", misreports(own, `{"inserted":1}`)},
	}
}

// brainReadingMutants export wrongly.
func brainReadingMutants() []mutant {
	var asked atomic.Int64
	return []mutant{
		{"AIMEM-2-3 exports begin with a byte order mark", answers(brainExport, func(_ canon.Value, _ *http.Request, got *reply) {
			if asked.Add(1) > 1 { // a run needs the first
				got.body = append([]byte("\xef\xbb\xbf"), got.body...)
			}
		})},
		{"AIMEM-2.8-4 the checksum is in capitals", answers(brainExport, func(_ canon.Value, _ *http.Request, got *reply) {
			if v := got.json(); got.ok() {
				got.set(v.With("checksum", canon.String("sha256:"+strings.ToUpper(strings.TrimPrefix(v.Get("checksum").Text(), "sha256:")))))
			}
		})},
		{"AIMEM-3-1 there is no stream", says("/v1/brain/export/stream", http.StatusOK, http.StatusNotFound)},
		{"AIMEM-3.1-1 since is ignored", whatever("scope=SINCE&since=2026-04-01T00:00:00Z", "")},
		{"AIMEM-3.1-5 the scope is DNA_ONLY where none is said", exports(has("scope", "DNA_ONLY"))},
		{"AIMEM-3.1-14 every stream is FULL", whatever("scope=DNA_ONLY", "scope=FULL")},
		{"AIMEM-3.1-17 the future is the past", whatever("since=2999", "since=1999")},
		{"AIMEM-3.1-2 AIMEM-4-3 a producer that does not keep its rows", answers(brainExport, func(_ canon.Value, _ *http.Request, got *reply) { got.header.Set("Content-Type", "text/plain") })},
		{"AIMEM-5.2-2 an entity outlives its chunks", exports(func(v canon.Value) canon.Value {
			return v.With("entities", canon.Array(append(slices.Clone(v.Get("entities").Items()), merged(`{"id":"urn:aimem:home-test:left"}`)(canon.Value{}))...))
		})},
		{"AIMEM-5.3-2 the signature is not base64", answers(brainExport, func(_ canon.Value, _ *http.Request, got *reply) { got.header.Set("AIMEM-Signature", "!!!") })},
		{"AIMEM-5.5-1 embeddings leave", eachChunk(has("embedding", "zczMPQAAAL8AAIA/AAAAAA=="))},
		{"AIMEM-7-2 an addition raises the version", exports(has("version", "1.1"))},
	}
}

// brainForgiven are more codes that a server must not forgive, by row.
func brainForgiven() (all []mutant) {
	for _, c := range [][2]string{
		{"1.2-5", "invalid_producer"}, {"2.2-12", "hash_mismatch"}, {"2.5-2", "invalid_urn"}, {"2.8-1", "checksum_mismatch"}, {"3.2-5", "missing_field"},
		{"4-5", "invalid_memory_type"}, {"5.3-4", "signature_invalid"}, {"5.4-3", "signature_invalid"}, {"7-4", "unsupported_version"},
	} {
		all = append(all, mutant{fmt.Sprintf("AIMEM-%s forgives %s", c[0], c[1]), forgives(c[1])})
	}
	return all
}
