package server_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/satchel-memory/satchel/canon"
)

// writingMutants break rules of remember, revise and forget.
func writingMutants() []mutant {
	return slices.Concat(rememberMutants(), draftMutants(), reviseMutants(), forgetMutants())
}

func rememberMutants() []mutant {
	refused := func(code string) meddle {
		return answers("/ump/remember", func(asked canon.Value, _ *http.Request, got *reply) {
			if got.json().Get("error").Get("code").Text() == code {
				got.status, got.body = 200, []byte(`{"id":"urn:ump:abc","result":"created"}`)
			}
		})
	}
	result := func(patch string) meddle { return succeeds("/ump/remember", merged(patch)) }
	return []mutant{
		{"UMP-4.2-2 remember answers 201", answers("/ump/remember", func(_ canon.Value, _ *http.Request, got *reply) {
			if got.ok() {
				got.status = 201
			}
		})},
		{"UMP-3.3-6 the result is another word", result(`{"result":"stored"}`)},
		{"UMP-3.3-6 merging is not told", result(`{"result":"created"}`)},
		{"UMP-3.3-6 all is merged", result(`{"result":"merged"}`)},
		{"UMP-3.3-1 a bare record is refused", answers("/ump/remember", func(asked canon.Value, _ *http.Request, got *reply) {
			if !asked.Has("record") {
				got.status, got.body = 400, []byte(`{"error":{"code":"invalid_record","message":"where is the record?"}}`)
			}
		})},
		{"UMP-3.3-5 what is merged gets another id", answers("/ump/remember", func(_ canon.Value, _ *http.Request, got *reply) {
			if got.json().Get("result").Text() == "merged" {
				got.set(got.json().With("id", canon.String("urn:ump:abcdefghijklmnopqrstuvwxyz")))
			}
		})},
		{"UMP-3.3-8 UMP-2.8-5 UMP-2.8-3 UMP-3.7-1 UMP-6.1-2 forgeries are taken", refused("signature_invalid")},
		{"UMP-3.3-10 UMP-5.1-1 anybody may be the owner", refused("forbidden_scope")},
		{"UMP-3.3-7 policy is not looked at", refused("consent_violation")},
		{"UMP-3.7-4 UMP-2-2 any edition is taken", refused("unsupported")},
		{"UMP-3.3-9 UMP-2-4 UMP-2-5 UMP-2-6 UMP-2-8 UMP-2-9 UMP-2-12 UMP-2-14 UMP-2-15 UMP-2-16 UMP-2-18 UMP-2-20 UMP-2-21 UMP-2-23 UMP-2-28 " +
			"UMP-2-7 UMP-2.5-3 UMP-2.6-1 UMP-2.6-2 UMP-2.6-4 UMP-2.6-6 UMP-2.7-1 UMP-2.7-5 UMP-3.3-11 UMP-3.3-13 UMP-5.1-3 UMP-6.1-6 UMP-1-6 nothing is checked", refused("invalid_record")},
		{"UMP-6.2-2 ids are random", drafts(unsigned(func(v canon.Value) canon.Value {
			if v.Has("id") || v.Get("body").Get("text").Type() == canon.TypeUndefined {
				return v
			}
			return v.With("id", canon.String("urn:ump:"+strings.ToLower(rand.Text())))
		}))},
		{"UMP-6.2-3 a birth is never the same", drafts(unsigned(func(v canon.Value) canon.Value {
			salt := canon.Object(canon.Member{Name: "salt", Value: canon.String(rand.Text())})
			return v.With("body", v.Get("body").With("structured", salt))
		}))},
		{"UMP-6.2-4 ids from elsewhere are replaced", drafts(unsigned(without("id")))},
		{"UMP-6.1-6 of doubled members the last counts", lastCounts()},
		{"UMP-2-28 comments are passed over", uncommented()},
		{"UMP-3.3-12 records are merged across projects", acrossProjects()},
		{"UMP-3.3-4 UMP-2-27 signed records lose what is not known", withoutUnknown()},
	}
}

