package server_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/satchel-memory/satchel/canon"
)

const taken = `{"inserted":0,"updated":0,"skipped":0,"rejected":[],"warnings":[],"edges":{"inserted":0,"skipped":0},"entities":{"inserted":0,"skipped":0},"chunk_entities":{"inserted":0,"skipped":0}}`

// forgives takes a bundle in that breaks a rule, as far as an answer can say so.
func forgives(codes ...string) meddle {
	return accepted("/v1/brain/import", func(got *reply) bool { return slices.Contains(codes, got.json().Get("code").Text()) })
}

func accepted(path string, when func(*reply) bool) meddle {
	return answers(path, func(asked canon.Value, _ *http.Request, got *reply) {
		if got.status >= 400 && when(got) {
			got.status, got.body = http.StatusOK, []byte(taken)
			got.set(got.json().With("inserted", canon.Int(int64(asked.Get("chunks").Len()))))
		}
	})
}

// says answers with another status.
func says(path string, from, to int) meddle {
	return answers(path, func(_ canon.Value, _ *http.Request, got *reply) {
		if got.status == from {
			got.status = to
			got.set(got.json().With("status", canon.Int(int64(to))))
		}
	})
}

// reports changes the answers to imports.
func reports(edit func(canon.Value) canon.Value) meddle { return succeeds("/v1/brain/import", edit) }

// exports changes bundles that leave, and makes their checksum right again.
func exports(edit func(canon.Value) canon.Value) meddle {
	return answers("/v1/brain/export", func(_ canon.Value, r *http.Request, got *reply) {
		if got.ok() && r.URL.Path == "/v1/brain/export" && r.Method == http.MethodGet {
			got.set(resealed(edit(got.json())))
			got.header.Del("AIMEM-Signature")
		}
	})
}

// eachChunk changes every chunk of an export.
func eachChunk(edit func(canon.Value) canon.Value) meddle {
	return exports(func(v canon.Value) canon.Value {
		items := slices.Clone(v.Get("chunks").Items())
		for i := range items {
			items[i] = edit(items[i])
		}
		return v.With("chunks", canon.Array(items...))
	})
}

func lacks(name string) func(canon.Value) canon.Value {
	return func(v canon.Value) canon.Value { return v.Without(name) }
}

func has(name, text string) func(canon.Value) canon.Value {
	return func(v canon.Value) canon.Value { return v.With(name, canon.String(text)) }
}

func empties(name string) func(canon.Value) canon.Value {
	return func(v canon.Value) canon.Value { return v.With(name, canon.Array()) }
}