// lastCounts reads JSON as lenient parsers do.
func lastCounts() meddle {
	return func(next http.Handler) http.Handler {
		return on("/ump/remember", next, func(w http.ResponseWriter, r *http.Request) {
			var v any
			if body := bodyOf(r); json.Unmarshal(body, &v) == nil && bytes.Count(body, []byte(`"text":`)) == 2 && !bytes.Contains(body, []byte("integrity")) {
				lenient, _ := json.Marshal(v)
				replaceBody(r, lenient)
			}
			next.ServeHTTP(w, r)
		})
	}
}

func uncommented() meddle {
	return func(next http.Handler) http.Handler {
		return on("/ump/remember", next, func(w http.ResponseWriter, r *http.Request) {
			replaceBody(r, bytes.Replace(bodyOf(r), []byte("// as in the sample"), nil, 1))
			next.ServeHTTP(w, r)
		})
	}
}

// acrossProjects answers a text that was remembered before with the id it got
// then, wherever it was said.
func acrossProjects() meddle {
	return func(next http.Handler) http.Handler {
		var mu sync.Mutex
		ids := map[string]string{}
		return answers("/ump/remember", func(asked canon.Value, _ *http.Request, got *reply) {
			mu.Lock()
			defer mu.Unlock()
			text, v := asked.Get("record").Get("body").Get("text").Text(), got.json()
			if id, known := ids[text]; known && got.ok() && v.Get("id").Text() != id {
				got.set(merged(`{"result":"merged"}`)(v).With("id", canon.String(id)))
			} else if got.ok() {
				ids[text] = v.Get("id").Text()
			}
		})(next)
	}
}

func withoutUnknown() meddle {
	return records(func(v canon.Value) canon.Value {
		return without("body", "x_conformance_more")(v.Without("x_conformance"))
	})
}

// draftMutants lose or invent what a draft says.
func draftMutants() []mutant {
	lose := func(path ...string) meddle { return drafts(unsigned(without(path...))) }
	add := func(patch string) meddle { return drafts(unsigned(merged(patch))) }
	return []mutant{
		{"UMP-2-19 UMP-8-4 decay is lost", lose("lifecycle", "decay")},
		{"UMP-2.4-3 a confidence is made up", add(`{"lifecycle":{"confidence":0.6}}`)},
		{"UMP-2-12 UMP-2.2-3 drafts are shared", drafts(unsigned(func(v canon.Value) canon.Value {
			if v.Get("scope").Type() == canon.TypeObject && !v.Get("scope").Has("visibility") {
				return merged(`{"scope":{"visibility":"shared"}}`)(v)
			}
			return v
		}))},
		{"UMP-2.6-5 evidence is turned round", drafts(unsigned(func(v canon.Value) canon.Value {
			p := v.Get("provenance")
			if p.Get("evidence").Len() < 2 {
				return v
			}
			list := slices.Clone(p.Get("evidence").Items())
			slices.Reverse(list)
			return v.With("provenance", p.With("evidence", canon.Array(list...)))
		}))},
		{"UMP-2.5-1 relations of unknown types are lost", drafts(unsigned(func(v canon.Value) canon.Value {
			kept := slices.DeleteFunc(slices.Clone(v.Get("relations").Items()), func(l canon.Value) bool { return strings.HasPrefix(l.Get("type").Text(), "x-") })
			if len(kept) == v.Get("relations").Len() {
				return v
			}
			return v.With("relations", canon.Array(kept...))
		}))},
		{"UMP-2.5-2 UMP-2.5-3 UMP-2.5-4 UMP-2-23 relations are lost", lose("relations")},
		{"UMP-2-7 structured is lost", lose("body", "structured")},
		{"UMP-2-10 the user is lost", lose("scope", "user")},
		{"UMP-2-11 the session is lost", lose("scope", "session")},
		{"UMP-2-15 observed is lost", lose("time", "observed")},
		{"UMP-3.3-3 UMP-2.3-1 valid_from is lost", lose("time", "valid_from")},
		{"UMP-2-21 supersedes is lost", lose("supersedes")},
		{"UMP-2.6-1 provenance is replaced", lose("provenance")},
		{"UMP-2-27 unknown members are lost", lose("x_conformance")},
		{"UMP-2.1-2 UMP-2-4 all is semantic", drafts(unsigned(merged(`{"kind":"semantic"}`)))},
		{"UMP-2.7-2 UMP-2.7-3 UMP-3.6-5 retention is lost", lose("consent", "retention")},
		{"UMP-2.7-4 UMP-7-2 redaction is lost", lose("consent", "redact")},
		{"UMP-2.7-6 UMP-4.3-8 all may be exported", lose("consent", "exportable")},
		{"UMP-2-25 a record needs consent", answers("/ump/remember", func(asked canon.Value, _ *http.Request, got *reply) {
			if got.ok() && !asked.Get("record").Has("consent") {
				got.status, got.body = 400, []byte(`{"error":{"code":"invalid_record","message":"where is the consent?"}}`)
			}
		})},
		{"UMP-2-17 a record needs lifecycle", answers("/ump/remember", func(asked canon.Value, _ *http.Request, got *reply) {
			if got.ok() && !asked.Get("record").Has("lifecycle") {
				got.status, got.body = 400, []byte(`{"error":{"code":"invalid_record","message":"where is the lifecycle?"}}`)
			}
		})},
	}
}