// brainImportMutants break rules of what is taken in.
func brainImportMutants() []mutant {
	all := []mutant{
		{"AIMEM-2.8-8 a wrong checksum is 422", says("/v1/brain/import", 409, 422)},
		{"AIMEM-2.1-17 what the checksum does not cover", forgives("checksum_mismatch")},
		{"AIMEM-3.2-2 any media type is taken", forgives("unsupported_media_type")},
		{"AIMEM-3.2-7 nobody has to sign in", accepted("/v1/brain/import", func(got *reply) bool { return got.status == 401 })},
		{"AIMEM-3.2-9 errors have no place", answers("/v1/brain/import", func(_ canon.Value, _ *http.Request, got *reply) {
			if got.status == 422 {
				got.set(got.json().Without("pointer"))
			}
		})},
		{"AIMEM-3-3 errors are plain JSON", answers("/v1/brain", func(_ canon.Value, _ *http.Request, got *reply) {
			if got.status >= 400 {
				got.header.Set("Content-Type", "application/json")
			}
		})},
		{"AIMEM-2.9-2 nothing is skipped", reports(func(v canon.Value) canon.Value { return v.With("skipped", canon.Int(0)) })},
		{"AIMEM-2.9-3 AIMEM-5.4-2 nothing is rejected", reports(empties("rejected"))},
		{"AIMEM-3.2-3 updates are not counted", reports(lacks("updated"))},
		{"AIMEM-2.7-8 no warnings", reports(empties("warnings"))},
		{"AIMEM-3.2-4 conflicts are 409", answers("/v1/brain/import", func(_ canon.Value, _ *http.Request, got *reply) {
			if got.ok() && len(got.json().Get("rejected").Items()) > 0 {
				got.status = 409
			}
		})},
		{"AIMEM-2.1-3 the legacy format is refused", refuses(func(v canon.Value) bool { return v.Get("format").Text() == "memoryai-bundle" })},
		{"AIMEM-1.2-3 empty bundles are refused", refuses(func(v canon.Value) bool { return v.Get("chunks").Len() == 0 })},
		{"AIMEM-2.2-3 zone is required", refuses(func(v canon.Value) bool {
			return slices.ContainsFunc(v.Get("chunks").Items(), func(c canon.Value) bool { return !c.Has("zone") })
		})},
		{"AIMEM-2.2-25 members of one's own are refused", refuses(func(v canon.Value) bool { return strings.Contains(string(v.Append(nil)), "x_conformance") })},
		{"AIMEM-2.8-6 only minified bundles are taken", func(next http.Handler) http.Handler {
			return on("/v1/brain/import", next, func(w http.ResponseWriter, r *http.Request) {
				if strings.Contains(string(bodyOf(r)), "\n  ") {
					w.WriteHeader(422)
					return
				}
				next.ServeHTTP(w, r)
			})
		}},
	}
	for _, c := range [][2]string{
		{"2-2", "not_object"}, {"2-4", "not_json"}, {"2-1", "not_json"}, {"2.1-2", "bad_format"}, {"2.1-5", "unsupported_version"}, {"2.1-6", "invalid_producer"},
		{"2.1-8", "invalid_tenant_id"}, {"2.1-9", "invalid_timestamp"}, {"2.1-10", "invalid_scope"}, {"2.1-11", "since_missing"}, {"2.1-16", "invalid_type"},
		{"2.2-1", "invalid_type"}, {"2.2-2", "missing_field"}, {"2.2-4", "invalid_urn"}, {"2.2-5", "empty_content"}, {"2.2-9", "bad_hash_format"},
		{"2.2-10", "hash_mismatch"}, {"2.2-11", "hash_mismatch"}, {"2.2-14", "invalid_memory_type"}, {"2.2-16", "invalid_zone"}, {"2.2-17", "invalid_type"},
		{"2.2-20", "invalid_timestamp"}, {"2.2-21", "invalid_tag"}, {"2.3-1", "invalid_urn"}, {"2.3-3", "producer_mismatch"}, {"2.3-5", "duplicate_chunk_id"},
		{"2.4-1", "missing_field"}, {"2.4-2", "invalid_edge_type"}, {"2.4-3", "edge_weight_out_of_range"}, {"2.4-4", "edge_target_unknown"}, {"2.4-5", "edge_target_unknown"},
		{"2.4-6", "edge_target_unknown"}, {"2.5-3", "empty_entity_name"}, {"2.5-4", "invalid_entity_kind"}, {"2.5-6", "duplicate_entity_id"},
		{"2.6-2", "ce_chunk_unknown"}, {"2.6-3", "ce_entity_unknown"}, {"2.7-3", "embedding_dim_mismatch"}, {"2.1-14", "embedding_envelope_missing"},
		{"2.8-7", "checksum_mismatch"}, {"2.8-10", "missing_checksum"}, {"5.3-1", "signature_invalid"}, {"5.3-9", "signature_invalid"}, {"7-5", "unsupported_version"},
		{"7-1", "unsupported_version"}, {"6.1-1", "unsupported_version"}, {"6.1-3", "unsupported_media_type"}, {"3.2-1", "not_json"}, {"3.2-6", "invalid_zone"},
	} {
		all = append(all, mutant{fmt.Sprintf("AIMEM-%s forgives %s", c[0], c[1]), forgives(c[1])})
	}
	return all
}

// refuses refuses bundles that are good.
func refuses(when func(canon.Value) bool) meddle {
	return answers("/v1/brain/import", func(asked canon.Value, _ *http.Request, got *reply) {
		if got.ok() && when(asked) {
			got.status = 422
		}
	})
}

// brainExportMutants break rules of what leaves.
func brainExportMutants() []mutant {
	var turn, erased atomic.Int64
	return []mutant{
		{"AIMEM-2.1-1 an export without entities", exports(lacks("entities"))},
		{"AIMEM-2.1-4 the legacy format is written", exports(has("format", "memoryai-bundle"))},
		{"AIMEM-2.1-7 ids of another namespace", exports(has("producer", "somebody-else"))},
		{"AIMEM-3.2-8 AIMEM-1.2-1 the tenant changes", exports(func(v canon.Value) canon.Value {
			return v.With("tenant_id", canon.String(fmt.Sprintf("https://example.com/%d", turn.Add(1))))
		})},
		{"AIMEM-2.3-10 ids change", eachChunk(func(v canon.Value) canon.Value {
			return v.With("id", canon.String(fmt.Sprintf("urn:aimem:home-test:%d", turn.Add(1))))
		})},
		{"AIMEM-2.2-26 dates lose their fractions", eachChunk(func(v canon.Value) canon.Value {
			return v.With("created_at", canon.String(strings.Replace(v.Get("created_at").Text(), ".500Z", "Z", 1)))
		})},
		{"AIMEM-2.2-25 members of one's own are lost", eachChunk(lacks("x_conformance"))},
		{"AIMEM-2.2-22 tags are lost", eachChunk(lacks("tags"))},
		{"AIMEM-2.4-10 AIMEM-3.1-9 edges are lost", exports(empties("edges"))},
		{"AIMEM-2.5-7 entities are lost", exports(empties("entities"))},
		{"AIMEM-2.4-8 an edge with a loose end", exports(func(v canon.Value) canon.Value {
			edge, _ := canon.Parse([]byte(`{"source_id":"urn:aimem:x:1","target_id":"urn:aimem:x:2"}`), canon.Options{})
			return v.With("edges", canon.Array(edge))
		})},
		{"AIMEM-2.1-13 AIMEM-2.8-3 the checksum is of other bytes", answers("/v1/brain/export", func(_ canon.Value, _ *http.Request, got *reply) {
			if v := got.json(); got.ok() && v.Has("scope") {
				got.set(v.With("exported_at", canon.String("2020-01-01T00:00:00Z")))
			}
		})},
		{"AIMEM-3.1-2 an export is JSON", answers("/v1/brain/export", func(_ canon.Value, _ *http.Request, got *reply) { got.header.Set("Content-Type", "application/json") })},
		{"AIMEM-3.1-10 a stream is JSON", answers("/v1/brain/export/stream", func(_ canon.Value, _ *http.Request, got *reply) { got.header.Set("Content-Type", "application/json") })},
		{"AIMEM-3.1-12 lines have no kind", streams(func(i int, v canon.Value) canon.Value { return v.Without("_kind") })},
		{"AIMEM-3.1-11 the first line has chunks", streams(func(i int, v canon.Value) canon.Value {
			if i == 0 {
				return v.With("chunks", canon.Array())
			}
			return v
		})},
		{"AIMEM-3.1-13 the stream has another checksum", streams(func(i int, v canon.Value) canon.Value {
			if i == 0 {
				return v.With("checksum", canon.String("sha256:"+strings.Repeat("0", 64)))
			}
			return v
		})},
		{"AIMEM-3.1-8 AIMEM-2.2-19 DNA_ONLY is everything", whatever("scope=DNA_ONLY", "scope=FULL")},
		{"AIMEM-3.1-7 the bound is left out", whatever("T12:00:00Z", "T12:00:00.001Z")},
		{"AIMEM-3.1-6 an unknown scope is FULL", whatever("scope=ALL", "scope=FULL")},
		{"AIMEM-3.1-3 strangers are forbidden", says("/v1/brain/export", 401, 403)},
		{"AIMEM-3.1-4 readers are unknown", says("/v1/brain/export", 403, 401)},
		{"AIMEM-3-2 405 does not say what is allowed", answers("/v1/brain", func(_ canon.Value, _ *http.Request, got *reply) { got.header.Del("Allow") })},
		{"AIMEM-5.3-7 the key is for those who sign in", func(next http.Handler) http.Handler {
			return on("/.well-known/aimem-pubkey", next, func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") == "" {
					w.WriteHeader(401)
					return
				}
				next.ServeHTTP(w, r)
			})
		}},
		{"AIMEM-5.3-6 the key is text", answers("/.well-known/aimem-pubkey", func(_ canon.Value, _ *http.Request, got *reply) { got.header.Set("Content-Type", "text/plain") })},
		{"AIMEM-0-3 the role is another", succeeds("/.well-known/aimem-spec", has("role", "Everything"))},
		{"AIMEM-5.2-1 nothing is erased", func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodDelete && r.URL.Path == "/v1/brain" {
					_, _ = w.Write([]byte(`{}`))
					return
				}
				next.ServeHTTP(w, r)
			})
		}},
		{"AIMEM-5.2-9 a second erasure is an error", func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodDelete && r.URL.Path == "/v1/brain" && erased.Add(1) > 1 {
					w.WriteHeader(410)
					return
				}
				next.ServeHTTP(w, r)
			})
		}},
	}
}

// streams changes the lines of a stream.
func streams(edit func(i int, v canon.Value) canon.Value) meddle {
	return answers("/v1/brain/export/stream", func(_ canon.Value, _ *http.Request, got *reply) {
		if !got.ok() {
			return
		}
		var body []byte
		for i, line := range strings.Split(strings.TrimSuffix(string(got.body), "\n"), "\n") {
			v := (&reply{body: []byte(line)}).json()
			body = append(edit(i, v).Append(body), '\n')
		}
		got.body = body
	})
}

// whatever asks for something else.
func whatever(from, to string) meddle {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.URL.RawQuery = strings.Replace(r.URL.RawQuery, from, to, 1)
			next.ServeHTTP(w, r)
		})
	}
}