func reviseMutants() []mutant {
	patches := func(edit func(canon.Value) canon.Value) meddle {
		return asks("/ump/revise", func(v canon.Value) canon.Value {
			if v.Get("patch").Type() != canon.TypeObject {
				return v
			}
			return v.With("patch", edit(v.Get("patch")))
		})
	}
	revised := func(edit func(asked canon.Value, got *reply)) meddle {
		return answers("/ump/revise", func(asked canon.Value, _ *http.Request, got *reply) { edit(asked, got) })
	}
	return []mutant{
		{"UMP-3.5-1 revise does not say what it replaced", succeeds("/ump/revise", without("supersedes"))},
		{"UMP-3.5-1 revise answers with the old id", revised(func(asked canon.Value, got *reply) {
			if got.ok() {
				got.set(got.json().With("id", asked.Get("id")))
			}
		})},
		{"UMP-3.5-3 UMP-2.3-2 the prior stays open", records(without("time", "valid_to"))},
		{"UMP-3.5-3 UMP-2-22 the prior does not name its successor", records(without("superseded_by"))},
		{"UMP-3.5-2 UMP-2.3-2 the successor does not name the prior", records(without("supersedes"))},
		{"UMP-3.5-5 a patch replaces the whole body", patches(func(v canon.Value) canon.Value {
			if !v.Has("body") {
				return v
			}
			return v.With("body", v.Get("body").With("structured", canon.Null()))
		})},
		{"UMP-3.5-5 the patch loses its time", patches(without("time"))},
		{"UMP-3.5-7 what is fixed is passed over in a patch", patches(func(v canon.Value) canon.Value {
			for _, name := range []string{"id", "ump", "integrity", "superseded_by"} {
				v = v.Without(name)
			}
			return without("scope", "owner")(without("time", "created")(v))
		})},
		{"UMP-3.5-6 UMP-3.5-7 any patch is taken", accepts("/ump/revise", `{"id":"urn:ump:abc","supersedes":[]}`, func(canon.Value) bool { return true })},
		{"UMP-3.5-10 what is forgotten can be revised", accepts("/ump/revise", `{"id":"urn:ump:abc","supersedes":[]}`, func(v canon.Value) bool {
			return strings.Contains(v.Get("patch").Get("body").Get("text").Text(), "back")
		})},
		{"UMP-3.5-10 an unknown id is invalid", revised(func(_ canon.Value, got *reply) {
			if got.status == 404 {
				got.status, got.body = 400, []byte(`{"error":{"code":"invalid_record","message":"no such record"}}`)
			}
		})},
		{"UMP-3.5-8 a patch may break the policy", revised(func(asked canon.Value, got *reply) {
			if got.json().Get("error").Get("code").Text() == "consent_violation" {
				got.status, got.body = 200, []byte(`{"id":"urn:ump:abc","supersedes":[]}`)
			}
		})},
		{"UMP-1-5 UMP-3.4-3 the prior is deleted", haunted("revise", "/ump/memory/", func(m *memoryOf, _ canon.Value, r *http.Request, got *reply) {
			id, _ := strings.CutPrefix(r.URL.Path, "/ump/memory/")
			if m.gone[id] {
				got.status, got.body = 404, []byte(`{"error":{"code":"not_found","message":"no such record"}}`)
			}
		})},
		{"UMP-3.5-9 the prior gets another id", records(func(v canon.Value) canon.Value {
			if v.Get("superseded_by").Len() == 0 {
				return v
			}
			return v.With("id", canon.String(v.Get("id").Text()+"a"))
		})},
		{"UMP-4.2-4 revise answers 201", revised(func(_ canon.Value, got *reply) {
			if got.ok() {
				got.status = 201
			}
		})},
		{"UMP-2-22 an author names the successor", accepts("/ump/remember", `{"id":"urn:ump:abc","result":"created"}`, func(v canon.Value) bool { return v.Get("record").Has("superseded_by") })},
	}
}

func forgetMutants() []mutant {
	return []mutant{
		{"UMP-3.6-1 UMP-3.6-7 UMP-3.6-8 forget answers with another word", succeeds("/ump/forget", merged(`{"result":"deleted"}`))},
		{"UMP-3.6-3 a reason is made up", asks("/ump/forget", func(v canon.Value) canon.Value {
			if v.Get("reason").Text() == "" {
				return v.With("reason", canon.String("other"))
			}
			return v
		})},
		{"UMP-3.6-6 nothing is erased", asks("/ump/forget", without("hard"))},
		{"UMP-3.6-8 what is forgotten cannot be forgotten", haunted("forget", "/ump/forget", twiceNotFound())},
		{"UMP-3.6-8 an unknown id is forgotten", accepts("/ump/forget", `{"result":"tombstoned"}`, func(canon.Value) bool { return true })},
		{"UMP-3.6-5 UMP-3.6-2 UMP-3.4-3 UMP-3.6-8 what is forgotten is erased", asks("/ump/forget", merged(`{"hard":true}`))},
		{"UMP-3.6-5 what is forgotten loses its text at once", records(func(v canon.Value) canon.Value {
			if v.Get("lifecycle").Get("status").Text() == "tombstoned" {
				return v.With("body", v.Get("body").With("text", canon.String("[erased]")))
			}
			return v
		})},
		{"UMP-4.2-5 forget answers 204", answers("/ump/forget", func(_ canon.Value, _ *http.Request, got *reply) {
			if got.ok() {
				got.status = 202
			}
		})},
		{"UMP-3.6-7 work under way cannot be forgotten", workStays()},
	}
}

func twiceNotFound() func(*memoryOf, canon.Value, *http.Request, *reply) {
	done := map[string]bool{}
	return func(_ *memoryOf, asked canon.Value, _ *http.Request, got *reply) {
		id := asked.Get("id").Text()
		if done[id] && got.ok() {
			got.status, got.body = 404, []byte(`{"error":{"code":"not_found","message":"no such record"}}`)
		}
		done[id] = true
	}
}

// workStays refuses to forget records of kind working.
func workStays() meddle {
	return func(next http.Handler) http.Handler {
		var mu sync.Mutex
		kept := map[string]bool{}
		watch := answers("/ump/remember", func(asked canon.Value, _ *http.Request, got *reply) {
			mu.Lock()
			defer mu.Unlock()
			if asked.Get("record").Get("kind").Text() == "working" {
				kept[got.json().Get("id").Text()] = true
			}
		})(next)
		return answers("/ump/forget", func(asked canon.Value, _ *http.Request, got *reply) {
			mu.Lock()
			defer mu.Unlock()
			if kept[asked.Get("id").Text()] {
				got.status, got.body = 403, []byte(`{"error":{"code":"forbidden_scope","message":"that stays"}}`)
			}
		})(watch)
	}
}
